"""The trainings of models that lack a part, and the file of their results."""

from math import log

import torch

from bookkit.checking.facts import facts
from chapters.encoder_decoder import missing_parts
from chapters.encoder_decoder.missing_parts import (
    STUDY,
    VARIANTS,
    WINDOW,
    measured,
    position_guess,
    written,
)
from chapters.laboratory import reversal
from chapters.laboratory.reversal import halves, held_out_loss
from transformer.data import BOS_ID, IGNORED, PAD_ID, Batch


def model_without(part, rows=5):
    _, held_out, vocab_size = reversal.rows()
    torch.manual_seed(0)
    config = reversal.sizes(vocab_size)
    return reversal.Reverser(config, part).eval(), Batch.of(held_out[:rows])


def test_without_cross_attention_the_source_makes_no_difference():
    model, batch = model_without("cross-attention")
    (source, target), _ = reversal.shifted(batch)
    assert torch.equal(model(source, target), model(source.flip(0), target))


def test_with_all_parts_the_source_makes_a_difference():
    model, batch = model_without("none")
    (source, target), _ = reversal.shifted(batch)
    assert not torch.allclose(model(source, target), model(source.flip(0), target))


def test_without_sums_the_layers_of_both_stacks_hand_on_changes_alone():
    model, _ = model_without("residual")
    layer = model.model.decoder.layers[0]
    x = torch.ones(1, 2, 64)
    assert torch.equal(layer.feed_forward_residual(x, torch.zeros_like), 0 * x)
    assert torch.equal(layer.cross_attention_residual(x, torch.zeros_like), 0 * x)
    encoder = model.model.encoder.layers[0]
    assert torch.equal(encoder.self_attention_residual(x, torch.zeros_like), 0 * x)


def test_an_unshifted_target_is_its_own_label():
    _, batch = model_without("none")
    (_, target), labels = reversal.unshifted(batch)
    real = target != PAD_ID
    assert torch.equal(labels[real], target[real])
    assert (labels[~real] == IGNORED).all()
    assert (target[:, 0] == BOS_ID).all()


def test_every_part_is_missed_once_and_the_residuals_also_in_deeper_stacks():
    shallow = [missing for missing, layers in VARIANTS.values() if layers == 1]
    assert sorted(shallow) == sorted(reversal.MISSING)
    assert [m for m, layers in VARIANTS.values() if layers == 2] == ["none", "residual"]


@facts("variant", VARIANTS)
def test_a_training_says_what_it_lost_and_what_it_writes(variant):
    row = measured(variant, 3e-3, 2 * WINDOW, 3)
    assert len(row["curve"]) == 2
    assert all(0 <= row[str(extra)] <= 1 for extra in reversal.EXTRA)
    assert row["validation"] != row["loss"] > 0


def test_a_point_of_the_curve_is_the_mean_of_its_window(monkeypatch):
    model, batch = model_without("none", rows=8)
    losses = [float(step) for step in range(2 * WINDOW + 3)]
    monkeypatch.setattr(missing_parts, "train", lambda **_: (model, losses, batch))
    row = measured("whole", 3e-3, 2 * WINDOW + 3, 3)
    assert row["curve"] == [(WINDOW - 1) / 2, WINDOW + (WINDOW - 1) / 2]


def test_a_training_that_diverged_is_not_measured_further(monkeypatch):
    monkeypatch.setattr(missing_parts, "held_out_loss", lambda *_: float("nan"))
    assert list(measured("whole", 3e-3, 1, 3)) == ["validation"]


def test_no_row_both_chooses_and_tests():
    _, batch = model_without("none", rows=6)
    chooses, tests = halves(batch)
    assert torch.equal(chooses.source, batch.source[[0, 2, 4]])
    assert torch.equal(tests.source, batch.source[[1, 3, 5]])
    assert torch.equal(tests.target, batch.target[[1, 3, 5]])


def test_the_loss_of_a_fresh_model_is_about_that_of_guessing():
    model, batch = model_without("none", rows=64)
    assert 1.0 < held_out_loss(model, batch) < 5.0


def test_a_guess_costs_less_than_a_letter_and_more_than_a_coin():
    assert log(2) < position_guess() < log(6)


def test_a_model_writes_as_many_tokens_as_it_is_asked_for():
    model, batch = model_without("none")
    assert len(written(model, batch, row=2, length=4)) == 4


def test_a_curve_has_a_point_for_each_window_of_steps():
    assert all(len(row["curve"]) == row["steps"] // WINDOW for row in STUDY.rows)
