"""Plain deep networks whose norms are shaken, and the study that compares them."""

from itertools import islice

import torch

from chapters.laboratory.plain_networks import CLASSES
from chapters.layer_norm.shaken_norms import (
    BATCH,
    examples,
    train_watched,
)


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


def test_quiet_is_the_loss_when_nothing_is_shaken():
    row = train_watched("layer, shaken", learning_rate=0.03, seed=2, steps=40)
    assert row["quiet"] != row["validation"]
    assert row["quiet"] < row["loss"]
