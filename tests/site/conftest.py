"""The built book, a browser, and one visit to each page for all tests to share."""

import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
import yaml
from playwright.sync_api import Browser, Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parent))

import explorer_use
import page_files
import page_use
from page_visit import DESKTOP, PHONE, Visit

from bookkit.checking.browser import ARGUMENTS, find_chromium
from bookkit.checking.browser import SITE as SITE_FOLDER
from bookkit.checking.server import serve

ROOT = Path(__file__).parents[2]
SITE = ROOT / SITE_FOLDER


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that takes ``path`` once for each page of the built book."""
    if "path" in metafunc.fixturenames:
        paths = page_files.list_pages(SITE)
        # The longest page first, so that no process ends with it alone.
        paths.sort(key=lambda path: (SITE / path).stat().st_size, reverse=True)
        # All tests of a page in one process, which opens the page once for them.
        pages = [
            pytest.param(path, marks=pytest.mark.xdist_group(path))
            for path in paths or ["not built"]
        ]
        metafunc.parametrize("path", pages)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests of one page together, so that it can be closed after them."""
    places = {id(item): place for place, item in enumerate(items)}
    first: dict[str, int] = {}

    def key(item: pytest.Item) -> int:
        path = getattr(item, "callspec", None) and item.callspec.params.get("path")
        return first.setdefault(path, places[id(item)]) if path else places[id(item)]

    items.sort(key=key)


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def config() -> dict:
    return yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))


@pytest.fixture(scope="session")
def site() -> Path:
    if not (SITE / "index.html").is_file():
        pytest.fail(f"The book must be built; {SITE} holds no page. Run 'make book'.")
    return SITE


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=find_chromium(),
            args=list(ARGUMENTS),
        )
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def base(site: Path) -> Iterator[str]:
    with serve(site) as address:
        yield address


@pytest.fixture(scope="module")
def alone(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Return an empty page with no network; `page.free` is set when it is given back.

    To open a page takes longer than most tests do with it, so it is used again.
    """
    pages: dict[str, list[Page]] = {}

    def find_page(**options: object) -> Page:
        known = pages.setdefault(repr(sorted(options.items())), [])
        page = next((page for page in known if page.free), None)
        if page is None:
            if known:
                context = known[0].context
            else:
                context = browser.new_context(**{"viewport": DESKTOP, **options})
                context.set_offline(True)
            page = context.new_page()
            page.on("pageerror", lambda error: page.complaints.append(str(error)))
            page.on("console", lambda message: page.complaints.append(message.text))
            known.append(page)
        page.free = False
        return page

    yield find_page
    for known in pages.values():
        known[0].context.close()


@pytest.fixture
def show_alone(alone: Callable[..., Page]) -> Iterator[Callable[..., Page]]:
    """Show a body in a page of its own, with no network; the value is the page."""
    pages = []

    def open_page(body: str, **options: object) -> Page:
        page = alone(**options)
        pages.append(page)
        page.complaints = []
        page.set_content(explorer_use.DOCUMENT.format(body=body))
        return page

    yield open_page
    for page in pages:
        page.mouse.up()
        page.mouse.move(0, 0)
        page.emulate_media(media="null")
        page.goto("about:blank")  # with another window, in which nothing is left
        page.free = True


@pytest.fixture(scope="session")
def visits(browser: Browser, base: str) -> Iterator[Callable[[str, str], Visit]]:
    """Open and use each page once in each way: "light", "dark" or "phone".

    One page is open at a time; the tests of a page stand together.
    """
    opened: dict[tuple[str, str], Visit] = {}
    ways = {"light": {}, "dark": {"dark": True}, "phone": {"viewport": PHONE}}

    def close(paths: Iterable[str]) -> None:
        for key in [key for key in opened if key[0] in paths]:
            opened.pop(key).page.context.close()

    def open_once(path: str, way: str) -> Visit:
        close({other for other, _ in opened} - {path})
        if (path, way) not in opened:
            opened[path, way] = page_use.visit_and_use(browser, base, path, **ways[way])
        return opened[path, way]

    yield open_once
    close({path for path, _ in opened})
