"""The formulas are read from notebooks, and changed as a slip of the hand would."""

import pytest

from bookkit.checking.facts import facts
from bookkit.checking.formulas.record import RECORD, read_record, tampered

FORMULA = """\
<a id="eq-sum" name="eq-sum"></a>

$$
a = b + 1
\\tag{1.1}
$$
"""
UNNUMBERED = """\
## Sums

Not `$$this$$` but $$c = d$$ and

$$
c = e
$$
"""
SAID = """\
[not_bound]
eq-other = "It only names."

[[same]]
because = "it is so"
[same.changes]
eq-sum = ["1 + 1"]
"""


@pytest.fixture
def record(book, write_chapter):
    """What is known of a book with two formulas."""
    write_chapter(FORMULA, FORMULA.replace("eq-sum", "eq-other"), UNNUMBERED)
    (book / RECORD).parent.mkdir(parents=True, exist_ok=True)
    (book / RECORD).write_text(SAID, encoding="utf-8")
    return read_record(book)


def test_formulas_of_pages_are_read_without_their_tags(record):
    assert [*record.numbered] == ["eq-sum", "eq-other"]
    assert record.latex["eq-sum"] == "a = b + 1"


def test_a_formula_is_bound_or_not(record):
    assert record.bound_of(record.numbered) == ["eq-sum"]
    assert {*record.latex} - {*record.bound} == {"eq-other"}


def test_a_formula_without_a_label_is_named_by_what_stands_above(record):
    assert [*record.unnumbered] == ["chapter: Sums", "chapter: Sums (2)"]
    assert record.latex["chapter: Sums (2)"] == "c = e"


def test_a_formula_is_told_with_its_notebook_and_its_cell(record):
    page = "book/part/chapter.ipynb"
    assert record.place("eq-other") == f"{page}, cell text-1 (eq-other)"
    assert record.place("chapter: Sums") == f"{page}, cell text-2 (chapter: Sums)"


def test_a_change_is_wrong_if_it_is_not_known_to_be_true(record):
    assert [change.what for change in record.true("eq-sum")] == ["1 + 1"]
    assert "+ → -" in {change.what for change in record.wrong("eq-sum")}
    assert "1 + 1" not in {change.what for change in record.wrong("eq-sum")}


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
