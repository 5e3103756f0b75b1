"""The laws of the chapter on training, for random numbers and fresh models."""

import math
from functools import cache

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional as F
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.config import TransformerConfig
from transformer.data import Batch
from transformer.models import Transformer
from transformer.training import LabelSmoothingLoss, Trainer, adam

EXACT = {"rtol": 1e-9, "atol": 1e-9}
VOCAB = 13
SIZES = {"vocab_size": VOCAB, "d_model": 12, "d_ff": 17, "num_heads": 3, "max_len": 23}
LENGTHS = st.lists(st.integers(1, 7), min_size=2, max_size=5)


@cache
def model(norm_placement="post", position="sinusoidal"):
    torch.manual_seed(0)
    config = TransformerConfig(
        **SIZES,
        num_encoder_layers=1,
        num_decoder_layers=2,
        norm_placement=norm_placement,
        position=position,
    )
    return Transformer(config).double().eval()


def batch_of(lengths, seed):
    """A batch of targets with so many words; 0 is padding, 1 the begin, 2 the end."""
    generator = torch.Generator().manual_seed(seed)
    width = max(lengths) + 2
    target = torch.zeros(len(lengths), width, dtype=torch.long)
    for row, count in zip(target, lengths, strict=True):
        drawn = torch.randint(3, VOCAB, (count,), generator=generator)
        row[: count + 2] = torch.tensor([1, *drawn.tolist(), 2])
    source = torch.randint(3, VOCAB, (len(lengths), 5), generator=generator)
    return Batch(source, target)


@facts("norm_placement", ["pre", "post"])
@facts("position", ["sinusoidal", "rotary", "relative"])
@given(count=st.integers(1, 11), seed=st.integers(0, 99))
@settings(max_examples=10, deadline=None)
def test_one_pass_gives_the_losses_of_all_steps(norm_placement, position, count, seed):
    net, batch = model(norm_placement, position), batch_of([count], seed)
    total = LabelSmoothingLoss(smoothing=0.0).total(net(*batch.inputs), batch.labels)
    log_p = 0.0
    for t in range(1, batch.target.size(1)):
        logits = net(batch.source, batch.target[:, :t])[0, -1]
        log_p = log_p + logits.log_softmax(-1)[batch.target[0, t]]
    assert_close(total, -log_p, **EXACT)


@given(
    vocab=st.integers(2, 29),
    smoothing=st.floats(0.01, 0.9),
    size=st.floats(0.0, 20.0),
    seed=st.integers(0, 99),
)
def test_a_smoothed_loss_is_at_least_the_entropy_of_the_label(
    vocab, smoothing, size, seed
):
    generator = torch.Generator().manual_seed(seed)
    logits = size * torch.randn(1, vocab, dtype=torch.float64, generator=generator)
    label, loss = torch.tensor([vocab - 1]), LabelSmoothingLoss(smoothing=smoothing)
    b = smoothing / vocab
    a = 1 - smoothing + b
    least = -a * math.log(a) - (vocab - 1) * b * math.log(b)
    assert float(loss(logits, label)) >= least - 1e-12
    q = torch.full((1, vocab), b, dtype=torch.float64)
    q[0, -1] = a
    assert float(loss(q.log(), label)) == pytest.approx(least, abs=1e-12)


@given(lengths=LENGTHS, parts=st.integers(1, 5), seed=st.integers(0, 99))
@settings(max_examples=15, deadline=None)
def test_parts_of_a_batch_give_the_step_of_the_whole(lengths, parts, seed):
    batch, found = batch_of(lengths, seed), []
    for accumulate in (1, parts):
        net = Transformer(model().config).double()
        net.load_state_dict(model().state_dict())
        optimizer = torch.optim.SGD(net.parameters(), lr=1.0)
        trainer = Trainer(
            net,
            loss=LabelSmoothingLoss(),
            optimizer=optimizer,
            accumulate=accumulate,
            max_norm=1e9,
        )
        found.append([trainer.step(batch).loss, *net.parameters()])
    for one, other in zip(*found, strict=True):
        assert_close(one, other, **EXACT)


@given(counts=st.lists(st.integers(1, 9), min_size=2, max_size=5), seed=st.integers(0))
def test_the_mean_of_means_is_right_for_all_losses_only_with_equal_counts(counts, seed):
    n, k = sum(counts), len(counts)
    weights = [1 / (k * count) for count in counts for _ in range(count)]
    agree = all(math.isclose(weight, 1 / n) for weight in weights)
    assert agree == (len(set(counts)) == 1)


def moves(gradients, *, eps=1e-30):
    """How far Adam moves one parameter, in learning rates."""
    layer = nn.Linear(1, 1, bias=False).double()
    nn.init.zeros_(layer.weight)
    optimizer, found = adam(layer, learning_rate=1.0, eps=eps), []
    for gradient in gradients:
        before = layer.weight.item()
        layer.weight.grad = torch.full_like(layer.weight, gradient)
        optimizer.step()
        found.append(layer.weight.item() - before)
    return found


SIGNED = st.floats(0.01, 100) | st.floats(-100, -0.01)


@given(gradients=st.lists(SIGNED, min_size=1, max_size=9), scale=st.floats(1e-3, 1e3))
@settings(max_examples=25, deadline=None)
def test_adam_ignores_a_common_factor_of_all_gradients(gradients, scale):
    scaled = moves([scale * gradient for gradient in gradients])
    assert scaled == pytest.approx(moves(gradients), rel=1e-9, abs=1e-12)


@given(gradient=SIGNED)
@settings(max_examples=25, deadline=None)
def test_the_first_move_of_adam_is_one_learning_rate_long(gradient):
    (move,) = moves([gradient])
    assert move == pytest.approx(-math.copysign(1.0, gradient), rel=1e-12)


@given(lengths=LENGTHS, seed=st.integers(0, 99))
@settings(max_examples=15, deadline=None)
def test_what_is_said_at_padding_does_not_change_the_loss(lengths, seed):
    batch = batch_of(lengths, seed)
    generator = torch.Generator().manual_seed(seed)
    shape = (*batch.labels.shape, VOCAB)
    logits = torch.randn(shape, dtype=torch.float64, generator=generator)
    padded = (batch.labels == -100).unsqueeze(-1)
    loss = LabelSmoothingLoss(smoothing=0.0)
    assert_close(
        loss(logits.masked_fill(padded, 9.0), batch.labels),
        loss(logits, batch.labels),
        **EXACT,
    )
    losses = [
        F.cross_entropy(row[labels != -100], labels[labels != -100], reduction="sum")
        for row, labels in zip(logits, batch.labels, strict=True)
    ]
    assert_close(loss(logits, batch.labels), sum(losses) / batch.num_tokens, **EXACT)
