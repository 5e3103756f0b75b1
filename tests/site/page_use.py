"""Use a page as a reader does: unfold, scroll, change the colors, copy, stay."""

from page_visit import Visit, visit
from playwright.sync_api import Browser, Error, Page

THEME_BUTTON = ".theme-switch-button:visible"
COPY_BUTTON = "button.copybtn:visible"
# More colors than a theme has: light, dark, and what the system prefers.
MOST_MODES = 5
# How long the reader stays, by the clock of the page; no test waits for it.
STAY = "00:30"
# How long a request or an error needs to arrive here from the browser.
ARRIVAL_MS = 250
# A page that is not drawn for so long will not be drawn any more.
PATIENCE_MS = 60_000
STALLED = "the browser does not draw this page any more"
# An observer is first called when the browser has drawn the page.
DRAW = f"""() => new Promise((done, fail) => {{
  const late = setTimeout(() => fail(new Error("{STALLED}")), {PATIENCE_MS});
  const observer = new IntersectionObserver(() => {{
    observer.disconnect();
    clearTimeout(late);
    done();
  }});
  observer.observe(document.documentElement);
}})"""
TRIES = 3
OPEN_ALL = "document.querySelectorAll('details').forEach((box) => { box.open = true; })"
SCROLL_THROUGH = f"""async () => {{
  const draw = {DRAW};
  const root = document.documentElement;
  const step = window.innerHeight * 0.9;  // some lines twice, as with the key
  for (let top = 0; top < root.scrollHeight; top += step) {{
    window.scrollTo({{ top, behavior: "instant" }});
    await draw();
  }}
  window.scrollTo({{ top: 0, behavior: "instant" }});
  await draw();
}}"""
READ_MODE = "document.documentElement.dataset.mode"


def visit_and_use(browser: Browser, base: str, path: str, **options: object) -> Visit:
    """Open a page and use it; begin anew when the browser stops drawing it.

    Now and then Chromium shows no further frame of a page whose scripts run on. That is
    no fault of the page, and whoever waits for the frame waits for ever.

    Args:
        browser: The browser.
        base: The address of the site, with a final slash.
        path: The page.
        options: Those of `visit`.

    Raises:
        Error: The page cannot be used, or was not drawn to its end in any try.
        RuntimeError: Its button of the colors does not lead back.
    """
    for left in reversed(range(TRIES)):
        visited = visit(browser, base, path, **options)
        try:
            use(visited.page)
        except Exception as error:
            visited.page.context.close()
            stalled = isinstance(error, Error) and STALLED in str(error)
            if not (stalled and left):
                raise
        else:
            break
    return visited


def use(page: Page) -> None:
    """Do all that a reader can do; the page then looks as before, but unfolded."""
    open_all(page)
    page.evaluate(SCROLL_THROUGH)
    see_all_modes(page)
    if page.locator(COPY_BUTTON).count():
        page.locator(COPY_BUTTON).first.click()
    page.mouse.move(0, 0)
    page.evaluate("document.activeElement.blur(); window.scrollTo(0, 0)")
    page.clock.run_for(STAY)
    page.evaluate(DRAW)
    page.wait_for_timeout(ARRIVAL_MS)


def open_all(page: Page) -> None:
    """Unfold everything that is folded."""
    page.evaluate(OPEN_ALL)


def see_all_modes(page: Page) -> None:
    """Press the button of the colors until the page has its first ones again.

    Raises:
        RuntimeError: If they do not come back.
    """
    button = page.locator(THEME_BUTTON).first
    if not button.count():
        return
    first = page.evaluate(READ_MODE)
    for _ in range(MOST_MODES):
        button.click()
        page.evaluate(DRAW)
        if page.evaluate(READ_MODE) == first:
            return
    raise RuntimeError(
        f"The button of the colors must lead back to mode {first!r}; after "
        f"{MOST_MODES} clicks it is {page.evaluate(READ_MODE)!r}. Mend the button"
    )
