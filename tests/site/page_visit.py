"""Open a page as a reader does, and note what goes wrong."""

import re
from dataclasses import dataclass, field

from playwright.sync_api import Browser, Page, Request

DESKTOP = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}
TURNED = {"width": 844, "height": 390}

# Source that a reader must not see: TeX, and the marks of MyST. A dollar before a space
# or after one, or before a digit, is the dollar of a price.
SOURCE = re.compile(
    r"\$\$|\\(?:[a-zA-Z]+|[()\[\]{},;:!|\\])"
    r"|\$[^$\n]*[\\^_][^$\n]*\$|\$(?=\S)[^$\n]*\n?[^$\n]*(?<=\S)\$(?!\d)"
    r"|:::|\{(?:eq|ref|numref|doc|prf:ref|cite(?::\w)?)\}"
)
# What is not in view has no width, unless it is laid out.
LAY_OUT_ALL = """.bd-article section, .bd-article section > * {
  content-visibility: visible !important; }"""
PASSED_WIDTH = """Math.max(...[document.documentElement, document.body].map(
  (part) => part.scrollWidth - window.innerWidth))"""


@dataclass
class Visit:
    """A page in the browser, with all it asked for and complained about."""

    page: Page
    requests: list[str] = field(default_factory=list)
    strangers: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


def visit(
    browser: Browser,
    base: str,
    path: str,
    *,
    viewport: dict[str, int] = DESKTOP,
    dark: bool = False,
    until: str = "load",
) -> Visit:
    """Open a page as on a first visit; what leaves the site is noted and stopped.

    Args:
        browser: The browser.
        base: The address of the site, with a final slash.
        path: The page.
        viewport: The size of the window.
        dark: Whether the reader prefers dark pages.
        until: "load", or "networkidle" to wait for requests that come late.
    """
    context = browser.new_context(
        viewport=viewport,
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce",
    )
    result = Visit(context.new_page())

    def note(request: Request) -> None:
        if request.url.startswith(base):
            result.requests.append(request.url.removeprefix(base))
        else:
            result.strangers.append(request.url)

    context.on("request", note)
    context.route(re.compile(f"^(?!{re.escape(base)})"), lambda route: route.abort())
    # The clock of the page runs as ever, but a test can put it forward.
    context.clock.install()
    result.page.on("websocket", lambda socket: result.strangers.append(socket.url))
    result.page.on(
        "console",
        lambda message: (
            result.complaints.append(f"{message.text} ({message.location['url']})")
            if message.type == "error"
            else None
        ),
    )
    result.page.on("pageerror", lambda error: result.complaints.append(str(error)))
    result.page.goto(base + path)
    result.page.wait_for_load_state(until)
    result.page.evaluate("document.fonts.ready.then(() => true)")
    return result


def measure_sideways(page: Page) -> int:
    """Measure by how many pixels a page is wider than its window."""
    page.add_style_tag(content=LAY_OUT_ALL)
    return max(0, page.evaluate(PASSED_WIDTH))
