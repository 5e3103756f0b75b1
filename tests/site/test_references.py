"""The numbers that links name are those that the site prints."""

import re
from urllib.parse import unquote, urlsplit

import page_files
import pytest

KINDS = "Figure|Theorem|Lemma|Corollary|Proposition|Property|Definition|Exercise"
NUMBER = re.compile(rf"(?:{KINDS}) \d+(?:\.\d+)*|\(\d+(?:\.\d+)*\)")


def read_number(target):
    """Read the number that a page prints at a figure, a box or an equation."""
    shown = target.find_class("caption-number") or target.find_class("eqno")
    return next(shown[0].itertext()).strip() if shown else None


def find_wrong_numbers(site, path):
    """List the links of a page that name another number than their target shows."""
    wrong = []
    for link in page_files.parse(site / path).find_class("internal"):
        words, parts = link.text_content().strip(), urlsplit(link.get("href", ""))
        if not NUMBER.fullmatch(words) or not parts.fragment:
            continue
        page = (site / path).parent / unquote(parts.path) if parts.path else site / path
        target = page_files.parse(page).get_element_by_id(unquote(parts.fragment), None)
        shown = "nothing" if target is None else read_number(target)
        if shown != words:
            wrong.append((words, link.get("href"), shown))
    return wrong


@pytest.fixture(scope="module")
def pages(site):
    found = page_files.list_pages(site)
    assert found
    return found


def test_links_name_the_numbers_of_their_targets(site, pages, record_property):
    record_property("facts", len(pages))
    wrong = {path: find_wrong_numbers(site, path) for path in pages}
    assert {path: links for path, links in wrong.items() if links} == {}


def test_no_number_is_printed_twice(site, pages, record_property):
    marks = re.compile(rf"^(?:{KINDS}) \d+(?:\.\d+)*\.$")
    record_property("facts", len(pages))
    words = [
        (path, mark.text_content())
        for path in pages
        for mark in page_files.parse(site / path).iter("strong")
    ]
    assert [place for place in words if marks.match(place[1])] == []


def test_a_wrong_number_is_found(tmp_path):
    (tmp_path / "a.html").write_text(
        '<a class="internal" href="#thm-a">Theorem 1.2</a>'
        '<div id="thm-a"><span class="caption-number">Theorem 1.1 </span></div>'
    )
    assert find_wrong_numbers(tmp_path, "a.html") == [
        ("Theorem 1.2", "#thm-a", "Theorem 1.1")
    ]
