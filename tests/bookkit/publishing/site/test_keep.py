"""What a line must not part: formulas from their full stops, numbers from percents."""

from docutils import nodes

from bookkit.checking.facts import facts
from bookkit.publishing.site.keep import keep_percent, keep_punctuation


def paragraph(*parts):
    children = [nodes.Text(part) if isinstance(part, str) else part for part in parts]
    return nodes.paragraph("", "", *children)


def formula():
    return nodes.math("", "x^2")


@facts("marks", [".", ",", "), ", ".”"])
def test_a_formula_keeps_the_marks_that_follow_it(marks):
    line = paragraph("It is ", formula(), f"{marks}and so on.")
    keep_punctuation(line)
    assert [type(part) for part in line] == [nodes.Text, nodes.inline, nodes.Text]
    assert line[1]["classes"] == ["keep"]
    assert line[1].astext() == f"x^2{marks.strip()}"
    assert line.astext() == f"It is x^2{marks}and so on."


@facts("rest", [[], [" is so."], [formula()]])
def test_a_formula_without_marks_stays_alone(rest):
    line = paragraph(formula(), *rest)
    keep_punctuation(line)
    assert isinstance(line[0], nodes.math)


def test_each_formula_of_a_list_keeps_its_own_comma():
    line = paragraph(formula(), ", ", formula(), ".")
    keep_punctuation(line)
    assert [part.astext() for part in line] == ["x^2,", " ", "x^2.", ""]


def test_a_number_keeps_its_percent_sign():
    line = paragraph("29.7 % of 5 numbers")
    keep_percent(line)
    assert line.astext() == "29.7\N{NO-BREAK SPACE}% of 5 numbers"


def test_code_stays_as_it_is():
    line = paragraph(nodes.literal("", "7 % 2"), nodes.math("", "7 % 2"))
    keep_percent(line)
    assert line.astext() == "7 % 27 % 2"
