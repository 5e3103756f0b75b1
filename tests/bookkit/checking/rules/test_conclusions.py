"""A comparison on too few rates, budgets or seeds is named."""

import json
from itertools import product
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from bookkit.book.files import find_root
from bookkit.book.notebooks import read_notebook
from bookkit.checking.facts import facts
from bookkit.checking.rules import conclusions
from bookkit.checking.rules.conclusions import comparisons_rest_on_studies
from chapters.laboratory import study

CAPTION = "**Figure 1.1.** After training, A is ahead."


def compared(source, *, rests_on=("part.study",), code="STUDY.compare(a, b, 'nats')"):
    cell = new_markdown_cell(source)
    if rests_on:
        cell.metadata["rests_on"] = list(rests_on)
    return new_notebook(cells=[cell, new_code_cell(code)])


def trainings(
    rates=(1e-3, 3e-3, 1e-2), budgets=(200, 800), seeds=(0, 1, 2, 3), slope=0.1
):
    """Return the rows of a small study in which the middle rate was the best."""
    names = ("variant", "steps", "learning_rate", "seed")
    scouts = product("ab", budgets, rates, seeds[:1])
    others = product("ab", budgets, rates[1:2], seeds[1:])
    rows = [dict(zip(names, row, strict=True)) for row in (*scouts, *others)]
    off = {rate: abs(place - 1) for place, rate in enumerate(rates)}
    return [r | {"validation": 1 + slope * off[r["learning_rate"]]} for r in rows]


def diverged(variant, steps, rate):
    """Return the row of a training that came to nothing."""
    row = {"variant": variant, "steps": steps, "learning_rate": rate, "seed": 0}
    return [row | {"validation": None}]


@pytest.fixture
def judged(book):
    """Return what the rule says of a notebook and the rows of the study it names."""

    def judge(notebook, rows=None):
        folder = book / "code/chapters/part"
        folder.mkdir(parents=True, exist_ok=True)
        content = {"rows": trainings() if rows is None else rows}
        (folder / "study.json").write_text(json.dumps(content), encoding="utf-8")
        path = book / "book/part/chapter.ipynb"
        return "\n".join(comparisons_rest_on_studies(notebook, path))

    return judge


@facts("code", ["S.compare(a, b, 'nats')", "S.against(a, 'nats')"])
def test_a_comparison_on_a_whole_study_is_allowed(judged, code):
    assert judged(compared(CAPTION, code=code)) == ""


@facts("least", ["LEAST_RATES", "LEAST_SEEDS", "LEAST_GROWTH", "STEEP"])
def test_the_rule_asks_for_what_a_study_makes(least):
    assert getattr(conclusions, least) == getattr(study, least)


@facts(
    "rows, words",
    [
        (
            trainings(rates=(1e-3, 3e-3)),
            "'a' after 200 steps, has 2 learning rates; it",
        ),
        (
            trainings(budgets=(200,)),
            "has the budgets [200]; the last must be 4 times",
        ),
        (trainings(budgets=(200, 700)), "has the budgets [200, 700]; the last must"),
        (trainings(seeds=(0, 1)), "'a' after 200 steps, has 2 seeds; it must have 4,"),
        (trainings()[:-1], "'b' after 800 steps, has 3 seeds; it must have 4,"),
        (
            trainings(slope=0.2),
            "has its best rate beside one that costs 0.20 more, 0.001 and 0.003; it",
        ),
        (
            [*trainings(), *diverged("a", 200, 8e-3)],
            "costs inf more, 0.003 and 0.008; it",
        ),
        ([], "part.study is no study"),
        ([{"norm": "rms", "seed": 0}], "part.study is no study"),
    ],
)
def test_a_study_of_too_little_fails_by_name(judged, rows, words):
    assert words in judged(compared(CAPTION), rows)


def test_where_the_ladder_is_fine_a_neighbor_may_cost_much(judged):
    fine = trainings(rates=(2e-3, 3e-3, 5e-3), slope=0.5)
    assert judged(compared(CAPTION), fine) == ""


def test_seeds_at_several_rates_do_not_add_up(judged):
    rows = trainings(seeds=(0, 1))
    rows += [row | {"seed": 2, "learning_rate": 1e-3} for row in rows if row["seed"]]
    assert "has 2 seeds" in judged(compared(CAPTION), rows)


def test_a_study_that_no_cell_asks_proves_nothing(judged):
    silent = compared(CAPTION, code="print(STUDY.rows)")
    assert "rests on part.study, and no cell compares" in judged(silent)


@facts(
    "source",
    [
        "A is ahead, the text says.",
        "**Figure 1.1.** A and B, side by side.",
        "**Figure 1.1.** A is ahead ([Ba et al., 2016](https://arxiv.org/abs/1)).",
        "## Summary\n\n- A is better ([Theorem 3.1](#thm-first)).",
        "## Summary\n\n- A.\n\n## Further reading\n\nWhich is best: a book.",
        "**Figure 1.1.** The function `is_better`.",
    ],
)
def test_what_only_looks_like_a_conclusion_needs_no_study(judged, source):
    assert judged(compared(source, rests_on=())) == ""


def test_what_is_computed_needs_no_training(judged):
    source = "**Figure 1.1.** Sorting is faster than counting."
    assert judged(compared(source, rests_on=("computed",), code="1")) == ""


def test_every_study_that_a_page_names_has_trained_enough():
    root = find_root(Path(__file__))
    named = {
        name
        for path in (root / "book").rglob("*.ipynb")
        for cell in read_notebook(path).cells
        for name in cell.metadata.get("rests_on", ())
    }
    assert len(named) > 20
    for name in named - {conclusions.COMPUTED}:
        assert [*conclusions._faults(name, root)] == []
