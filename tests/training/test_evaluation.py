"""Tests of scores on given texts."""

from dataclasses import replace
from math import exp, inf

import pytest
import torch
from torch.nn import functional as F

from bookkit.checking.facts import facts
from transformer.data import Batch, sorted_batches
from transformer.training import Evaluation, LabelSmoothingLoss, evaluate


def test_the_means_are_over_tokens_whatever_the_batches(kit, trainer):
    examples = kit.examples()
    found = [
        evaluate(trainer.model, sorted_batches(examples, batch_size=size))
        for size in (1, 5, 23)
    ]
    assert found[0] == pytest.approx(found[1], abs=1e-12)
    assert found[0] == pytest.approx(found[2], abs=1e-12)
    assert found[0].tokens == sum(len(example.target) - 1 for example in examples)


def test_each_number_by_its_definition(kit, trainer):
    batch = Batch.of(kit.examples())
    logits = trainer.model(*batch.inputs).flatten(0, 1)
    labels = batch.labels.flatten()
    found = evaluate(trainer.model, [batch], loss=LabelSmoothingLoss(smoothing=0.3))
    smoothed = F.cross_entropy(logits, labels, label_smoothing=0.3).item()
    certain = F.cross_entropy(logits, labels).item()
    counts = labels != -100
    right = (logits.argmax(-1) == labels)[counts].double().mean().item()
    expected = (smoothed, certain, right, int(counts.sum()))
    assert found == pytest.approx(expected, rel=1e-12)
    assert found.perplexity == pytest.approx(exp(certain))


@facts("dtype", [torch.bfloat16, torch.float16])
def test_the_loss_of_a_model_in_half_precision_is_taken_in_single(kit, dtype):
    model, batch = kit.trainer(dtype=dtype).model.eval(), Batch.of(kit.examples())
    logits = model(*batch.inputs).double().flatten(0, 1)
    certain = F.cross_entropy(logits, batch.labels.flatten()).item()
    # single precision keeps seven digits, bfloat16 not three
    found = evaluate(model, [batch]).cross_entropy
    assert found == pytest.approx(certain, rel=1e-6)


def test_labels_that_are_ignored_are_no_hits(kit, trainer):
    batch = Batch.of(kit.examples())
    token = int(trainer.model(*batch.inputs).argmax(-1).flatten()[0])
    loss = LabelSmoothingLoss(ignore_index=token)
    labels = batch.target[:, 1:].clone().fill_(token)
    labels[0, 0] = token + 1
    target = torch.cat((batch.target[:, :1], labels), dim=1)
    found = evaluate(trainer.model, [Batch(batch.source, target)], loss=loss)
    assert (found.tokens, found.token_accuracy) == (1, 0.0)


def test_dropout_is_off_and_the_model_is_left_as_it_was(kit):
    trainer = kit.trainer(config=replace(kit.config, dropout=0.5))
    batch = kit.batches()[0]
    trainer.model.train()
    found = [evaluate(trainer.model, [batch]) for _ in range(2)]
    assert found[0] == found[1]
    assert trainer.model.training
    assert all(parameter.grad is None for parameter in trainer.model.parameters())


def test_the_default_device_does_not_matter(kit, trainer):
    batch = Batch.of(kit.examples())
    expected = evaluate(trainer.model, [batch])
    with torch.device("meta"):  # what is made there has no numbers
        assert evaluate(trainer.model, [batch]) == expected


def test_a_perplexity_beyond_all_numbers_is_infinite():
    assert Evaluation(1.0, 1e4, 0.0, 1).perplexity == inf


def test_nothing_to_score_is_refused(trainer, refuses):
    refuses(
        lambda: evaluate(trainer.model, []),
        ValueError,
        "the batches must hold at least one label that",
    )
