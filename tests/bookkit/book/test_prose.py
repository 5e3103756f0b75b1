"""Anchors name boxes, equations and headings of a notebook."""

from bookkit.book.prose import (
    anchors,
    change_heading_anchors,
    targets,
    without_anchors,
)

EQUATION = '<a id="eq-a" name="eq-a"></a>\n\n$$\nx = 1\n\\tag{3.1}\n$$'
HEADING = '<a id="why" name="why"></a>\n\n## Why $x$?\n'


def test_an_anchor_above_a_heading_is_found():
    found = change_heading_anchors(HEADING, lambda *words: f"{words}\n")
    assert found == "('why', 'Why $x$?')\n## Why $x$?\n"
    assert change_heading_anchors(EQUATION, lambda *words: "") == EQUATION


def test_anchors_can_be_listed_and_left_out():
    text = f"{HEADING}\nText.\n\n{EQUATION}\n"
    assert anchors(text) == ["why", "eq-a"]
    assert without_anchors(text) == "## Why $x$?\n\nText.\n\n$$\nx = 1\n$$\n"


def test_a_page_of_myst_names_what_stands_below_its_targets():
    text = "(one)=\n(two-three)=\nWords (four)= here.\n\n```\n(five)=\n```\n"
    assert targets(text) == ["one", "two-three"]
