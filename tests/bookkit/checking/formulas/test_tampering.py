"""A formula is changed as a slip of the hand would change it."""

from bookkit.checking.facts import facts
from bookkit.checking.formulas.tampering import tampered


def changes(latex):
    """Return the changed versions of a formula by what was changed, without spaces."""
    return {one.what: one.latex.replace(" ", "") for one in tampered(latex)}


@facts(
    "latex, what, changed",
    [
        (r"e^{-x}", "- → +", r"e^{+x}"),
        (r"a + b", "+ → -", r"a-b"),
        (r"a + b", r"+ → \cdot", r"a\cdotb"),
        (r"\sin(t)", r"\sin → \cos", r"\cos(t)"),
        (r"\max(0, x)", r"\max → \min", r"\min(0,x)"),
        (r"\mathbf{a} \odot b", r"\odot → +", r"\mathbf{a}+b"),
        (r"a \le b", r"\le → \ge", r"a\geb"),
        (r"4 n", "4 → 5", r"5n"),
        (r"0.044715 x", "0.044715 → 1.044715", r"1.044715x"),
        (r"x_j", "x_j moved", r"x_{j+1}"),
        (r"a_{ts}", "a_{ts} moved", r"a_{t+1,s}"),
        (r"x_{t-1}", "x_{t-1} moved", r"x_{t+1-1}"),
        (r"a_{ts} e_{tl}", "index l → s", r"a_{ts}e_{ts}"),
        (r"a \mathbf{x}_t", r"without \mathbf{x}_t", r"a"),
        (r"a^2", "without ^2", r"a"),
        (r"\sqrt{d}", "without a root", r"{d}"),
        (r"\mathbf{K}^\top", r"without ^\top", r"\mathbf{K}"),
        (r"q \cdot \alpha", r"q ↔ \alpha", r"\alpha\cdotq"),
        (r"\frac1{2a}", "a fraction turned over", r"\frac{2a}1"),
    ],
)
def test_a_change_is_made(latex, what, changed):
    assert changes(latex)[what] == changed


def test_equal_changes_are_told_by_a_number():
    assert {"1 → 2", "1 → 2 (2)"} <= {*changes("1 + 1")}


def test_a_word_below_a_name_is_no_index():
    assert "d_{\\mathrm{ff}} moved" not in changes(r"d_{\mathrm{ff}}")


@facts(
    "what, changed",
    [
        ("a side negated", "-a=b"),
        ("a side doubled", "2a=b"),
        ("a side negated (2)", "a=-b"),
        ("a side doubled (2)", "a=2b"),
    ],
)
def test_the_sides_of_a_short_formula_are_changed(what, changed):
    assert changes("a = b")[what] == changed


def test_a_formula_with_other_changes_keeps_its_sides():
    assert not any("side" in what for what in changes("a = b + c + d + 4"))


def test_no_version_is_the_formula_itself():
    assert "a_{tt}" not in changes("a_{tt}").values()


def test_factors_that_stand_alone_are_not_left_out():
    assert "without b" not in changes("a + b")
