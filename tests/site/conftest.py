"""The built book, a browser, and one visit to each page for all tests to share."""

import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
import yaml
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

sys.path.insert(0, str(Path(__file__).parent))

import explorer_use
import page_files
import page_use
import page_visit
from page_kinds import SIX
from page_visit import DESKTOP, PHONE, Visit

from bookkit.checking.browser import ARGUMENTS, find_chromium, serve
from bookkit.checking.browser import SITE as SITE_FOLDER

ROOT = Path(__file__).parents[2]
SITE = ROOT / SITE_FOLDER
# Only a browser that hangs takes so long; half a minute may pass on a busy machine.
PATIENCE_MS = 600_000


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that takes `path` once for each page, and `paths` for many at once.

    Six pages hold all kinds of content, and are looked at with each change; the others
    are, every night.
    """
    if not {"path", "paths"} & set(metafunc.fixturenames):
        return
    pages = page_files.list_pages(SITE)
    # The longest page first, so that no process ends with it alone.
    pages.sort(key=lambda path: (SITE / path).stat().st_size, reverse=True)
    if "path" in metafunc.fixturenames:
        # All tests of a page in one process, which opens the page once for them.
        given = [
            pytest.param(path, marks=[pytest.mark.xdist_group(path), *when(path)])
            for path in pages or ["not built"]
        ]
        metafunc.parametrize("path", given)
    if "paths" in metafunc.fixturenames:
        others = [path for path in pages if path not in SIX]
        given = [
            pytest.param(SIX, id="six pages"),
            pytest.param(others, id="the others", marks=pytest.mark.nightly),
        ]
        metafunc.parametrize("paths", given)


def when(path: str) -> list[pytest.MarkDecorator]:
    """Return the mark of a page that is opened every night only."""
    return [] if path in SIX or not SITE.is_dir() else [pytest.mark.nightly]


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
    """One browser for all tests of a process, which waits as long as it takes."""
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=find_chromium(),
            args=list(ARGUMENTS),
        )
        chromium.new_context = be_patient(chromium.new_context)
        chromium.new_page = be_patient(chromium.new_page)
        yield chromium
        chromium.close()


def be_patient(opens: Callable) -> Callable:
    """Let what is opened wait for a state of a page, however busy the machine is."""

    def open_patiently(**options: object) -> Page | BrowserContext:
        opened = opens(**options)
        opened.set_default_timeout(PATIENCE_MS)
        return opened

    return open_patiently


@pytest.fixture(scope="session")
def base(site: Path) -> Iterator[str]:
    with serve(site) as address:
        yield address


@pytest.fixture
def open_page(browser: Browser, base: str) -> Iterator[Callable[..., Page]]:
    """Open a page, and see in the end that nothing went wrong; all share a browser."""
    opened: list[Visit] = []

    def visit(path: str, **options: object) -> Page:
        opened.append(page_visit.visit(browser, base, path, **options))
        return opened[-1].page

    yield visit
    for visited in opened:
        assert visited.complaints == []
        visited.page.context.close()


@pytest.fixture(scope="session")
def sheets(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Give an empty page with no network; of each kind there is one, used again.

    To open a page takes longer than most tests do with it.
    """
    opened: dict[str, Page] = {}

    def give(beside: bool, **options: object) -> Page:
        key = repr((beside, sorted(options.items())))
        if key not in opened:
            context = browser.new_context(**{"viewport": DESKTOP, **options})
            context.set_offline(True)
            page = opened[key] = context.new_page()
            page.on("pageerror", lambda error: page.complaints.append(str(error)))
            page.on("console", lambda message: page.complaints.append(message.text))
        return opened[key]

    yield give
    for page in opened.values():
        page.context.close()


@pytest.fixture
def show_alone(sheets: Callable[..., Page]) -> Callable[..., Page]:
    """Show a body in a page with no network; the value is the page.

    It takes the place of what was shown with the same options, except `beside` it.
    """

    def show(body: str, *, beside: bool = False, **options: object) -> Page:
        page = sheets(beside, **options)
        used, page.complaints = hasattr(page, "complaints"), []
        if used:  # a new page whose mouse has moved may lose what it drags
            page.mouse.up()
            page.mouse.move(0, 0)
            page.emulate_media(media="null")
            page.goto("about:blank")  # with another window, in which nothing is left
            page.complaints.clear()
        page.set_content(explorer_use.DOCUMENT.format(body=body))
        return page

    return show


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
