"""Two results of the same trainings are compared seed by seed."""

import pytest

from chapters.laboratory.one_model import compare_fields, means
from chapters.laboratory.study import Results, Verdict


def trainings(first, second):
    """Return a study whose two seeds were measured in two ways, at one budget.

    A seed before them has chosen the rate, and is not counted.
    """
    same = {"variant": "one", "steps": 100, "learning_rate": 1e-3, "validation": 1.0}
    study = Results("nowhere")
    study.__dict__["rows"] = [
        same | {"seed": seed, "greedy": g, "drawn": d}
        for seed, (g, d) in enumerate(zip((9, *first), (9, *second), strict=True))
    ]
    return study


def test_the_gain_is_the_mean_of_the_differences():
    study = trainings((0.9, 0.7), (0.3, 0.2))
    found = compare_fields(study, "one", "greedy", "drawn", more_is_better=True)
    assert found.gains[100].mean == pytest.approx(0.55)
    assert found.gains[100].low < 0.55 < found.gains[100].high


def test_of_losses_the_lower_one_is_ahead():
    study = trainings((0.9, 0.91), (0.3, 0.31))
    assert compare_fields(study, "one", "drawn", "greedy").verdict == Verdict.AHEAD
    assert compare_fields(study, "one", "greedy", "drawn").verdict == Verdict.BEHIND


def test_means_come_by_budget():
    study = trainings((0.9, 0.7), (0.3, 0.2))
    longer = [row | {"steps": 400, "greedy": 1.0} for row in study.rows]
    study.__dict__["rows"] = longer + study.rows
    assert means(study, "one", "greedy") == pytest.approx([0.8, 1.0])
