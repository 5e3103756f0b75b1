"""One budget for four widths, and the trainings."""

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.cost_and_scale import budgets
from chapters.cost_and_scale.budgets import (
    OF_BUDGET,
    STUDY,
    WIDTHS,
    measured,
    sized,
    steps_for_budget,
)
from chapters.laboratory.language_model import (
    BATCH,
    DEFAULTS,
    LENGTH,
    language_model,
)
from transformer.config import TransformerConfig
from transformer.costs import training_flops


@facts("width", WIDTHS)
@facts("budget", STUDY.budgets)
def test_every_width_spends_the_same_within_half_a_step(width, budget):
    def spent(width, steps):
        config = TransformerConfig(**(DEFAULTS | sized(width)))
        return steps * training_flops(config, batch=BATCH, target=LENGTH).total

    gap = spent(width, steps_for_budget(width, budget)) - spent(OF_BUDGET, budget)
    assert abs(gap) <= spent(width, 1) / 2


@facts("width", WIDTHS)
def test_tokens_start_with_size_one_in_every_width(width, monkeypatch):
    monkeypatch.setattr(budgets, "train_and_measure", lambda **given: given)
    given = measured(f"width {width}", 1e-2, STUDY.budgets[0], 7)
    assert given.pop("steps") == steps_for_budget(width, STUDY.budgets[0])
    del given["learning_rate"]
    vectors = language_model(**given).embedding.tokens(torch.arange(1, 22)[None])
    assert vectors.shape[-1] == width
    assert vectors.square().mean().sqrt().item() == pytest.approx(1, abs=0.1)
