"""Tests of single steps."""

from dataclasses import replace
from math import isfinite

import pytest
import torch
from torch import nn, optim
from torch.nn import functional as F
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.training import LabelSmoothingLoss, Trainer, TrainingError, adam

EXACT = {"rtol": 0, "atol": 1e-12}


def test_a_step_is_the_one_written_out(kit, trainer, batches):
    twin = kit.trainer().model
    optimizer = optim.Adam(twin.parameters(), betas=(0.9, 0.98), eps=1e-9)
    for step in (1, 2):
        batch = batches[step - 1]
        rate = optimizer.param_groups[0]["lr"] = 0.01 * step / 3
        optimizer.zero_grad()
        logits = twin(batch.source, batch.target[:, :-1])
        loss = F.cross_entropy(
            logits.flatten(0, 1),
            batch.target[:, 1:].flatten(),
            ignore_index=0,
            label_smoothing=0.1,
        )
        loss.backward()
        norm = nn.utils.clip_grad_norm_(twin.parameters(), 1.0)
        optimizer.step()
        record = trainer.step(batch)
        assert record.step == trainer.steps == step
        assert record.loss == pytest.approx(loss.item(), abs=1e-12)
        assert record.gradient_norm == pytest.approx(norm.item(), abs=1e-12)
        assert record.learning_rate == pytest.approx(rate)
        for name, parameter in twin.named_parameters():
            assert_close(kit.parameters(trainer)[name], parameter.detach(), **EXACT)


def test_a_batch_is_not_divided_unless_asked(kit, batches):
    calls = []
    for trainer in (kit.trainer(), kit.trainer(accumulate=2)):
        trainer.model.register_forward_hook(lambda *_: calls.append(1))
        trainer.step(batches[0])
        calls.append(0)
    assert calls == [1, 0, 1, 1, 0]


@facts("parts", [2, 3, 9])
def test_parts_of_a_batch_learn_what_the_whole_batch_learns(kit, batches, parts):
    whole, divided = kit.trainer(), kit.trainer(accumulate=parts)
    for step in range(5):
        records = [trainer.step(batches[step]) for trainer in (whole, divided)]
        assert records[0] == pytest.approx(records[1], abs=1e-12)
    assert_close(kit.parameters(divided), kit.parameters(whole), **EXACT)


def test_gradients_are_held_until_the_last_part(kit, batches, monkeypatch):
    held = []
    monkeypatch.setattr(
        "transformer.training.step.hold_gradients",
        lambda model, *, hold: held.append(hold),
    )
    kit.trainer(accumulate=3).step(batches[0])
    assert held == [True, True, False]


def test_long_gradients_are_clipped(kit, batches):
    trainer = kit.trainer(max_norm=1e-3)
    trainer.step(batches[0])
    gradients = [parameter.grad for parameter in trainer.model.parameters()]
    assert nn.utils.get_total_norm(gradients).item() == pytest.approx(1e-3, rel=1e-4)


def test_without_a_schedule_the_rate_of_the_optimizer_stays(kit, batches):
    trainer = kit.trainer(schedule=None)
    assert [trainer.step(batches[0]).learning_rate for _ in range(2)] == [1e-3, 1e-3]


def test_it_learns(kit, batches):
    trainer = kit.trainer()
    for _ in range(12):
        trainer.step(batches[0])
    assert trainer.log.losses[-1] < trainer.log.losses[0] - 0.5
    assert [record.step for record in trainer.log.steps] == list(range(1, 13))


def test_dropout_is_on_while_it_learns(kit, batches):
    trainer = kit.trainer(config=replace(kit.config, dropout=0.5))
    trainer.model.eval()
    torch.manual_seed(1)
    first = trainer.step(batches[0]).loss
    assert first != pytest.approx(kit.trainer().step(batches[0]).loss, abs=1e-6)


@facts("precision", ["bfloat16", "float16"])
def test_half_precision_is_near_to_single(kit, precision, batches):
    single = kit.trainer(dtype=torch.float32)
    half = kit.trainer(dtype=torch.float32, precision=precision)
    for step in range(3):
        records = [trainer.step(batches[step]) for trainer in (single, half)]
        assert records[0].loss == pytest.approx(records[1].loss, rel=0.02)
    assert all(p.dtype == torch.float32 for p in half.model.parameters())


@facts("precision", ["bfloat16", "float16"])
@facts("accumulate", [1, 2])
def test_the_loss_of_half_precision_is_taken_in_single(
    kit, batches, precision, accumulate
):
    options = {"precision": precision, "accumulate": accumulate}
    trainer, total = kit.trainer(dtype=torch.float32, **options), 0.0
    with torch.no_grad(), torch.autocast("cpu", getattr(torch, precision)):
        logits = [trainer.model(*part.inputs) for part in batches[0].split(accumulate)]
    for part, x in zip(batches[0].split(accumulate), logits, strict=True):
        total += trainer.loss.total(x.double(), part.labels).item()
    # single precision keeps seven digits, bfloat16 not three and float16 three
    expected = pytest.approx(total / batches[0].num_tokens, rel=1e-6)
    assert trainer.step(batches[0]).loss == expected


def test_float16_halves_the_scale_of_a_loss_that_overflows(kit, batches):
    trainer = kit.trainer(dtype=torch.float32, precision="float16")
    trainer.scaler = torch.amp.GradScaler("cpu", init_scale=2.0**40)
    before = kit.parameters(trainer)
    assert not isfinite(trainer.step(batches[0]).gradient_norm)
    assert trainer.scaler.get_scale() == 2.0**39
    assert_close(kit.parameters(trainer), before, rtol=0, atol=0)


def test_a_scale_that_cannot_be_halved_excuses_no_overflow(kit, batches):
    trainer = kit.trainer(dtype=torch.float32, precision="float16")
    trainer.scaler = torch.amp.GradScaler("cpu", init_scale=2.0)
    trainer.model.head.projection.weight.register_hook(lambda grad: grad * torch.inf)
    trainer.step(batches[0])
    assert trainer.scaler.get_scale() == 1
    with pytest.raises(TrainingError, match="step 2 must have a finite loss"):
        trainer.step(batches[0])


@facts("number", [float("nan"), float("inf")])
def test_a_step_that_is_not_finite_is_refused_and_changes_nothing(kit, batches, number):
    trainer = kit.trainer()
    trainer.step(batches[0])
    with torch.no_grad():
        trainer.model.head.projection.weight[3, 2] = number
    before = kit.parameters(trainer)
    message = r"step 2 must have a finite loss and gradient, got loss nan and gradient "
    with pytest.raises(TrainingError, match=message + "norm nan; the parameters are"):
        trainer.step(batches[1])
    assert trainer.steps == len(trainer.log.steps) == 1
    assert_close(kit.parameters(trainer), before, rtol=0, atol=0, equal_nan=True)


def test_after_a_refused_step_float16_can_go_on(kit, batches):
    trainer = kit.trainer(dtype=torch.float32, precision="float16")
    weight = trainer.model.head.projection.weight
    with torch.no_grad():
        kept = float(weight[3, 2])
        weight[3, 2] = float("nan")
    with pytest.raises(TrainingError):
        trainer.step(batches[0])
    with torch.no_grad():
        weight[3, 2] = kept
    trainer.step(batches[0])
    assert isfinite(trainer.step(batches[0]).gradient_norm)


def test_an_infinite_gradient_of_a_finite_loss_is_refused(kit, batches):
    trainer = kit.trainer()
    trainer.model.head.projection.weight.register_hook(lambda grad: grad * torch.inf)
    with pytest.raises(TrainingError, match=r"gradient norm (inf|nan)"):
        trainer.step(batches[0])


@facts(
    "options, error, message",
    [
        ({"max_norm": 0.0}, ValueError, "max_norm must be finite and above 0"),
        ({"accumulate": 0}, ValueError, "accumulate must be at least 1"),
        ({"precision": "int8"}, ValueError, "precision must be one of float32, bfloat"),
    ],
)
def test_options_that_do_not_fit_are_refused(kit, refuses, options, error, message):
    refuses(lambda: kit.trainer(**options), error, message)


def test_a_language_model_learns_from_batches_without_a_source(kit):
    from transformer.data.batches import Batch
    from transformer.models import DecoderOnlyTransformer

    torch.manual_seed(0)
    model = DecoderOnlyTransformer(replace(kit.config, num_encoder_layers=0))
    trainer = Trainer(model, loss=LabelSmoothingLoss(), optimizer=adam(model))
    batch = Batch(source=None, target=kit.batches()[0].target)
    losses = [trainer.step(batch).loss for _ in range(9)]
    assert losses[-1] < losses[0]
