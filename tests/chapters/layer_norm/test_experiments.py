"""Language models with other norms, and what a batch norm takes from the future."""

import pytest
import torch
from torch import nn

from bookkit.checking.facts import facts
from chapters.laboratory.changed_models import CHANGES
from chapters.laboratory.language import held_out_windows
from chapters.laboratory.language_model import LENGTH, TEST_WINDOWS, language_model
from chapters.layer_norm import experiments
from chapters.layer_norm.experiments import (
    CUTS,
    STUDY,
    cut_windows,
    leak,
    loss_at_cuts,
    measured,
)


class Copier(nn.Module):
    """In training mode it names the letter that most others in the batch follow."""

    def forward(self, tokens):
        if not self.training:
            return torch.zeros(*tokens.shape, 23)
        following = tokens.roll(-1, dims=1)
        return 5 * torch.nn.functional.one_hot(following, 23)


def fresh(part):
    return language_model(seed=3, change=CHANGES[part]).eval()


@facts("strange", [False, True])
def test_windows_are_true_up_to_the_cut_and_labels_always(strange):
    every, seen = held_out_windows(TEST_WINDOWS, LENGTH), 0
    for tokens, labels, cut in cut_windows(32, strange=strange):
        rows = every[seen % TEST_WINDOWS :][:32]
        seen += len(rows)
        assert torch.equal(tokens[:, :cut], rows[:, :cut])
        assert torch.equal(labels, rows[:, cut])
        assert torch.equal(tokens[:, cut:], rows[:, cut:]) != strange
    assert seen == TEST_WINDOWS * len(CUTS)


def test_a_strange_future_comes_from_another_batch():
    every = held_out_windows(TEST_WINDOWS, LENGTH)
    tokens, _, cut = next(cut_windows(32, strange=True))
    assert torch.equal(tokens[:, cut:], every[-32:, cut:])


def test_what_is_copied_from_the_future_counts_as_a_leak():
    found = leak(Copier().eval(), batch=32)
    assert found["evaluated"] == pytest.approx(torch.tensor(23.0).log().item())
    assert found["leak"] > 3


def test_layer_norms_leak_nothing(monkeypatch):
    monkeypatch.setattr(experiments, "CUTS", (8, 40))
    found = leak(fresh("all"), batch=64)
    assert found["leak"] == pytest.approx(0, abs=1e-6)
    assert found["strange_future"] == pytest.approx(found["evaluated"], abs=1e-6)


def test_a_model_is_after_the_measurement_what_it_was(monkeypatch):
    monkeypatch.setattr(experiments, "CUTS", (8, 40))
    model = fresh("batch norms")
    before = {name: x.clone() for name, x in model.state_dict().items()}
    first = leak(model, batch=32)
    assert not any(module.training for module in model.modules())
    assert all(torch.equal(x, before[name]) for name, x in model.state_dict().items())
    assert loss_at_cuts(model, batch=32) == first["evaluated"]


@facts("variant", ["annotated norms", "batch norms, small batches"])
def test_a_measurement_repeats_and_has_the_fields_of_the_file(monkeypatch, variant):
    monkeypatch.setattr(experiments, "CUTS", (8, 40))
    setting = {"variant": variant, "learning_rate": 1e-2, "steps": 8, "seed": 5}
    row = measured(**setting)
    assert row == measured(**setting)
    stored = next(row for row in STUDY.rows if row["variant"] == variant)
    assert {*setting, *row, "seconds"} == {*stored}
