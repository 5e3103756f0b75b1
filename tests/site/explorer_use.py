"""What a reader does with an explorer, and what there is to see of it."""

from functools import cache
from importlib import import_module
from pathlib import Path

from playwright.sync_api import FrameLocator, Locator, Page

import chapters
from bookkit.checking.facts import facts

CODE = Path(chapters.__file__).parent
FILES = CODE.rglob("explorer.py")
NAMES = sorted(path.parent.relative_to(CODE).as_posix() for path in FILES)
# Runs a test for each explorer.
EVERY = facts("explorer", NAMES)

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
# What a reader sees: the shapes and the numbers, without what the script adds, which is
# what a handle says to those who cannot see it.
LOOK = """(root) =>
  [...root.querySelectorAll(".explorer-stage, .explorer-readout")].map((part) => {
    const seen = part.cloneNode(true);
    for (const handle of seen.querySelectorAll(".explorer-handle")) {
      for (const { name } of [...handle.attributes]) {
        if (/^(role|tabindex|aria-.*)$/.test(name)) handle.removeAttribute(name);
      }
    }
    return seen.outerHTML.replaceAll(' class=""', "");
  })"""
INPUTS = "input, select"
HANDLES = "[role=slider]"
CONTROLS = f"{INPUTS}, {HANDLES}"
# Scrolls a control to the top or the bottom of the window, moves it, and says whether
# its result can be seen beside it. A bar of the site may stand at the top.
SEE_RESULT = """(control, block) => {
  control.style.scrollMarginTop = "5rem";
  control.scrollIntoView({ block, behavior: "instant" });
  const key = new KeyboardEvent("keydown", { key: "ArrowRight" });
  if (control.matches("button, [type=checkbox]")) control.click();
  else if (control.matches("[role]")) control.dispatchEvent(key);
  else control.dispatchEvent(new Event("input", { bubbles: true }));
  const result = control.closest(".explorer").querySelector(".explorer-readout");
  const [a, b] = [control, result].map((part) => part.getBoundingClientRect());
  const isSeen = b.top >= 0 && b.bottom <= window.innerHeight + 1;
  return isSeen && (b.top >= a.bottom || b.bottom <= a.top);
}"""


def explorer_of(folder: str):
    """Return the explorer of a folder in `chapters`, as its notebook shows it."""
    return import_module(f"chapters.{folder.replace('/', '.')}.explorer").show()


@cache
def html_of(folder: str) -> str:
    """Return what the notebook of an explorer shows."""
    return explorer_of(folder)._repr_html_()


def look(place: Page | FrameLocator) -> list[str]:
    """Return what an explorer shows."""
    return place.locator(".explorer").first.evaluate(LOOK)


def find_lost_results(page: Page) -> list[str]:
    """List the controls of a page beside which their result cannot be seen."""
    found = (
        ".explorer-controls :is(input, select, button), .explorer-stage [role=slider]"
    )
    controls = page.locator(found).all()
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
        "(e) => e.max ? e.value === e.max : e.role ? e.ariaValueNow === e.ariaValueMax"
        " : e.selectedIndex === e.length - 1"
    )
    return element.press("ArrowLeft" if at_end else "ArrowRight")


def drag(page: Page, part: str, *, by: tuple[float, float]) -> None:
    """Drag a handle with the mouse, by so many pixels to the right and down."""
    x, y = _find_middle(page, part)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + by[0] / 2, y + by[1] / 2)
    page.mouse.move(x + by[0], y + by[1])
    page.mouse.up()


def drag_with_finger(page: Page, part: str, *, by: tuple[float, float]) -> None:
    """Drag a handle with a finger."""
    x, y = _find_middle(page, part)
    hand = page.context.new_cdp_session(page)
    ways = [("touchStart", 0.0), ("touchMove", 0.5), ("touchMove", 1.0)]
    for kind, share in ways:
        point = {"x": x + share * by[0], "y": y + share * by[1]}
        hand.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
    hand.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def _find_middle(page: Page, part: str) -> tuple[float, float]:
    """Return the middle of a part, in pixels of the window."""
    handle = page.locator(f'[data-part="{part}"]')
    handle.scroll_into_view_if_needed()
    box = handle.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
