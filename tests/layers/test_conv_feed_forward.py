"""The feed-forward layer that mixes neighbors through a convolution."""

import copy

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.testing import assert_close
from transformers import SegformerConfig
from transformers.models.segformer.modeling_segformer import SegformerMixMLP

from bookkit.checking.facts import facts, refusals
from transformer.layers import ConvFeedForward, PositionwiseFeedForward

EXACT = {"rtol": 1e-12, "atol": 1e-12}
# float32 keeps about seven digits; the sums here have fewer than 100 terms.
SINGLE = {"rtol": 1e-5, "atol": 1e-5}
EACH_DTYPE = facts(
    "dtype, tolerance", [(torch.float64, EXACT), (torch.float32, SINGLE)]
)
EACH_DIRECTION = facts("causal", [True, False])

BATCH, TIME, D_MODEL, D_FF = 2, 11, 5, 7


def randomize(module, dtype=torch.float64):
    """A module in which every parameter, biases too, is random."""
    module = module.to(dtype)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.normal_(std=0.5)
    return module


def build(*, dtype=torch.float64, **settings):
    return randomize(ConvFeedForward(D_MODEL, D_FF, **settings), dtype)


def draw(dtype=torch.float64):
    return torch.randn(BATCH, TIME, D_MODEL, dtype=dtype)


def both_outcomes(ours, our_weights, theirs, their_weights, dtype):
    """Values of two calls, and their gradients along one direction, shaped alike."""
    x, direction = draw(dtype).requires_grad_(), draw(dtype)
    y, expected = ours(x), theirs(x)
    came = torch.autograd.grad(y, (x, *our_weights), direction)
    want = torch.autograd.grad(expected, (x, *their_weights), direction)
    want = [g.reshape(own.shape) for own, g in zip(came, want, strict=True)]
    return (y, came), (expected, want)


def check_parity(compared, came, expected, tolerance):
    """Compare the value of an outcome, and its gradients."""
    compared.values(came[0], expected[0], **tolerance)
    compared.gradients(came[1], expected[1], **tolerance)


# The equation by hand


@facts(
    "causal, expected",
    # kernel 1, 2, -1 over 3, 0, 5, 4: the last one meets the newest number
    [(True, [-3, 6, 3 - 5, 10 - 4]), (False, [6, 3 - 5, 10 - 4, 5 + 8])],
)
def test_a_sequence_worked_by_hand(causal, expected):
    layer = ConvFeedForward(1, 1, causal=causal, activation="identity").double()
    with torch.no_grad():
        layer.up_projection.weight.fill_(1)
        layer.down_projection.weight.fill_(1)
        layer.convolution.weight.copy_(torch.tensor([1.0, 2.0, -1.0]))
    x = torch.tensor([[3.0], [0.0], [5.0], [4.0]], dtype=torch.float64)
    assert layer(x).flatten().tolist() == expected


@EACH_DIRECTION
@facts("kernel_size", [1, 3, 5])
@facts("bias", [True, False])
def test_the_formula_written_as_loops(causal, kernel_size, bias):
    layer = build(kernel_size=kernel_size, causal=causal, activation="silu", bias=bias)
    x = draw()
    before = kernel_size - 1 if causal else (kernel_size - 1) // 2
    hidden, kernel = layer.up_projection(x), layer.convolution.weight[:, 0, 0]
    expected = torch.zeros(BATCH, TIME, D_FF, dtype=torch.float64)
    for t in range(TIME):
        for j in range(kernel_size):
            if 0 <= t + j - before < TIME:
                expected[:, t] += kernel[:, j] * hidden[:, t + j - before]
    if bias:
        expected = expected + layer.convolution.bias
    expected = layer.down_projection(expected * torch.sigmoid(expected))
    assert_close(layer(x), expected, **EXACT)


@EACH_DIRECTION
def test_unit_kernels_of_size_one_make_it_the_position_wise_layer(causal):
    layer = build(kernel_size=1, causal=causal)
    nn.init.ones_(layer.convolution.weight)
    nn.init.zeros_(layer.convolution.bias)
    plain = PositionwiseFeedForward(D_MODEL, D_FF).double()
    plain.up_projection, plain.down_projection = (
        layer.up_projection,
        layer.down_projection,
    )
    weights = list(plain.parameters())
    came, expected = both_outcomes(layer, weights, plain, weights, torch.float64)
    assert_close(came, expected, **EXACT)


# Shapes and the start


@EACH_DIRECTION
@facts("leading", [(), (2,), (2, 3), (0,)])
def test_the_shape_stays_and_leading_axes_are_all_the_same(causal, leading):
    layer = build(causal=causal)
    x = torch.randn(*leading, TIME, D_MODEL, dtype=torch.float64)
    y = layer(x)
    assert y.shape == x.shape
    flat = x.reshape(-1, TIME, D_MODEL) if x.numel() else x
    assert_close(y, layer(flat).reshape(x.shape), **EXACT)


@EACH_DIRECTION
@facts("kernel_size", [1, 3, 13])
@facts("time", [1, 2, 11])
def test_kernels_may_be_longer_than_the_sequence(causal, kernel_size, time):
    layer = build(causal=causal, kernel_size=kernel_size)
    assert layer(torch.randn(2, time, D_MODEL).double()).shape == (2, time, D_MODEL)


@facts("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_the_dtype_stays(dtype):
    assert build(dtype=dtype)(draw(dtype)).dtype == dtype


def test_the_names_and_the_number_of_the_parameters():
    sizes = {name: p.numel() for name, p in build(kernel_size=3).named_parameters()}
    assert sizes == {
        "up_projection.weight": D_MODEL * D_FF,
        "up_projection.bias": D_FF,
        "convolution.weight": 3 * D_FF,
        "convolution.bias": D_FF,
        "down_projection.weight": D_MODEL * D_FF,
        "down_projection.bias": D_MODEL,
    }
    assert not any("bias" in name for name in build(bias=False).state_dict())


def test_the_kernels_start_so_that_the_variance_stays():
    layer = ConvFeedForward(2, 20_000, kernel_size=5)
    kernel = layer.convolution.weight
    assert kernel.abs().max() <= (3 / 5) ** 0.5
    # 100,000 draws: the standard error of the variance is 0.3 % of it
    assert abs(5 * kernel.var() - 1) < 0.015
    assert not layer.convolution.bias.any()
    assert not layer.up_projection.bias.any()


def test_shapes_can_be_planned_without_memory():
    with torch.device("meta"):
        mask = torch.ones(BATCH, TIME, dtype=torch.bool)
        y = ConvFeedForward(D_MODEL, D_FF)(draw(torch.float32), mask=mask)
    assert y.shape == (BATCH, TIME, D_MODEL)


# Who sees whom


@given(kernel_size=st.integers(1, 6), t=st.integers(0, TIME - 1))
@settings(max_examples=25)
def test_future_tokens_do_not_change_the_past(kernel_size, t):
    layer = build(kernel_size=kernel_size)
    x = draw()
    changed = x.clone()
    changed[:, t:] += 1
    assert torch.equal(layer(changed)[:, :t], layer(x)[:, :t])


@given(half=st.integers(0, 3), causal=st.booleans(), t=st.integers(0, TIME - 1))
@settings(max_examples=25)
def test_a_position_reaches_exactly_as_far_as_the_kernel(half, causal, t):
    layer = build(kernel_size=2 * half + 1, causal=causal, activation="silu")
    x = draw()
    changed = x.clone()
    changed[:, t] += 1
    seen = (layer(changed) != layer(x)).any(dim=-1)[0].nonzero().flatten().tolist()
    first, last = (t, t + 2 * half) if causal else (t - half, t + half)
    assert seen == [s for s in range(TIME) if first <= s <= last]


@EACH_DIRECTION
def test_a_shifted_sequence_gives_a_shifted_result(causal):
    layer = build(causal=causal, bias=False)
    x = draw()
    x[:, -2:] = 0  # nothing is pushed out at the end
    x[:, 0] = 0
    later = x.roll(1, dims=1)
    assert_close(layer(later)[:, 1:-1], layer(x)[:, :-2], **EXACT)


# Padding


@EACH_DIRECTION
@facts("start", [0, 3])  # padding at the end, or on both sides
@facts("garbage", [0.0, 1e3, torch.nan])
def test_real_positions_get_what_they_get_without_padding(causal, start, garbage):
    layer = build(causal=causal)
    x = draw()
    real = slice(start, start + 6)
    mask = torch.zeros(BATCH, TIME, dtype=torch.bool)
    mask[:, real] = True
    padded = x.masked_fill(~mask[..., None], garbage)
    assert_close(layer(padded, mask=mask)[:, real], layer(x[:, real]), **EXACT)


def test_without_a_mask_padding_leaks_even_when_it_is_zero():
    layer = build(causal=False, activation="silu")
    x = draw()
    x[:, 6:] = 0  # the bias of the up projection makes it something else
    leak = layer(x)[:, :6] - layer(x[:, :6])
    assert leak[:, 5].abs().max() > 0.01
    assert_close(leak[:, :5], torch.zeros_like(leak[:, :5]), **EXACT)


@EACH_DIRECTION
def test_each_sequence_has_its_own_mask(causal):
    layer = build(causal=causal)
    x = draw()
    lengths = (4, 9)
    mask = torch.arange(TIME) < torch.tensor(lengths)[:, None]
    y = layer(x, mask=mask)
    for b, length in enumerate(lengths):
        assert_close(y[b, :length], layer(x[b, :length]), **EXACT)


@EACH_DIRECTION
def test_padding_gets_no_gradient_from_real_positions(causal):
    layer = build(causal=causal, activation="silu")
    x = draw().requires_grad_()
    mask = (torch.arange(TIME) < 6).expand(BATCH, TIME)
    layer(x, mask=mask)[:, :6].square().sum().backward()
    assert not x.grad[:, 6:].any()
    assert x.grad[:, :6].all()


@EACH_DIRECTION
def test_a_mask_without_padding_changes_nothing(causal):
    layer, x = build(causal=causal), draw()
    mask = torch.ones(BATCH, TIME, dtype=torch.bool)
    assert torch.equal(layer(x, mask=mask), layer(x))


# Dropout, copies, compilers


def test_dropout_acts_on_the_features_in_between_and_in_training_only():
    layer = ConvFeedForward(
        100, 100, kernel_size=1, activation="identity", bias=False, dropout=0.5
    )
    nn.init.eye_(layer.up_projection.weight)
    nn.init.eye_(layer.down_projection.weight)
    nn.init.ones_(layer.convolution.weight)
    x = torch.full((50, 100), 3.0)
    dropped = layer(x)
    share = (dropped == 0).float().mean()
    assert abs(share - 0.5) < 0.05  # 5,000 draws: standard error 0.007
    assert torch.equal(dropped[dropped != 0], 2 * x[dropped != 0])
    assert torch.equal(layer.eval()(x), x)


def test_a_deep_copy_computes_the_same_and_shares_nothing():
    layer, x = build(), draw()
    twin = copy.deepcopy(layer)
    assert torch.equal(twin(x), layer(x))
    nn.init.zeros_(twin.convolution.weight)
    assert layer.convolution.weight.any()


def test_autocast_computes_in_half_precision():
    layer, x = build(dtype=torch.float32), draw(torch.float32)
    mask = torch.arange(TIME).expand(BATCH, TIME) < 6
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = layer(x, mask=mask)
    assert y.dtype == torch.bfloat16
    # numbers of size 10, rounded to 8 bits in each of four steps
    assert_close(y.float(), layer(x, mask=mask), rtol=0.02, atol=0.2)


@pytest.mark.compiled
def test_the_layer_can_be_compiled_whole():
    layer, x = build(), draw()
    mask = torch.arange(TIME).expand(BATCH, TIME) < 6
    compiled = torch.compile(layer, backend="eager", fullgraph=True)
    assert torch.equal(compiled(x), layer(x))
    assert torch.equal(compiled(x, mask=mask), layer(x, mask=mask))


# Parity with PyTorch and Hugging Face


@EACH_DTYPE
def test_parity_with_three_convolutions_of_pytorch(dtype, tolerance, parity):
    ours = build(causal=False, kernel_size=3, dtype=dtype)
    theirs = nn.Sequential(
        nn.Conv1d(D_MODEL, D_FF, 1),
        nn.Conv1d(D_FF, D_FF, 3, groups=D_FF, padding="same"),
        nn.ReLU(),
        nn.Conv1d(D_FF, D_MODEL, 1),
    ).to(dtype)
    parts = (ours.up_projection, ours.convolution, ours.down_projection)
    with torch.no_grad():
        for conv, part in zip((theirs[0], theirs[1], theirs[3]), parts, strict=True):
            conv.weight.copy_(part.weight.reshape(conv.weight.shape))
            conv.bias.copy_(part.bias)
    outcomes = both_outcomes(
        ours,
        ours.parameters(),
        lambda x: theirs(x.transpose(1, 2)).transpose(1, 2),
        theirs.parameters(),
        dtype,
    )
    check_parity(parity(ours, theirs[1]), *outcomes, tolerance)


@EACH_DTYPE
def test_parity_with_hugging_face_segformer_on_an_image_of_one_row(
    dtype, tolerance, parity
):
    config = SegformerConfig(hidden_dropout_prob=0.0, hidden_act="gelu")
    theirs = randomize(SegformerMixMLP(config, D_MODEL, D_FF), dtype)
    kernel = theirs.dwconv.dwconv  # 3 x 3: the rows above and below see nothing
    ours = build(causal=False, activation="gelu", dtype=dtype)
    with torch.no_grad():
        ours.convolution.weight.copy_(kernel.weight[:, :, 1:2])
        ours.convolution.bias.copy_(kernel.bias)
    ours.up_projection.load_state_dict(theirs.fc1.state_dict())
    ours.down_projection.load_state_dict(theirs.fc2.state_dict())
    outcomes = both_outcomes(
        ours,
        [*ours.up_projection.parameters(), ours.convolution.bias],
        lambda x: theirs(x, height=1, width=TIME),
        [*theirs.fc1.parameters(), kernel.bias],
        dtype,
    )
    check_parity(parity(ours, theirs), *outcomes, tolerance)


# Errors

X = torch.zeros(2, 3, 4)
LAYER = ConvFeedForward(4, 8)
BAD_INPUTS = {
    ValueError: {
        "kernel_size.*got 4; choose": lambda: ConvFeedForward(
            4, 8, kernel_size=4, causal=False
        ),
        "activation.*got 'glu' .did you mean 'gelu'..; c": lambda: ConvFeedForward(
            4, 8, activation="glu"
        ),
        "dropout.*at least 0.*below 1.*got -0.1": lambda: ConvFeedForward(
            4, 8, dropout=-0.1
        ),
        r"mask.*\(2, 3\).*got \(2, 1, 1, 3\) on cpu; pass": lambda: LAYER(
            X, mask=torch.ones(2, 1, 1, 3, dtype=torch.bool)
        ),
        r"mask.*\(2, 3\).*got \(2, 3\) on meta": lambda: LAYER(
            X, mask=torch.ones(2, 3, dtype=torch.bool, device="meta")
        ),
    },
    TypeError: {
        "mask.*got torch.float32; write": lambda: LAYER(X, mask=torch.ones(2, 3)),
        "mask.*got list": lambda: LAYER(X, mask=[[True] * 3] * 2),
    },
}


@refusals(BAD_INPUTS)
def test_bad_input_is_refused_with_what_to_do(error, words, call, refuses):
    refuses(call, error, words)
