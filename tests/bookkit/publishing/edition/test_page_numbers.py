"""Links in running text say on which page of the book they lead."""

import pytest
from lxml import html

from bookkit.publishing.edition.page_numbers import number_links, write_numbers

PAGE = '<body><section class="bd-article" id="a.b">{}</section></body>'
PAGES = {"a.c": 41, "a.b.s": 7}


@pytest.fixture
def numbered():
    """Number the links of a page, and write the pages of some places."""

    def number(inside, **more):
        body = html.document_fromstring(PAGE.format(inside)).body
        number_links(body)
        is_new = write_numbers(body, PAGES | more)
        return body, is_new

    return number


def numbers(body):
    return [place.get("data-page") for place in body.find_class("edition-to")]


def test_a_number_stands_behind_its_link(numbered):
    body, is_new = numbered('<p>See <a href="#a.c">why</a>, now.</p>', **{"link-1": 3})
    (link,) = body.xpath("//p[not(@hidden)]/a")
    place = link.getnext()
    assert (link.tail, place.get("data-page"), place.tail) == (None, "41", ", now.")
    assert is_new


def test_a_place_is_known_to_the_browser_by_a_link_to_it(numbered):
    body, _ = numbered('<p><a href="#a.c">why</a></p>')
    assert body.xpath("//p[@hidden]/a/@href") == ["#link-1"]


def test_on_the_page_of_its_target_a_link_has_no_number(numbered):
    body, _ = numbered('<p><a href="#a.b.s">below</a></p>', **{"link-1": 7})
    assert numbers(body) == [""]


def test_a_link_without_a_number_stays_so(numbered):
    """What is not printed has no place in the file."""
    body, _ = numbered('<p><a href="#a.b.s">below</a></p>', **{"link-1": 7})
    assert not write_numbers(body, PAGES)
    assert numbers(body) == [""]


def test_a_target_has_one_number_in_a_paragraph(numbered):
    twice = '<p><a href="#a.c">one</a> and <a href="#a.c">two</a></p>'
    assert numbers(numbered(twice * 2, **{"link-1": 1, "link-2": 2})[0]) == ["41"] * 2


@pytest.mark.parametrize(
    "inside",
    [
        '<table><tr><td><p><a href="#a.c">why</a></p></td></tr></table>',
        '<ul><li><a href="#a.c">why</a></li></ul>',
        '<p class="api-links"><a href="#a.c">why</a></p>',
        '<p><a href="#appendix.bibliography.su2021">Su et al., 2021</a></p>',
        '<p><a href="#a.b.s">Figure 4.5</a> and <a href="#a.b.s">(4.5)</a></p>',
        '<p><a href="https://example.org">why</a></p>',
    ],
)
def test_what_is_found_without_a_number_has_none(numbered, inside):
    assert numbers(numbered(inside)[0]) == []


def test_a_numbered_thing_of_another_chapter_has_its_page(numbered):
    body, _ = numbered('<p><a href="#a.c">Figure 4.5</a></p>', **{"link-1": 3})
    assert numbers(body) == ["41"]
