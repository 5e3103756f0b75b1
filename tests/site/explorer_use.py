"""What a reader does with an explorer, and what there is to see of it."""

from importlib import import_module
from pathlib import Path

from playwright.sync_api import FrameLocator, Locator, Page

import chapters

FILES = Path(chapters.__file__).parent.glob("*/explorer.py")
NAMES = sorted(path.parent.name for path in FILES)

DOCUMENT = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>An explorer</title>
</head>
<body><main><h1>An explorer</h1>{body}</main></body>
</html>
"""
# What a reader sees: the shapes and the numbers, without what the script adds.
LOOK = """(root) =>
  [...root.querySelectorAll(".explorer-stage, .explorer-readout")].map(
    (part) => part.outerHTML.replaceAll(' class=""', ""))"""
CONTROLS = "input, select"


def explorer_of(chapter: str):
    """Return the explorer of a chapter, as its notebook shows it."""
    return import_module(f"chapters.{chapter}.explorer").show()


def look(place: Page | FrameLocator) -> list[str]:
    """Return what an explorer shows."""
    return place.locator(".explorer").first.evaluate(LOOK)


def move(place: Page | FrameLocator | Locator, control: int) -> None:
    """Move a control with the keyboard, in the way that changes it."""
    element = place.locator(CONTROLS).nth(control)
    element.focus()
    kind = element.evaluate("(e) => e.type")
    if kind == "checkbox":
        return element.press("Space")
    at_end = element.evaluate(
        "(e) => e.max ? e.value === e.max : e.selectedIndex === e.length - 1"
    )
    return element.press("ArrowLeft" if at_end else "ArrowRight")
