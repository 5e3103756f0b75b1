"""Residual connections: what a sublayer adds, and where the norm stands."""

import copy

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.testing import assert_close
from transformers import BertConfig
from transformers.models.bert.modeling_bert import BertOutput

from bookkit.checking.facts import facts, refusals
from transformer.layers import (
    LayerNorm,
    PositionwiseFeedForward,
    ResidualConnection,
    RMSNorm,
)

EXACT = {"rtol": 1e-12, "atol": 1e-12}
# float32 keeps about seven digits; the sums here have fewer than 100 terms.
SINGLE = {"rtol": 1e-5, "atol": 1e-5}
EACH_DTYPE = facts(
    "dtype, tolerance", [(torch.float64, EXACT), (torch.float32, SINGLE)]
)
EACH_PLACEMENT = facts("placement", ["pre", "post"])

BATCH, TIME, D_MODEL, D_FF = 2, 5, 7, 13


class Tenfold(nn.Module):
    """Something in the place of a norm that is easy to follow by hand."""

    def forward(self, x):
        return 10 * x


def randomize(module, dtype=torch.float64):
    """A module in which every parameter, biases too, is random."""
    module = module.to(dtype)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.normal_(std=0.5)
    return module


def draw(dtype=torch.float64):
    return torch.randn(BATCH, TIME, D_MODEL, dtype=dtype)


def outcome(call, parameters, x, direction):
    """The value of a call, and its gradients along one direction."""
    x = x.detach().clone().requires_grad_()
    y = call(x)
    return (y, *torch.autograd.grad(y, (x, *parameters), direction))


# The equation by hand


@facts(
    "placement, expected",
    # x = 3 and F(x) = x + 1: 10 (3 + 4) against 3 + (30 + 1)
    [("post", 70.0), ("pre", 34.0)],
)
def test_where_the_norm_stands(placement, expected):
    residual = ResidualConnection(Tenfold(), placement=placement)
    assert residual(torch.tensor([3.0]), lambda x: x + 1).item() == expected


@EACH_PLACEMENT
@facts("norm", [LayerNorm, RMSNorm])
def test_the_equations_of_both_placements(placement, norm):
    norm = randomize(norm(D_MODEL))
    sublayer = randomize(PositionwiseFeedForward(D_MODEL, D_FF))
    x = draw()
    y = ResidualConnection(norm, placement=placement)(x, sublayer)
    by_hand = {"pre": x + sublayer(norm(x)), "post": norm(x + sublayer(x))}
    assert_close(y, by_hand[placement], **EXACT)


@EACH_PLACEMENT
def test_the_change_is_what_is_added(placement):
    residual = ResidualConnection(randomize(LayerNorm(D_MODEL)), placement=placement)
    x, sublayer = draw(), randomize(PositionwiseFeedForward(D_MODEL, D_FF))
    total = x + residual.change(x, sublayer)
    expected = total if placement == "pre" else residual.norm(total)
    assert torch.equal(residual(x, sublayer), expected)


def test_parallel_layers_add_their_changes_to_the_same_input():
    first, second = (
        ResidualConnection(randomize(LayerNorm(D_MODEL)), placement="pre")
        for _ in range(2)
    )
    x, f, g = draw(), torch.sin, torch.cos
    parallel = x + first.change(x, f) + second.change(x, g)
    assert_close(parallel, x + f(first.norm(x)) + g(second.norm(x)), **EXACT)
    assert not torch.allclose(parallel, second(first(x, f), g))


# Invariants


@given(shape=st.lists(st.integers(1, 4), max_size=4), scale=st.floats(1e-3, 1e3))
@settings(max_examples=25)
def test_a_pre_norm_connection_around_nothing_is_the_identity(shape, scale):
    x = scale * torch.randn(*shape, D_MODEL)
    residual = ResidualConnection(LayerNorm(D_MODEL), placement="pre", dropout=0.5)
    assert torch.equal(residual(x, torch.zeros_like), x)


def test_a_post_norm_connection_around_nothing_is_the_norm():
    residual = ResidualConnection(randomize(LayerNorm(D_MODEL)), placement="post")
    x = draw()
    assert torch.equal(residual(x, torch.zeros_like), residual.norm(x))


def test_a_post_norm_result_has_mean_zero_and_variance_one():
    residual = ResidualConnection(LayerNorm(D_MODEL).double(), placement="post")
    y = residual(draw(), lambda x: 100 * x.sin())
    assert_close(y.mean(dim=-1), torch.zeros(BATCH, TIME).double(), rtol=0, atol=1e-9)
    variance = y.var(dim=-1, correction=0)
    assert_close(variance, torch.ones_like(variance), rtol=0, atol=1e-4)  # eps


@facts("depth", [1, 50])
def test_the_gradient_flows_through_the_skips_of_any_depth(depth):
    stack = [
        ResidualConnection(LayerNorm(D_MODEL), placement="pre") for _ in range(depth)
    ]
    x = draw(torch.float32).requires_grad_()
    y = x
    for residual in stack:
        y = residual(y, lambda z: z.detach().sin())  # nothing comes back from here
    direction = torch.randn_like(y)
    y.backward(direction)
    assert torch.equal(x.grad, direction)


def test_the_gradient_of_a_skip_and_of_its_sublayer_add_up():
    residual = ResidualConnection(nn.Identity(), placement="pre")
    x = draw().requires_grad_()
    residual(x, torch.sin).sum().backward()
    assert_close(x.grad, 1 + x.detach().cos(), **EXACT)


def test_a_post_norm_skip_sends_its_gradient_through_the_norm():
    residual = ResidualConnection(randomize(LayerNorm(D_MODEL)), placement="post")
    x, direction = draw().requires_grad_(), draw()
    residual(x, lambda z: z.detach().sin()).backward(direction)
    total = (x + x.sin()).detach().requires_grad_()
    residual.norm(total).backward(direction)
    assert_close(x.grad, total.grad, **EXACT)


# Dropout


@EACH_PLACEMENT
def test_dropout_strikes_the_change_and_never_the_skip(placement):
    residual = ResidualConnection(nn.Identity(), placement=placement, dropout=0.5)
    x = torch.full((50, 100), 3.0)
    y = residual(x, lambda z: 4 * torch.ones_like(z))
    dropped, doubled = y == 3, y == 3 + 2 * 4
    assert (dropped | doubled).all()
    share = dropped.float().mean()
    assert abs(share - 0.5) < 0.05  # 5,000 draws: standard error 0.007


def test_dropout_comes_before_the_post_norm_and_after_the_pre_norm():
    x = torch.full((50, 100), 3.0)
    post = ResidualConnection(Tenfold(), placement="post", dropout=0.5)
    pre = ResidualConnection(Tenfold(), placement="pre", dropout=0.5)
    # dropped: the skip alone; kept: twice the change besides
    assert set(post(x, torch.sign).unique().tolist()) == {30.0, 10 * (3 + 2 * 1)}
    assert set(pre(x, torch.sign).unique().tolist()) == {3.0, 3 + 2 * 1}


def test_dropout_leaves_the_expectation_and_is_off_in_evaluation():
    residual = ResidualConnection(nn.Identity(), placement="pre", dropout=0.3)
    x = torch.randn(D_MODEL)
    rows = x.expand(20_000, D_MODEL)
    mean = residual(rows, torch.cos).mean(dim=0)
    # the standard error is below (0.3 / 0.7 / 20,000)^(1/2) = 0.005
    assert_close(mean, x + x.cos(), rtol=0, atol=0.025)
    assert_close(residual.eval()(x, torch.cos), x + x.cos(), rtol=0, atol=0)


# Shapes, copies, compilers


@EACH_PLACEMENT
@facts("shape", [(7,), (5, 7), (2, 5, 7), (2, 3, 5, 7), (0, 7)])
@facts("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_shape_and_dtype_stay(placement, shape, dtype):
    norm = RMSNorm(D_MODEL).to(dtype)
    residual = ResidualConnection(norm, placement=placement, dropout=0.1)
    y = residual(torch.randn(shape).to(dtype), torch.tanh)
    assert y.shape == shape
    assert y.dtype == dtype


def test_only_the_norm_has_parameters():
    residual = ResidualConnection(LayerNorm(D_MODEL), placement="post", dropout=0.1)
    residual(draw(torch.float32), nn.Linear(D_MODEL, D_MODEL))
    assert set(residual.state_dict()) == {"norm.weight", "norm.bias"}


@EACH_PLACEMENT
def test_shapes_can_be_planned_without_memory(placement):
    with torch.device("meta"):
        residual = ResidualConnection(LayerNorm(D_MODEL), placement=placement)
        y = residual(draw(torch.float32), PositionwiseFeedForward(D_MODEL, D_FF))
    assert y.shape == (BATCH, TIME, D_MODEL)


@EACH_PLACEMENT
def test_a_deep_copy_computes_the_same_and_shares_nothing(placement):
    residual = ResidualConnection(randomize(LayerNorm(D_MODEL)), placement=placement)
    twin, x = copy.deepcopy(residual), draw()
    assert torch.equal(twin(x, torch.sin), residual(x, torch.sin))
    nn.init.zeros_(twin.norm.weight)
    assert residual.norm.weight.any()


@EACH_PLACEMENT
def test_under_autocast_the_skip_keeps_its_precision(placement):
    residual = ResidualConnection(LayerNorm(D_MODEL), placement=placement)
    sublayer = PositionwiseFeedForward(D_MODEL, D_FF)
    x = draw(torch.float32)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = residual(x, sublayer)
        assert residual.change(x, sublayer).dtype == torch.bfloat16
    assert y.dtype == torch.float32


@EACH_PLACEMENT
@pytest.mark.compiled
def test_the_connection_can_be_compiled_whole(placement):
    residual = ResidualConnection(randomize(LayerNorm(D_MODEL)), placement=placement)
    sublayer, x = randomize(PositionwiseFeedForward(D_MODEL, D_FF)), draw()
    compiled = torch.compile(residual, backend="eager", fullgraph=True)
    assert torch.equal(compiled(x, sublayer), residual(x, sublayer))


# Parity with PyTorch and Hugging Face


@EACH_DTYPE
@EACH_PLACEMENT
def test_parity_with_the_encoder_layer_of_pytorch(placement, dtype, tolerance, parity):
    theirs = nn.TransformerEncoderLayer(
        D_MODEL, 1, D_FF, dropout=0.0, batch_first=True, norm_first=placement == "pre"
    )
    theirs = randomize(theirs, dtype)
    first, second = (
        ResidualConnection(LayerNorm(D_MODEL).to(dtype), placement=placement)
        for _ in range(2)
    )
    first.norm.load_state_dict(theirs.norm1.state_dict())
    second.norm.load_state_dict(theirs.norm2.state_dict())

    def ours(x):
        x = first(x, lambda z: theirs.self_attn(z, z, z, need_weights=False)[0])
        return second(x, theirs._ff_block)

    x, direction = draw(dtype), draw(dtype)
    inner = [*theirs.self_attn.parameters(), *theirs.linear1.parameters()]
    norms = [*theirs.norm1.parameters(), *theirs.norm2.parameters()]
    expected = outcome(theirs, [*inner, *norms], x, direction)
    norms = [*first.parameters(), *second.parameters()]
    came = outcome(ours, [*inner, *norms], x, direction)
    compared = parity(first, theirs)
    compared.values(came[0], expected[0], **tolerance)
    compared.gradients(came[1:], expected[1:], **tolerance)


@EACH_DTYPE
def test_parity_with_hugging_face_bert(dtype, tolerance, parity):
    config = BertConfig(
        hidden_size=D_MODEL,
        intermediate_size=D_MODEL,
        num_attention_heads=1,
        hidden_dropout_prob=0.0,
    )
    theirs = randomize(BertOutput(config), dtype)
    norm = LayerNorm(D_MODEL, eps=config.layer_norm_eps).to(dtype)
    norm.load_state_dict(theirs.LayerNorm.state_dict())
    residual = ResidualConnection(norm, placement="post")
    x, direction = draw(dtype), draw(dtype)
    dense = list(theirs.dense.parameters())
    came = outcome(
        lambda x: residual(x, lambda z: theirs.dense(z.sin())),
        [*dense, *norm.parameters()],
        x,
        direction,
    )
    expected = outcome(
        lambda x: theirs(x.sin(), x),
        [*dense, *theirs.LayerNorm.parameters()],
        x,
        direction,
    )
    compared = parity(residual, theirs)
    compared.values(came[0], expected[0], **tolerance)
    compared.gradients(came[1:], expected[1:], **tolerance)


# Errors

X = torch.zeros(2, 3, 4)
PRE = ResidualConnection(LayerNorm(4), placement="pre")
POST = ResidualConnection(LayerNorm(4), placement="post")
BAD_INPUTS = {
    TypeError: {
        r"dropout.*got True \(bool\)": lambda: ResidualConnection(
            LayerNorm(4), placement="pre", dropout=True
        ),
        "x.*got torch.int64": lambda: PRE(X.long(), torch.tanh),
    },
    ValueError: {
        "placement.*got 'sandwich'; choose": lambda: ResidualConnection(
            LayerNorm(4), placement="sandwich"
        ),
        "placement.*got None": lambda: ResidualConnection(LayerNorm(4), placement=None),
        "dropout.*at least 0.*below 1.*got 1.0": lambda: ResidualConnection(
            LayerNorm(4), placement="pre", dropout=1.0
        ),
        r"sublayer.*got \(2, 3, 5\) for \(2, 3, 4\)": lambda: POST(X, nn.Linear(4, 5)),
        r"sublayer.*got \(1, 3, 4\) for \(2, 3, 4\)": lambda: PRE(X, lambda x: x[:1]),
    },
}


@refusals(BAD_INPUTS)
def test_bad_input_is_refused_with_what_to_do(error, words, call, refuses):
    refuses(call, error, words)
