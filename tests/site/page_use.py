"""Use a page as a reader does: unfold, scroll, change the colors, copy, stay."""

from playwright.sync_api import Page

THEME_BUTTON = ".theme-switch-button:visible"
COPY_BUTTON = "button.copybtn:visible"
# More colors than a theme has: light, dark, and what the system prefers.
MOST_MODES = 5
# How long the reader stays, by the clock of the page; no test waits for it.
STAY = "00:30"
# How long a request or an error needs to arrive here from the browser.
ARRIVAL_MS = 250
# An observer is first called when the browser has drawn the page.
DRAW = """() => new Promise((done) => {
  new IntersectionObserver(done).observe(document.documentElement);
})"""
OPEN_ALL = "document.querySelectorAll('details').forEach((box) => { box.open = true; })"
SCROLL_THROUGH = f"""async () => {{
  const draw = {DRAW};
  const root = document.documentElement;
  const step = window.innerHeight / 2;
  for (let top = 0; top < root.scrollHeight; top += step) {{
    window.scrollTo({{ top, behavior: "instant" }});
    await draw();
  }}
  window.scrollTo({{ top: 0, behavior: "instant" }});
  await draw();
}}"""
READ_MODE = "document.documentElement.dataset.mode"


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
