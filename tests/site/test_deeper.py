"""A Deeper section has its line and its link on every screen, and its line on paper."""

import page_use
import page_visit
import pytest

from bookkit.checking.barriers import find_barriers
from bookkit.checking.facts import facts

CHAPTER = "book/attention/self_attention.html"
# A section as the site writes it, whatever sections the chapter has by now.
DEEPEN = """() => {
  const section = document.querySelectorAll(".bd-article > section > section")[1];
  section.classList.add("deeper");
  const heading = section.querySelector("h2");
  heading.insertAdjacentHTML(
    "afterbegin", '<span class="deeper-word">Deeper:</span> ');
  heading.insertAdjacentHTML("afterend",
    `<p class="deeper-skip d-print-none"><a class="reference internal"
      href="#summary">Skip to <em>Summary</em></a></p>`);
  section.id = "deepened";
}"""
WAYS = {
    "light": {},
    "dark": {"dark": True},
    "phone": {"viewport": page_visit.PHONE},
}


@pytest.fixture
def open_deeper(browser, base):
    """Open a chapter in one of the ways, with one more Deeper section."""
    pages = []

    def open_page(way, visit=page_visit.visit):
        pages.append(visit(browser, base, CHAPTER, **WAYS[way]).page)
        pages[-1].evaluate(DEEPEN)
        return pages[-1]

    yield open_page
    for page in pages:
        page.context.close()


@facts("way", WAYS)
def test_a_deeper_section_keeps_nobody_out(open_deeper, way):
    page = open_deeper(way, page_use.visit_and_use)
    page.evaluate(page_use.DRAW)
    assert find_barriers(page) == []
    assert page_visit.measure_sideways(page) == 0


@facts("way", WAYS)
def test_a_thin_line_stands_in_the_margin_and_the_text_where_it_was(open_deeper, way):
    page = open_deeper(way)
    section, core = page.locator("#deepened"), page.locator(".bd-article h1")
    style = section.evaluate("part => getComputedStyle(part).borderLeft")
    assert style.startswith("1px solid")
    line, heading = section.bounding_box(), section.locator("h2").bounding_box()
    assert 0 < line["x"] < heading["x"] - 8
    assert heading["x"] == core.bounding_box()["x"]


def test_the_link_leads_past_the_section_by_keyboard(open_deeper):
    page = open_deeper("light")
    page.locator("#deepened .deeper-skip a").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**#summary")
    page.keyboard.press("Tab")
    assert page.evaluate(
        """document.getElementById("summary").compareDocumentPosition(
        document.activeElement) & Node.DOCUMENT_POSITION_FOLLOWING"""
    )


def test_paper_has_the_line_within_its_margins_and_no_link(open_deeper):
    page = open_deeper("dark")
    page.emulate_media(media="print")
    section = page.locator("#deepened")
    assert not section.locator(".deeper-skip").is_visible()
    left = section.bounding_box()["x"]
    assert left == page.locator(".bd-article h1").bounding_box()["x"]
    style = section.evaluate("part => getComputedStyle(part).borderLeft")
    assert style.startswith("1px solid")
