"""Plain deep networks whose norms are shaken, and the study that compares them."""

from itertools import islice

import pytest
import torch
from torch import nn

from chapters.layer_norm.shaken_norms import (
    BATCH,
    CLASSES,
    INPUTS,
    KINDS,
    STUDY,
    WATCHED,
    Shaken,
    examples,
    measured,
    plain_network,
    train_watched,
)


def linear_maps(kind):
    torch.manual_seed(7)
    return [part for part in plain_network(kind) if isinstance(part, nn.Linear)]


def test_shaking_is_for_training_alone():
    x, norm = torch.ones(5, 7), Shaken(nn.Identity())
    assert not torch.equal(norm(x), norm(x))
    assert torch.equal(norm.eval()(x), x)


@pytest.mark.parametrize("kind", KINDS)
def test_every_plain_network_gives_a_score_for_each_class(kind):
    assert plain_network(kind)(torch.zeros(3, INPUTS)).shape == (3, CLASSES)


def test_with_wide_weights_a_signal_keeps_its_size():
    torch.manual_seed(7)
    x = torch.randn(500, INPUTS)
    sizes = {}
    for kind in ("none", "none, small start"):
        network = plain_network(kind)
        depth = network[: 3 * (WATCHED - 1) + 2]
        sizes[kind] = depth(x).square().mean().sqrt().item()
    assert sizes["none"] == pytest.approx(2**0.5, rel=0.3)  # ReLU has yet to halve it
    assert sizes["none, small start"] < 0.2


def test_a_small_start_is_the_default_of_pytorch():
    first, *_ = linear_maps("batch, shaken, small start")
    assert first.weight.abs().max() <= INPUTS**-0.5
    assert linear_maps("none")[0].weight.abs().max() > INPUTS**-0.5


def test_examples_repeat_by_seed_and_never_within_one():
    first, again = ([x for x, _ in islice(examples(3), 2)] for _ in range(2))
    assert torch.equal(torch.cat(first), torch.cat(again))
    assert len(torch.cat(first).unique(dim=0)) == 2 * BATCH


def test_the_teacher_knows_every_class():
    labels = torch.cat([labels for _, labels in islice(examples(4), 8)])
    assert labels.unique().tolist() == list(range(CLASSES))


def test_a_training_that_diverges_has_no_other_results():
    found = train_watched("none", learning_rate=1e3, seed=1, steps=60)
    assert found == {"validation": float("inf")}


@pytest.mark.parametrize("kind", ["layer", "batch, shaken"])
def test_a_measurement_repeats_and_has_the_fields_of_the_file(kind):
    setting = {"variant": kind, "learning_rate": 0.1, "steps": 30, "seed": 1}
    row = measured(**setting)
    assert row == measured(**setting)
    assert row["drift"] > 0
    stored = next(row for row in STUDY.rows if row["variant"] == kind)
    assert {*setting, *row, "seconds"} == {*stored}


def test_quiet_is_the_loss_when_nothing_is_shaken():
    row = train_watched("layer, shaken", learning_rate=0.03, seed=2, steps=40)
    assert row["quiet"] != row["validation"]
    assert row["quiet"] < row["loss"]


def test_the_study_is_complete():
    assert list(STUDY.pending(STUDY.rows)) == []
