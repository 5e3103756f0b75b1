"""What a line must not part: formulas from their full stops, numbers from percents."""

from docutils import nodes

from bookkit.publishing.site.math import keep_percent, keep_punctuation


def paragraph(*parts):
    children = [nodes.Text(part) if isinstance(part, str) else part for part in parts]
    return nodes.paragraph("", "", *children)


def formula():
    return nodes.math("", "x^2")


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
