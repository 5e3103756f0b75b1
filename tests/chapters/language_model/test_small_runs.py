"""Short trainings: what they cost, that they repeat, and that none is missing."""

from dataclasses import asdict, replace

import pytest

from chapters.laboratory.measurements import Measurements
from chapters.language_model import small_runs, trials, vocabularies
from chapters.language_model.recipe import Recipe
from chapters.language_model.small_runs import (
    flops_of_step,
    measure_all,
    measured,
    steps_for,
)

TINY = Recipe(d_model=12, d_ff=10, num_heads=2, num_layers=1, batch_size=2, width=16)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Do not score the validation books."""
    monkeypatch.setattr(small_runs, "validation_bits", lambda *given: 2.5)


def test_a_step_costs_six_operations_for_each_weight_and_token():
    layer = 4 * 12 * 12 + 3 * 12 * 10
    head = 2048 * 12
    scores = 2 * 12 * 16  # for each token, of queries with keys and weights with values
    assert flops_of_step(TINY) == 6 * 32 * (layer + head + scores)


@pytest.mark.parametrize("share", [0.9, 1.0, 7.0])
def test_a_budget_buys_whole_steps(share):
    steps = steps_for(TINY, flops=share * flops_of_step(TINY))
    assert steps == round(share)


def test_a_training_repeats_but_for_its_seconds():
    recipe = replace(TINY, steps=3)
    first, second = measured(recipe), measured(recipe)
    assert first.pop("cpu_seconds") > 0
    del second["cpu_seconds"]
    assert first == second
    assert asdict(recipe).items() <= first.items()
    assert first["tokens"] == 3 * 2 * 16


def test_what_is_done_is_not_done_again(tmp_path, monkeypatch):
    monkeypatch.setattr(small_runs, "FOLDER", tmp_path / "kept")
    monkeypatch.setattr(Measurements, "path", tmp_path / "rows.json")
    recipes = [replace(TINY, steps=steps) for steps in (1, 2)]
    ours = Measurements("language_model", "rows")
    measure_all(ours, recipes[1:])
    done = ours.read()
    monkeypatch.setattr(
        small_runs, "measured", lambda recipe: {**asdict(recipe), "new": True}
    )
    measure_all(ours, recipes)
    assert ours.read() == [{**asdict(recipes[0]), "new": True}, *done]


STUDIES = [
    (trials.MEASUREMENTS, trials.RECIPES),
    (vocabularies.MEASUREMENTS, vocabularies.recipes()),
]


@pytest.mark.parametrize(("measurements", "recipes"), STUDIES)
def test_a_study_has_a_row_for_each_recipe(measurements, recipes):
    rows = measurements.read()
    assert len(rows) == len(recipes)
    for row, recipe in zip(rows, recipes, strict=True):
        assert asdict(recipe).items() <= row.items()
        assert 1.3 < row["validation_bits"] < 2.6
