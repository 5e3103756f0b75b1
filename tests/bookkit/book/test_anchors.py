"""Anchors name boxes, equations and headings of a notebook."""

from bookkit.book.anchors import (
    anchors,
    change_equations,
    change_heading_anchors,
    equation_labels,
    targets,
    without_anchors,
)
from bookkit.checking.facts import facts

EQUATION = '<a id="eq-a" name="eq-a"></a>\n\n$$\nx = 1\n\\tag{3.1}\n$$'
HEADING = '<a id="why" name="why"></a>\n\n## Why $x$?\n'


@facts(
    "source, latex",
    [
        (EQUATION, "\nx = 1\n"),
        ('<a id="eq-a"></a>\n$$ x = 1 $$', " x = 1 "),
        ('<a id="eq-a"></a>\n\n$$\nx\n$$\n\n$$\ny\n$$', "\nx\n"),
    ],
)
def test_an_anchor_labels_the_equation_below(source, latex):
    seen = []
    change_equations(source, lambda *found: seen.append(found) or "")
    assert seen == [("eq-a", latex)]
    assert equation_labels(source) == ["eq-a"]


@facts(
    "source",
    [
        '<a id="eq-a"></a>\n\nText.\n\n$$\nx\n$$',
        f"```text\n{EQUATION}\n```",
        "$$ x $$ (eq-a)",
        '<a id="eq-a" name="other"></a>\n$$ x $$',
    ],
)
def test_other_equations_have_no_label(source):
    assert equation_labels(source) == []


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
