"""Deeper sections are marked, and a link leads past each of them."""

import pytest
from bs4 import BeautifulSoup
from lxml import html

from bookkit.publishing.edition.pages import clean

PAGE = """# Page

## One

Text.

## Deeper: why $x$ *holds*

Text.

### A part of it

Text.

### Deeper: a proof of it

Text.

## Deeper: *more* of it

Text.

## Two of $y$

Text.

### Deeper: a detail

Text.

## Three

Text.

## Deeper: the end

Text.
"""


@pytest.fixture
def body(build):
    text, warnings = build(PAGE)
    assert warnings == ""
    return BeautifulSoup(text, "html.parser").find(class_="body")


def test_deeper_sections_and_no_others_have_the_class(body):
    ids = [section["id"] for section in body.find_all("section", class_="deeper")]
    assert ids == [
        "deeper-why-x-holds",
        "deeper-more-of-it",
        "deeper-a-detail",
        "deeper-the-end",
    ]


def test_the_first_word_of_the_heading_is_set_apart_and_read_as_before(body):
    heading = body.find(id="deeper-more-of-it").h2
    assert heading.find(class_="deeper-word").get_text() == "Deeper:"
    assert heading.get_text().startswith("Deeper: more of it")
    assert len(body.find_all(class_="deeper-word")) == 5


def test_a_link_below_the_heading_leads_to_the_next_core_section(body):
    found = {}
    for link in body.select("section.deeper > :is(h2, h3) + p.deeper-skip > a"):
        words = " ".join(link.find(string=True).split()), link.em.contents[0].strip()
        found[link.find_parent("section")["id"]] = (link["href"], *words)
    assert found == {
        "deeper-why-x-holds": ("#two-of-y", "Skip to", "Two of"),
        "deeper-more-of-it": ("#two-of-y", "Skip to", "Two of"),
        "deeper-a-detail": ("#three", "Skip to", "Three"),
    }
    assert all(body.find(id=target.lstrip("#")) for target, *_ in found.values())


def test_a_section_that_is_the_last_leads_nowhere(body):
    assert body.find(id="deeper-the-end").find(class_="deeper-skip") is None


def test_a_formula_in_the_title_is_set_in_the_link_too(body):
    link = body.find(id="deeper-more-of-it").find(class_="deeper-skip").a
    assert link.find(class_="katex") is not None


def test_editions_keep_the_class_and_have_no_link(body):
    article = clean(html.fragment_fromstring(str(body)))
    assert len(article.find_class("deeper")) == 4
    assert article.find_class("deeper-skip") == []


def test_a_page_without_deeper_sections_stays_as_it_is(build):
    text, warnings = build(PAGE.replace("Deeper:", "Further:"))
    assert warnings == ""
    assert "deeper" not in text
