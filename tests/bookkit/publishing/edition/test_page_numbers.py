"""Links in running text say on which page of the book they lead."""

import pytest
from lxml import html

from bookkit.book.errors import BookError
from bookkit.publishing.edition.press import (
    check_pages,
    number_links,
    write_numbers,
)

PAGE = '<body><section class="bd-article" id="a.b">{}</section></body>'
PAGES = {"a.c": 141, "a.bc": 7, "a.b.s": 23}


@pytest.fixture
def places():
    """Number the links of a page, and list the places of the numbers."""

    def number(inside):
        body = html.document_fromstring(PAGE.format(inside)).body
        number_links(body)
        write_numbers(body, PAGES)
        return body.find_class("edition-page")

    return number


def numbers(places):
    return [place.get("data-page") for place in places]


def test_a_number_takes_as_much_room_as_three_digits(places):
    links = "".join(f'<a href="#{target}">why</a>' for target in PAGES)
    found = places(f"<p>{links}</p>")
    widths = [len(p.get("data-page")) + len(p.get("data-room")) for p in found]
    assert (numbers(found), widths) == (["141", "7", "23"], [3, 3, 3])


def test_a_target_has_one_number_in_a_paragraph(places):
    twice = '<p><a href="#a.c">one</a> and <a href="#a.c">two</a></p>'
    assert numbers(places(twice * 2)) == ["141"] * 2


def test_a_target_that_moves_with_the_numbers_is_named():
    check_pages(PAGES, PAGES)
    moved = PAGES | {"a.c": 142}
    with pytest.raises(
        BookError, match=r"1 targets moved .* a\.c from page 141 to 142"
    ):
        check_pages(PAGES, moved)
