"""Formulas of an EPUB are MathML, in parts that a small page has room for."""

import re

import pytest
from lxml import etree

from bookkit.checking.facts import facts
from bookkit.publishing.site.math import FormulaError
from bookkit.publishing.site.mathml import write

LONG, OTHER, LONGER = "a" * 14, "b" * 14, "a" * 24


def read(latex, *, display=False):
    """Write a formula; the value is its parts."""
    return etree.fromstring(f"<p>{write(latex, display=display)}</p>").findall(
        "{*}math"
    )


def test_parts_of_one_formula_have_one_size_and_its_style():
    first, second = read(rf"x, \qquad {'b' * 40}", display=True)
    assert first.get("style") == second.get("style")
    assert float(re.fullmatch(r"--width: ([\d.]+)", first.get("style"))[1]) > 20
    assert first.get("displaystyle") == second.get("displaystyle") == "true"
    [whole] = read("x", display=True)
    assert (whole.get("display"), whole.get("style")) == ("block", None)


@facts(
    "latex",
    [
        rf"\frac{{{LONGER}}}{{2}}",  # one above the other
        rf"\begin{{aligned}} {LONGER} \\ {LONG} \end{{aligned}}",
    ],
)
def test_what_stands_below_needs_no_room_beside(latex):
    [formula], [alone] = read(latex, display=True), read(LONGER, display=True)
    found, expected = (
        float(part.get("style").removeprefix("--width: ")) for part in (formula, alone)
    )
    assert found == pytest.approx(expected, abs=1)


@facts(
    "latex, tags",
    [
        (r"b \ln b", ["mi", "mspace", "mi", "mspace", "mi"]),
        (r"b \exp (b", ["mi", "mspace", "mi", "mo", "mi"]),
        (r"a \max_l v", ["mi", "mspace", "msub", "mspace", "mi"]),
    ],
)
def test_a_function_is_set_apart_from_the_letters_beside_it(latex, tags):
    [formula] = read(latex)
    row = formula.find(".//{*}mrow")
    assert [etree.QName(part).localname for part in row] == tags
    assert "\N{FUNCTION APPLICATION}" not in "".join(formula.itertext())


def test_what_katex_writes_otherwise_is_mended():
    [formula] = read(r"\bar k \bmod 2, e_{\max}, (-1)")
    assert all(len(part) == 2 for part in formula.iter("{*}msub"))
    assert not any(len(part) for part in formula.iter("{*}mo"))
    assert "\N{MACRON}" in "".join(formula.itertext())
    minus = [part for part in formula.iter("{*}mo") if part.text == "\N{MINUS SIGN}"]
    assert [part.get("form") for part in minus] == ["prefix"]


def test_a_broken_formula_is_refused():
    with pytest.raises(FormulaError, match="frac"):
        write(r"\frac{a}", display=False)
