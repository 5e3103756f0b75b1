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


def list_parts(latex, *, display=False):
    return [part.get("alttext") for part in read(latex, display=display)]


@facts(
    "latex, parts",
    [
        ("a = b", ["a = b"]),  # short
        (f"{LONG} = {OTHER}", [f"{LONG} =", OTHER]),
        (f"x_{{i=1}} = {LONG} = z", ["x_{i=1} =", f"{LONG} =", "z"]),
        (f"{LONG} < -b", [f"{LONG} <", "-b"]),  # a sign stays with its number
        (f"{LONG} + b > c", [f"{LONG} +", "b >", "c"]),
        (f"{LONG} + {OTHER} > c", [f"{LONG} +", f"{OTHER} >", "c"]),
        (f"({LONG} + {OTHER})", [f"({LONG} + {OTHER})"]),
        (rf"\{{ {LONG} = b \}}", [rf"\{{ {LONG} = b \}}"]),
    ],
)
def test_a_long_formula_in_a_line_goes_on_behind_its_signs(latex, parts):
    assert list_parts(latex) == parts
    assert write(latex, display=False).count("<wbr/>") == len(parts) - 1


@facts(
    "latex, parts",
    [
        (r"a, \qquad b", [r"a, \qquad", "b"]),
        (f"{LONG}{LONG} = b", [f"{LONG}{LONG} =", "b"]),
        ("a = b", ["a = b"]),
        (f"({LONG} = b)^2 = {LONG}", [f"({LONG} = b)^2 =", LONG]),
        (rf"{LONG} \cdot {LONG}{LONG} = c", [rf"{LONG} \cdot", f"{LONG}{LONG} =", "c"]),
    ],
)
def test_a_long_formula_on_its_own_goes_on_below(latex, parts):
    assert list_parts(latex, display=True) == parts


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
