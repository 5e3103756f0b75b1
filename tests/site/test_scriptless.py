"""What readers have who let no script run: colors, contents, and no idle button."""

import page_visit
import pytest
from page_visit import PHONE

from bookkit.checking.facts import facts

CHAPTER = "book/normalization/norm_placement.html"
BUTTONS = ".bd-header-article button"
FOLDED = "details:not([open])"
# A sheet of the theme that has no colors makes links black.
COLORS = """() => ["a.reference", "p"].map((name) =>
  getComputedStyle(document.querySelector(`.bd-article ${name}`)).color)"""

SHADES = """() => Object.fromEntries(["body", ".bd-article p", ".bd-article a",
  ".highlight pre", ".highlight .k", ".admonition", ".cell_output img"].map((name) => {
    const style = getComputedStyle(document.querySelector(name));
    return [name, [style.backgroundColor, style.color, style.filter]];
  }))"""


SCREENS = facts("screen", [PHONE, {"width": 1024, "height": 768}, page_visit.DESKTOP])


@pytest.fixture
def open_still(browser, base):
    """Open the chapter without scripts on a screen; the value is the page."""
    contexts = []

    def open_page(screen):
        context = browser.new_context(java_script_enabled=False, viewport=screen)
        contexts.append(context)
        page = context.new_page()
        page.goto(base + CHAPTER)
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture(scope="module")
def scripted(browser, base):
    """The chapter with scripts, as it looks in each way."""
    ways = {"light": {}, "dark": {"dark": True}, "phone": {"viewport": PHONE}}
    opened = {
        way: page_visit.visit(browser, base, CHAPTER, **options).page
        for way, options in ways.items()
    }
    yield opened
    for page in opened.values():
        page.context.close()


@SCREENS
def test_links_have_a_color_of_their_own(open_still, screen):
    still = open_still(screen)
    link, text = still.evaluate(COLORS)
    assert link != text


@facts("scheme", ["light", "dark"])
@SCREENS
def test_a_page_has_the_colors_that_the_system_asks_for(
    scripted, open_still, screen, scheme
):
    still = open_still(screen)
    still.emulate_media(color_scheme=scheme)
    assert still.evaluate(SHADES) == scripted[scheme].evaluate(SHADES)


@SCREENS
def test_on_paper_a_page_is_light(open_still, screen):
    still = open_still(screen)
    still.emulate_media(color_scheme="dark", media="print")
    assert still.evaluate(SHADES)["body"][0] == "rgb(255, 255, 255)"


@SCREENS
def test_the_search_says_that_it_needs_scripts_and_what_does_not(
    open_still, screen, base
):
    still = open_still(screen)
    still.goto(f"{base}search.html")
    words = still.locator(".bd-search-container p")
    assert "needs scripts" in words.inner_text()
    assert not still.locator(".bd-search-container input").is_visible()
    for link in words.locator("a").all():
        address = link.evaluate("(link) => link.href")
        assert still.request.get(address).ok


@facts("name", ["primary", "secondary"])
@SCREENS
def test_contents_are_in_sight_and_lead_on(open_still, screen, name):
    still = open_still(screen)
    links = still.locator(f"#pst-{name}-sidebar a:not({FOLDED} *)")
    assert links.count() > 9
    assert all(link.is_visible() for link in links.all())
    place = links.last.get_attribute("href").removeprefix("..")
    links.last.click()
    assert still.url.endswith(place)


@SCREENS
def test_no_button_waits_in_vain(open_still, screen):
    still = open_still(screen)
    shown = [b for b in still.locator(BUTTONS).all() if b.is_visible()]
    assert [b.get_attribute("aria-label") for b in shown] == ["Source repositories"]
    shown[0].click()
    assert still.get_by_text("Open issue").is_visible()


def test_with_scripts_the_contents_of_a_phone_wait_for_a_button(scripted):
    page = scripted["phone"]
    assert page.locator(".bd-header-article .sidebar-toggle").first.is_visible()
    for name in ("primary", "secondary"):
        assert not page.locator(f"#pst-{name}-sidebar a").first.is_visible()
