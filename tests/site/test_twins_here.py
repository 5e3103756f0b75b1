"""A chapter that explains a part opens the translator without it, in its own page."""

import page_files
import pytest
from page_visit import visit

from bookkit.checking.barriers import find_barriers
from bookkit.checking.facts import facts

CHAPTERS = {
    "book/position/sinusoidal.html": "positions",
    "book/attention/multi_head_attention.html": "causal mask",
    "book/normalization/residual_connections.html": "skips",
    "book/normalization/layer_norm.html": "norms",
    "book/attention/self_attention.html": "scale",
}
LINK = "main a[href*='index.html#without-']"
WRONG = "quatre-vingt mille, without positions"  # eighty thousand and eighty
# Whether the browser would follow the link, which is kept from it here.
PRESS_WITH_CONTROL = """(link) => {
  let follows;
  addEventListener("click", (event) => {
    follows = !event.defaultPrevented;
    event.preventDefault();
  }, { once: true });
  const given = { ctrlKey: true, bubbles: true, cancelable: true };
  link.dispatchEvent(new MouseEvent("click", given));
  return follows;
}"""
FIRST = next(iter(CHAPTERS))
EVERY = pytest.mark.parametrize(("chapter", "part"), CHAPTERS.items())


@pytest.fixture
def page(browser, base):
    page = visit(browser, base, FIRST).page
    yield page
    page.context.close()


def say(page, text):
    """Wait until the translator says something."""
    page.locator(".translator-said", has_text=text).wait_for()


@EVERY
def test_a_link_opens_the_translator_where_it_stands(browser, base, chapter, part):
    page = visit(browser, base, chapter).page
    link = page.locator(LINK)
    assert link.get_attribute("aria-expanded") == "false"
    link.click()
    say(page, f"without {part}")
    assert page.url == f"{base}{chapter}#without-{part.replace(' ', '-')}"
    assert link.get_attribute("aria-expanded") == "true"
    box, words = page.locator(".translator").bounding_box(), link.bounding_box()
    assert words["y"] < box["y"] < words["y"] + 500
    page.context.close()


@EVERY
def test_the_link_is_met_on_the_way_without_deeper(site, chapter, part):
    tree = page_files.parse(site / chapter)
    assert tree.xpath(
        "//main//a[contains(@href, 'index.html#without-')]"
        "[not(ancestor::section[starts-with(@id, 'deeper')])]"
    )


def test_nothing_of_it_is_fetched_before(page):
    files = "performance.getEntriesByType('resource').map((file) => file.name)"
    page.wait_for_load_state("networkidle")
    assert not [name for name in page.evaluate(files) if "translator" in name[:-3]]


def test_pressed_again_it_closes_and_opens_with_what_was_typed(page):
    page.locator(LINK).focus()
    page.keyboard.press("Enter")
    say(page, WRONG)
    page.fill("#translator-text", "six thousand and two")
    say(page, "deux mille six")
    page.locator(LINK).click()
    assert page.locator(".translator").count() == 0
    assert page.url.endswith("sinusoidal.html")
    page.locator(LINK).click()
    say(page, "deux mille six")


def test_an_address_that_names_the_part_opens_it(browser, base, site):
    for address in (base + FIRST, (site / FIRST).as_uri()):
        page = browser.new_page()
        page.goto(f"{address}#without-positions")
        say(page, WRONG)
        page.close()


def test_in_another_tab_and_without_scripts_it_leads_to_the_first_page(browser, base):
    page = visit(browser, base, FIRST).page
    assert page.locator(LINK).evaluate(PRESS_WITH_CONTROL) is True
    assert page.locator(".translator").count() == 0
    page.context.close()
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(base + FIRST)
    page.locator(LINK).click()
    page.wait_for_url("**/book/index.html#without-positions")
    page.context.close()


@facts("dark", [False, True], ids=["light", "dark"])
def test_it_has_no_barriers(browser, base, dark):
    page = visit(browser, base, FIRST, dark=dark).page
    page.locator(LINK).click()
    say(page, WRONG)
    assert find_barriers(page) == []
    page.context.close()


def test_it_has_room_on_a_phone(browser, base):
    page = visit(browser, base, FIRST, viewport={"width": 360, "height": 740}).page
    page.locator(LINK).click()
    say(page, WRONG)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.context.close()


def test_paper_does_not_show_it(page):
    page.locator(LINK).click()
    say(page, WRONG)
    page.emulate_media(media="print")
    assert page.locator(".translator").is_hidden()


FIGURE = "#fig-ablations-translator"
FETCHED = """performance.getEntriesByType('resource')
  .filter((file) => /translator[a-z_]*[.]js/.test(file.name)).length"""


@pytest.fixture
def figure(browser, base):
    page = visit(browser, base, "book/beyond/ablations.html").page
    yield page
    page.context.close()


def test_a_drawing_comes_to_life_when_a_reader_comes_near(figure):
    figure.wait_for_load_state("networkidle")
    assert figure.locator(".translator").count() == figure.evaluate(FETCHED) == 0
    figure.locator(FIGURE).scroll_into_view_if_needed()
    figure.locator(f"{FIGURE} .translator").wait_for()
    assert figure.locator(f"{FIGURE} img").is_hidden()
    figure.locator("button[value=without-positions]").click()
    say(figure, WRONG)
    assert find_barriers(figure) == []


def test_paper_keeps_the_drawing(figure):
    figure.locator(FIGURE).scroll_into_view_if_needed()
    figure.locator(f"{FIGURE} .translator").wait_for()
    figure.emulate_media(media="print")
    assert figure.locator(".translator").is_hidden()
    assert figure.locator(f"{FIGURE} img").is_visible()
