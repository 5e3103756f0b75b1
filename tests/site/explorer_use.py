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
# Scrolls a control to the top or the bottom of the window, moves it, and says whether
# its result can be seen beside it. A bar of the site may stand at the top.
SEE_RESULT = """(control, block) => {
  control.style.scrollMarginTop = "5rem";
  control.scrollIntoView({ block, behavior: "instant" });
  if (control.matches("button, [type=checkbox]")) control.click();
  else control.dispatchEvent(new Event("input", { bubbles: true }));
  const result = control.closest(".explorer").querySelector(".explorer-readout");
  const [a, b] = [control, result].map((part) => part.getBoundingClientRect());
  const isSeen = b.top >= 0 && b.bottom <= window.innerHeight + 1;
  return isSeen && (b.top >= a.bottom || b.bottom <= a.top);
}"""


def explorer_of(chapter: str):
    """Return the explorer of a chapter, as its notebook shows it."""
    return import_module(f"chapters.{chapter}.explorer").show()


def look(place: Page | FrameLocator) -> list[str]:
    """Return what an explorer shows."""
    return place.locator(".explorer").first.evaluate(LOOK)


def find_lost_results(page: Page) -> list[str]:
    """List the controls of a page beside which their result cannot be seen."""
    controls = page.locator(".explorer-controls :is(input, select, button)").all()
    return [
        f"{control.evaluate('(e) => e.name || e.textContent')} at the {block}"
        for control in controls
        for block in ("start", "center", "end")
        if not control.evaluate(SEE_RESULT, block)
    ]


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
