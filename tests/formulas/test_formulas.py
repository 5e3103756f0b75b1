"""Each displayed formula says what the package computes, and no changed one does.

The LaTeX is read from the notebooks. What its names mean stands in the files beside
this one, a function for each label.
"""

from importlib import import_module
from pathlib import Path

from formula_bindings import BINDINGS, bindings

from bookkit.book.files import find_root
from bookkit.checking.facts import facts
from bookkit.checking.formulas import refutation
from bookkit.checking.formulas.record import RECORD as LIST
from bookkit.checking.formulas.record import read_record

for part in sorted(Path(__file__).parent.glob("formula_*.py")):
    import_module(part.stem)

RECORD = read_record(find_root(Path(__file__)))
LABELS = RECORD.latex
BOUND = [label for label in RECORD.bound if label in BINDINGS]


def refuted(latex, label):
    """Return why some binding refuses a formula, or nothing."""
    return next(filter(None, (refutation(latex, one) for one in bindings(label))), "")


def test_each_formula_is_bound_or_listed_with_its_reason():
    told = [
        f"{RECORD.place(label)} must be computed: bind it in tests/formulas, or say in "
        f"{LIST} why it cannot be."
        for label in RECORD.bound
        if label not in BINDINGS
    ]
    told += [
        f"{label!r} is bound in tests/formulas, or listed in {LIST}, and must be a "
        "formula of a page; remove it there."
        for label in {*BINDINGS} - {*RECORD.bound} | {*RECORD.not_bound} - {*LABELS}
    ]
    assert not told, "\n".join(told)
    assert all(RECORD.not_bound.values())


@facts("where", ["numbered", "unnumbered"])
def test_four_of_five_formulas_are_bound(where):
    formulas = getattr(RECORD, where)
    assert 5 * len(RECORD.bound_of(formulas)) >= 4 * len(formulas) > 0


@facts("label", BOUND)
def test_formula_says_what_the_package_computes(label):
    said = refuted(LABELS[label], label)
    assert not said, f"{RECORD.place(label)}: {said}"


@facts("label", BOUND)
def test_changed_formula_is_refused(label):
    known = bindings(label)
    wrong = RECORD.wrong(label)
    assert len(wrong) >= 3
    unnoticed = [
        change.what
        for change in wrong
        if not any(refutation(change.latex, one) for one in known)
    ]
    assert not unnoticed, (
        f"{RECORD.place(label)}: must not hold with {' nor with '.join(unnoticed)}, "
        f"and does; bind it to other values, or list in {LIST} what stays true."
    )


@facts("label", RECORD.same)
def test_change_that_is_listed_as_true_is_made_and_true(label):
    true = RECORD.true(label)
    assert {change.what for change in true} == RECORD.same[label]
    false = [change.what for change in true if refuted(change.latex, label)]
    assert not false, f"{RECORD.place(label)}: {LIST} calls true what is not: {false}"
