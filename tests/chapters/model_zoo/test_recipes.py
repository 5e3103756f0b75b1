"""Five recipes that start alike, and their trainings."""

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.laboratory.language_model import LENGTH, language_model
from chapters.model_zoo import recipes
from chapters.model_zoo.recipes import RECIPES, STUDY, measured

ADDING = ["2017", "GPT-2 style", "Llama with sinusoids"]


def fresh(recipe):
    return language_model(seed=5, scale_embeddings=True, **RECIPES[recipe])


def size(x):
    return x.square().mean().sqrt().item()


def test_what_is_trained_starts_with_embeddings_of_size_one(monkeypatch):
    monkeypatch.setattr(recipes, "train_and_measure", lambda **given: given)
    given = measured("2017", 1e-2, 3, 7)
    assert given["scale_embeddings"] is True
    assert given["norm_placement"] == "post"
    letters = torch.arange(1, 22)[None]
    for recipe in RECIPES:
        tokens = fresh(recipe).embedding.tokens
        assert size(tokens(letters)) == pytest.approx(1, abs=0.1)


@facts("recipe", ADDING)
def test_positions_that_are_added_start_at_the_size_of_the_sinusoids(recipe):
    positions = fresh(recipe).embedding.positions
    added = positions(torch.zeros(1, LENGTH, 64))
    assert size(added) == pytest.approx(0.5**0.5, abs=0.02)


def test_the_recipes_have_about_equal_sizes():
    sizes = [row["parameters"] for row in STUDY.rows]
    assert max(sizes) < 1.06 * min(sizes)


def test_the_crosses_exchange_the_position_and_nothing_else():
    for one, other in (
        ("2017", "2017 with RoPE"),
        ("Llama style", "Llama with sinusoids"),
    ):
        pairs = RECIPES[one].items() ^ RECIPES[other].items()
        assert {name for name, _ in pairs} == {"position"}
