"""What a link leads to shows beside it, to the mouse and to the keyboard."""

import page_visit
import pytest
from page_faults import find_barriers
from playwright.sync_api import expect

from bookkit.checking.facts import facts

CHAPTER = "book/attention/self_attention.html"
FIGURE = 'a.internal[href="#fig-data-flow"]'
THEOREM = 'a.internal[href="#thm-variance"]'
THERE = 'a.internal[href*="embeddings.html#thm-"]'
TERM = "a.glossary-link >> text=dot product"
WORK = "a.citation-link >> text=Vaswani et al."
LINKS = {
    FIGURE: "Figure 3.2 Attention as a flow",
    'a.internal[href^="#equation-"]': "softmax",
    THEOREM: "Theorem 3.2 (The variance",
    THERE: "Theorem 2.",
    TERM: "dot product: ",
    WORK: "Attention is all you need",
}


@pytest.fixture
def open_page(browser):
    """Open an address in a browser of its own; the value is the page."""
    contexts = []

    def visit(address, **options):
        given = {"viewport": page_visit.DESKTOP, "reduced_motion": "reduce", **options}
        contexts.append(browser.new_context(**given))
        page = contexts[-1].new_page()
        page.goto(address)
        page.add_style_tag(content=page_visit.LAY_OUT_ALL)
        return page

    yield visit
    for context in contexts:
        context.close()


@pytest.fixture
def page(open_page, base):
    return open_page(base + CHAPTER)


def link_of(page, link):
    """Bring a link to the top of the window, with what it names out of view."""
    found = page.locator("article").locator(link).first
    found.evaluate("link => scrollBy(0, link.getBoundingClientRect().top - 90)")
    return found


def focus(page, link):
    """Walk to a link with the keyboard."""
    found = link_of(page, link)
    page.keyboard.press("Shift")  # what has the focus then is seen to have it
    found.evaluate("link => link.focus({ preventScroll: true })")
    return found


CARD = ".book-card"


@facts("link, words", LINKS.items())
def test_a_card_shows_what_a_link_leads_to(page, link, words):
    place = link_of(page, link)
    place.hover()
    expect(place).to_have_attribute("aria-describedby", "book-card")
    card = page.locator(CARD, has_text=words)
    card.wait_for()
    box = card.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= page_visit.DESKTOP["width"]
    assert card.locator("a, [id], [tabindex], script, form").count() == 0
    assert place.get_attribute("title") is None


@facts("link", [FIGURE, TERM])
def test_the_keyboard_has_a_card_that_escape_closes(page, link):
    found = focus(page, link)
    page.locator(CARD).wait_for()
    page.keyboard.press("Escape")
    page.locator(CARD).wait_for(state="detached")
    assert found.evaluate("link => link === document.activeElement")
    assert found.get_attribute("aria-describedby") is None
    assert bool(found.get_attribute("title")) is (link == TERM)
    page.keyboard.press("Enter")
    page.wait_for_url("**/*#*")


def test_a_card_stays_under_the_mouse_and_goes_with_it(page):
    link_of(page, THEOREM).hover()
    card = page.locator(CARD)
    card.wait_for()
    card.hover()
    page.wait_for_timeout(600)
    assert card.is_visible()
    page.mouse.move(2, 2)
    card.wait_for(state="detached")


def test_what_is_in_view_has_no_card(page):
    link = page.locator("article").locator(FIGURE).first
    link.evaluate("link => scrollBy(0, link.getBoundingClientRect().top - 800)")
    link.hover()
    page.wait_for_timeout(600)
    assert page.locator(CARD).count() == 0


def test_from_a_disk_cards_are_of_the_page_itself(open_page, site):
    page = open_page((site / CHAPTER).as_uri())
    link_of(page, THEOREM).hover()
    page.locator(CARD).wait_for()
    there = link_of(page, THERE)
    there.hover()
    page.locator(CARD).wait_for(state="detached")
    there.click()
    page.wait_for_url("**/embeddings.html#thm-*")


@facts("scheme", ["light", "dark"])
def test_a_card_keeps_nobody_out(open_page, base, scheme):
    page = open_page(base + CHAPTER, color_scheme=scheme)
    focus(page, FIGURE)
    page.locator(CARD).wait_for()
    assert find_barriers(page) == []


def test_a_tap_shows_a_figure_at_the_foot_and_leads_there(open_page, base):
    page = open_page(
        base + CHAPTER, viewport=page_visit.PHONE, has_touch=True, is_mobile=True
    )
    page.locator(FIGURE).first.tap()
    sheet = page.get_by_role("dialog", name="Figure 3.2")
    assert sheet.locator("img").evaluate("image => image.decode().then(() => true)")
    assert page.locator(CARD).count() == 0
    sheet.get_by_role("link", name="Go to Figure 3.2").tap()
    page.wait_for_url("**#fig-data-flow")
