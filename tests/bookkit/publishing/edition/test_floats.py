"""Which text behind a figure goes before it, where a page would stay empty."""

import pytest
from lxml import html

from bookkit.checking.facts import facts
from bookkit.publishing.edition.floats import find_place

OTHER = '<div class="cell"><figure></figure></div>'
FIGURE = '<div class="cell" id="f"><figure></figure></div>'
ROOM = 90  # points: each block of the tests is 40 pixels high, which is 30 points


@pytest.fixture
def find():
    """Find the words of the block behind which a figure goes."""

    def find(inside, room=ROOM):
        body = html.document_fromstring(f"<body>{inside}</body>").body
        blocks = body.xpath(".//section/*")
        for number, block in enumerate(blocks):
            block.set("data-block", str(number))
        heights = {str(number): 40.0 for number in range(len(blocks))}
        place = find_place(body.get_element_by_id("f"), room, heights)
        return None if place is None else place.text_content()

    return find


@facts(
    "text, words",
    [
        ("<p>A sum</p><div class='math'>a</div><p>ends.</p>", "ends."),
        ("<p>Here:</p><div class='cell'>code</div>", "code"),
        ("<p>End.</p><p>Here:</p>", "End."),
        (f"<p>End.</p>{OTHER}<p>More.</p>", "End."),
        ("<div class='admonition'>A</div><p>End.</p>", None),
        ("", None),
    ],
)
def test_a_figure_parts_no_thought(find, text, words):
    assert find(f"<section>{FIGURE}{text}</section>") == words


def test_a_figure_that_words_announce_stays_with_them(find):
    announced = f'<p class="edition-announces">Here:</p>{FIGURE}<p>End.</p>'
    assert find(f"<section>{announced}</section>") is None


@facts("kind, words", [("", "In B."), ("bd-article", None)])
def test_a_figure_may_leave_sections_but_not_its_page(find, kind, words):
    inner = f'<section class="{kind}"><section>{FIGURE}</section></section>'
    assert find(f"{inner}<section><h3>B</h3><p>In B.</p></section>") == words


def test_a_figure_does_not_go_behind_a_long_listing(find):
    text = "<p>One.</p><div class='cell'>code</div>"
    assert find(f"<section>{FIGURE}{text}</section>", 59) == "One."
    assert find(f"<section>{FIGURE}{text}</section>", 61) == "code"


@facts(
    "section, words",
    [
        ("<section><h3>B</h3><p>In B.</p></section>", "In B."),
        ('<section class="deeper"><h3>B</h3><p>In B.</p></section>', None),
        ('<section id="c.exercises"><h3>B</h3><p>In B.</p></section>', None),
        ("<section><section><p>In B.</p></section></section>", None),
    ],
)
def test_a_figure_may_go_into_the_section_behind_its_own(find, section, words):
    assert find(f"<section>{FIGURE}</section>{section}") == words
