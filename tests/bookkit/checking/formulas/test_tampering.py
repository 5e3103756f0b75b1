"""A formula is changed as a slip of the hand would change it."""

from bookkit.checking.facts import facts
from bookkit.checking.formulas.record import tampered


@facts(
    "latex, what, changed",
    [
        (r"e^{-x}", "- → +", r"e^{+x}"),
        (r"\sin(t)", r"\sin → \cos", r"\cos(t)"),
        (r"0.044715 x", "0.044715 + 1", r"{0.044715+1}x"),
        (r"1 + 1", "1 + 1 (2)", r"1+{1+1}"),
        (r"x_j", "index j + 1", r"x_{j+1}"),
        (r"a_{ts}", "index t + 1", r"a_{t+1,s}"),
        (r"x_{t-1}", "index t + 1", r"x_{t+1-1}"),
        (r"a = b", "a side negated", r"-a=b"),
        (r"a = b", "a side doubled (2)", r"a=2b"),
    ],
)
def test_a_change_is_made(latex, what, changed):
    made = {one.what: one.latex.replace(" ", "") for one in tampered(latex)}
    assert made[what] == changed


def test_words_below_a_name_and_what_a_sum_runs_over_are_no_index():
    found = [one.what for one in tampered(r"\sum_{j=1} d_{\mathrm{ff}}")]
    assert not any("index" in what for what in found)
