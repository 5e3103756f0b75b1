"""Models that lack a mask, and the file of their trainings."""

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.laboratory import reversal
from chapters.laboratory.reversal import halves, held_out_loss
from chapters.multi_head_attention.missing_masks import STUDY, measured
from transformer.data import IGNORED, PAD_ID, Batch


def model_without(missing):
    _, held_out, vocab_size = reversal.rows()
    torch.manual_seed(0)
    config = reversal.sizes(vocab_size)
    return reversal.Reverser(config, missing).eval(), Batch.of(held_out[:6])


@facts("missing", ["none", "causal", "padding"])
@torch.no_grad()
def test_only_a_model_with_all_masks_ignores_padding_and_the_future(missing):
    model, batch = model_without(missing)
    (source, target), _ = reversal.shifted(batch)
    padded = torch.nn.functional.pad(source, (0, 3), value=PAD_ID)
    later = target.clone()
    later[:, 3:] = 3
    logits, with_padding = model(source, target), model(padded, target)
    ahead = model(source, later)
    assert torch.allclose(logits, with_padding, atol=1e-5) == (missing != "padding")
    same = torch.allclose(logits[:, :3], ahead[:, :3], atol=1e-6)
    assert same == (missing != "causal")


def test_a_reversal_trains_at_the_learning_rate_that_is_given():
    start, slow, fast = (
        reversal.train(missing="none", seed=0, steps=3, learning_rate=rate)[1]
        for rate in (0.0, 1e-3, 3e-3)
    )
    assert start[0] == slow[0] == fast[0]
    assert start[2] > slow[2] > fast[2]


def test_the_halves_have_each_row_once():
    _, batch = model_without("none")
    chooses, tests = halves(batch)
    assert torch.equal(chooses.source, batch.source[[0, 2, 4]])
    assert torch.equal(tests.target, batch.target[[1, 3, 5]])


@torch.no_grad()
def test_the_loss_is_the_mean_over_real_tokens():
    model, batch = model_without("none")
    inputs, labels = reversal.shifted(batch)
    chances = model(*inputs).double().log_softmax(dim=-1)
    real = labels != IGNORED
    right = chances[real].gather(1, labels[real][:, None])
    assert held_out_loss(model, batch) == pytest.approx(-right.mean().item())


def test_a_measurement_repeats_and_has_the_fields_of_the_file():
    options = {"learning_rate": 1e-2, "steps": 2, "seed": 3}
    found = measured("no padding mask", **options)
    assert measured("no padding mask", **options) == found
    assert found["0"] == 0.0  # a row counts when each of its tokens is right
    assert {*found, "seconds", "variant", *options} == {*STUDY.rows[0]}
