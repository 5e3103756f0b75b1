"""Feed-forward layers: plain and gated."""

import copy

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.testing import assert_close
from transformers import BertConfig, GPT2Config, LlamaConfig, T5Config
from transformers.models.bert.modeling_bert import BertLayer
from transformers.models.gpt2.modeling_gpt2 import GPT2MLP
from transformers.models.llama.modeling_llama import LlamaMLP
from transformers.models.t5.modeling_t5 import T5DenseActDense, T5DenseGatedActDense

from bookkit.checking.facts import facts, refusals
from transformer.layers import (
    ACTIVATIONS,
    GatedFeedForward,
    PositionwiseFeedForward,
    gated_width,
)

EXACT = {"rtol": 1e-12, "atol": 1e-12}
# float32 keeps about seven digits; the sums here have fewer than 100 terms.
SINGLE = {"rtol": 1e-5, "atol": 1e-5}
EACH_DTYPE = facts(
    "dtype, tolerance", [(torch.float64, EXACT), (torch.float32, SINGLE)]
)
EACH_LAYER = facts("layer", [PositionwiseFeedForward, GatedFeedForward])

BATCH, TIME, D_MODEL, D_FF = 2, 5, 7, 13


def double(*values):
    return torch.tensor(values, dtype=torch.float64)


def randomize(module, dtype=torch.float64):
    """A module in which every parameter, biases too, is random."""
    module = module.to(dtype)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.normal_(std=0.5)
    return module


def draw(dtype=torch.float64):
    return torch.randn(BATCH, TIME, D_MODEL, dtype=dtype)


def copy_weights(ours, **theirs):
    """Set projections of ours to those of another module, as (weight, bias)."""
    with torch.no_grad():
        for name, (weight, bias) in theirs.items():
            projection = getattr(ours, f"{name}_projection")
            projection.weight.copy_(weight)
            if bias is not None:
                projection.bias.copy_(bias)
    return ours


def linear(module):
    return module.weight, module.bias


def outcome(call, parameters, x, direction):
    """The value of a call, and its gradients along one direction."""
    x = x.detach().clone().requires_grad_()
    y = call(x)
    return (y, *torch.autograd.grad(y, (x, *parameters), direction))


def both_outcomes(ours, our_weights, theirs, their_weights, dtype):
    """The outcomes of two calls on the same input, along the same direction."""
    x, direction = draw(dtype), draw(dtype)
    came = outcome(ours, our_weights, x, direction)
    return came, outcome(theirs, their_weights, x, direction)


def check_parity(compared, came, expected, tolerance):
    """Compare the value of an outcome, and its gradients."""
    compared.values(came[0], expected[0], **tolerance)
    compared.gradients(came[1:], expected[1:], **tolerance)


# The equation by hand


def test_the_worked_example_of_equation_two():
    layer = PositionwiseFeedForward(3, 6).double()
    up = double(
        (1, 0, 0, 1, 0, -1),
        (0, 1, 0, 0, 1, 0),
        (0, 0, 1, 1, -1, 1),
    )
    down = torch.cat((torch.eye(3), torch.eye(3) / 2))
    copy_weights(
        layer,
        up=(up.T, double(0, 0, 0, 0, 0, 0.5)),
        down=(down.T, double(0.1, 0.2, 0.3)),
    )
    x = double((1, -1, 2))
    hidden = double((1, -1, 2, 3, -3, 1.5))
    assert_close(layer.up_projection(x), hidden, **EXACT)
    assert_close(layer(x), double((2.6, 0.2, 3.05)), **EXACT)


@facts(
    "activation, expected",
    [
        ("sigmoid", 0.7311),
        ("silu", 0.7311),  # the same, because the gate is 1
        ("gelu", 0.8413),
        ("relu", 1.0),
        ("identity", 1.0),
    ],
)
def test_the_worked_example_of_the_gated_family(activation, expected):
    layer = GatedFeedForward(2, 2, activation=activation).double()
    copy_weights(
        layer,
        gate=(double((1, 2), (0, 1)).T, None),
        up=(double((1, 0), (1, -1)).T, None),
        down=(torch.eye(2), None),
    )
    y = layer(double((1, -1)))  # gate [1, 1], up [0, 1]
    assert_close(y, double((0, expected)), rtol=0, atol=5e-5)


@facts("activation", ACTIVATIONS)
def test_the_formulas_written_with_matrices(activation):
    f, x = ACTIVATIONS[activation], draw()
    plain = randomize(PositionwiseFeedForward(D_MODEL, D_FF, activation=activation))
    gated = randomize(GatedFeedForward(D_MODEL, D_FF, activation=activation, bias=True))
    up, gate, down = (
        (lambda x, p=p: x @ p.weight.T + p.bias)
        for p in (gated.up_projection, gated.gate_projection, gated.down_projection)
    )
    assert_close(gated(x), down(f(gate(x)) * up(x)), **EXACT)
    up, down = plain.up_projection, plain.down_projection
    expected = f(x @ up.weight.T + up.bias) @ down.weight.T + down.bias
    assert_close(plain(x), expected, **EXACT)


def test_the_sigmoid_gate_is_the_second_half_of_glu():
    layer = randomize(GatedFeedForward(D_MODEL, D_FF, activation="sigmoid"))
    x = draw()
    halves = torch.cat((layer.up_projection(x), layer.gate_projection(x)), dim=-1)
    assert_close(layer(x), layer.down_projection(F.glu(halves)), **EXACT)


# Sizes


@facts(
    "build, expected",
    [
        (lambda: PositionwiseFeedForward(512, 2048), 2_099_712),
        (lambda: PositionwiseFeedForward(512, 2048, bias=False), 2_097_152),
        (lambda: GatedFeedForward(512, gated_width(2048)), 2_096_640),
        (lambda: GatedFeedForward(512, 2048, bias=True), 3 * 512 * 2048 + 4608),
    ],
)
def test_the_number_of_parameters(build, expected):
    with torch.device("meta"):
        layer = build()
    assert sum(parameter.numel() for parameter in layer.parameters()) == expected


@facts(
    "d_ff, multiple_of, expected",
    [
        (2048, 1, 1365),
        (4 * 4096, 256, 11_008),
        (4 * 5120, 256, 13_824),
        (3072, 1, 2048),
    ],
)
def test_the_width_of_gated_layers(d_ff, multiple_of, expected):
    # Llama 7B and 13B, and the 3072 units that Shazeer (2020) makes 2048
    assert gated_width(d_ff, multiple_of=multiple_of) == expected


@given(d_ff=st.integers(2, 50_000), multiple_of=st.integers(1, 512))
@settings(max_examples=25)
def test_the_gated_width_is_the_next_multiple(d_ff, multiple_of):
    width = gated_width(d_ff, multiple_of=multiple_of)
    assert width % multiple_of == 0
    assert width > 0
    assert 0 <= width - 2 * d_ff // 3 < multiple_of


@EACH_LAYER
@facts("leading", [(), (2,), (2, 3), (0,)])
def test_the_shape_stays(layer, leading):
    x = torch.randn(*leading, TIME, D_MODEL)
    assert layer(D_MODEL, D_FF)(x).shape == x.shape


@EACH_LAYER
@facts("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_the_dtype_stays(layer, dtype):
    assert layer(D_MODEL, D_FF).to(dtype)(draw(dtype)).dtype == dtype


@EACH_LAYER
def test_shapes_can_be_planned_without_memory(layer):
    with torch.device("meta"):
        y = layer(D_MODEL, D_FF)(draw(torch.float32))
    assert y.shape == (BATCH, TIME, D_MODEL)


@facts("bias", [True, False])
def test_the_names_of_the_parameters(bias):
    kinds = ("weight", "bias") if bias else ("weight",)
    plain = PositionwiseFeedForward(D_MODEL, D_FF, bias=bias).state_dict()
    gated = GatedFeedForward(D_MODEL, D_FF, bias=bias).state_dict()
    assert set(plain) == {f"{p}_projection.{k}" for p in ("up", "down") for k in kinds}
    assert set(gated) == set(plain) | {f"gate_projection.{k}" for k in kinds}


@EACH_LAYER
def test_weights_start_after_glorot_and_biases_at_zero(layer):
    projections = layer(211, 307, bias=True).children()
    for projection in projections:
        if isinstance(projection, nn.Linear):
            limit = (6 / (211 + 307)) ** 0.5
            assert projection.weight.abs().max() <= limit
            # 64,777 draws: the standard error of the deviation is 0.2 % of it
            assert abs(projection.weight.std() / (limit / 3**0.5) - 1) < 0.01
            assert not projection.bias.any()


# Invariants


@EACH_LAYER
@given(order=st.permutations(range(TIME)))
@settings(max_examples=25)
def test_positions_can_be_reordered_before_or_after(layer, order):
    module = randomize(layer(D_MODEL, D_FF))
    x = draw()
    assert_close(module(x[:, order]), module(x)[:, order], **EXACT)


@EACH_LAYER
def test_each_position_depends_on_all_its_features_and_on_no_other_position(layer):
    module = randomize(layer(D_MODEL, D_FF, activation="silu"))
    x = draw()[0]
    slopes = torch.autograd.functional.jacobian(module, x)  # (time, d_model) twice
    for target in range(TIME):
        for source in range(TIME):
            block = slopes[target, :, source]
            assert (block != 0).all() if source == target else not block.any()


def test_without_an_activation_the_two_matrices_collapse_into_one():
    layer = randomize(PositionwiseFeedForward(D_MODEL, D_FF, activation="identity"))
    x, up, down = draw(), layer.up_projection, layer.down_projection
    matrix = down.weight @ up.weight
    assert_close(layer(x), F.linear(x, matrix, down(up.bias)), **EXACT)


def test_the_bilinear_layer_without_biases_is_quadratic():
    layer = randomize(GatedFeedForward(D_MODEL, D_FF, activation="identity"))
    x = draw()
    assert_close(layer(3 * x), 9 * layer(x), **EXACT)


def test_a_feed_forward_layer_is_two_convolutions_of_width_one(parity):
    layer = randomize(PositionwiseFeedForward(D_MODEL, D_FF))
    first = nn.Conv1d(D_MODEL, D_FF, kernel_size=1).double()
    second = nn.Conv1d(D_FF, D_MODEL, kernel_size=1).double()
    with torch.no_grad():
        for conv, projection in (
            (first, layer.up_projection),
            (second, layer.down_projection),
        ):
            conv.weight.copy_(projection.weight[:, :, None])
            conv.bias.copy_(projection.bias)
    outcomes = both_outcomes(
        layer,
        [layer.up_projection.bias, layer.down_projection.bias],
        lambda x: second(F.relu(first(x.transpose(1, 2)))).transpose(1, 2),
        [first.bias, second.bias],
        torch.float64,
    )
    check_parity(parity(layer, first), *outcomes, EXACT)


# Dropout, copies, compilers


@EACH_LAYER
def test_dropout_acts_on_the_features_in_between_and_in_training_only(layer):
    module = layer(100, 100, activation="identity", bias=False, dropout=0.5)
    identities = {
        name.removesuffix("_projection"): (torch.eye(100), None)
        for name, child in module.named_children()
        if isinstance(child, nn.Linear)
    }
    copy_weights(module, **identities)
    x = torch.full((50, 100), 3.0)
    dropped, whole = module(x), module.eval()(x)
    assert torch.equal(whole, x if layer is PositionwiseFeedForward else x * x)
    share = (dropped == 0).float().mean()
    assert abs(share - 0.5) < 0.05  # 5,000 draws: standard error 0.007
    assert torch.equal(dropped[dropped != 0], 2 * whole[dropped != 0])


def test_the_bias_of_the_last_projection_is_never_dropped():
    layer = PositionwiseFeedForward(D_MODEL, D_FF, dropout=0.999)
    nn.init.ones_(layer.down_projection.bias)
    # each of the 70 outputs stays 1 unless one of 13 features survives
    assert (layer(draw(torch.float32)) == 1).float().mean() > 0.5


@EACH_LAYER
def test_a_deep_copy_computes_the_same_and_shares_nothing(layer):
    module = randomize(layer(D_MODEL, D_FF))
    twin = copy.deepcopy(module)
    x = draw()
    assert torch.equal(twin(x), module(x))
    nn.init.zeros_(twin.up_projection.weight)
    assert module.up_projection.weight.any()


@EACH_LAYER
def test_autocast_computes_in_half_precision(layer):
    module = randomize(layer(D_MODEL, D_FF), torch.float32)
    x = draw(torch.float32)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = module(x)
    assert y.dtype == torch.bfloat16
    # numbers of size 10, rounded to 8 bits in each of three steps
    assert_close(y.float(), module(x), rtol=0.02, atol=0.2)


@EACH_LAYER
@pytest.mark.compiled
def test_the_layer_can_be_compiled_whole(layer):
    module, x = randomize(layer(D_MODEL, D_FF)), draw()
    compiled = torch.compile(module, backend="eager", fullgraph=True)
    assert torch.equal(compiled(x), module(x))


# Parity with PyTorch and Hugging Face


@EACH_DTYPE
@facts("activation", ["relu", "gelu"])
def test_parity_with_the_encoder_layer_of_pytorch(activation, dtype, tolerance, parity):
    theirs = nn.TransformerEncoderLayer(
        D_MODEL, 1, D_FF, dropout=0.0, activation=activation, batch_first=True
    )
    theirs = randomize(theirs, dtype)
    ours = PositionwiseFeedForward(D_MODEL, D_FF, activation=activation).to(dtype)
    copy_weights(ours, up=linear(theirs.linear1), down=linear(theirs.linear2))
    their_weights = [*theirs.linear1.parameters(), *theirs.linear2.parameters()]
    outcomes = both_outcomes(
        ours, ours.parameters(), theirs._ff_block, their_weights, dtype
    )
    check_parity(parity(ours, theirs), *outcomes, tolerance)


@EACH_DTYPE
def test_parity_with_hugging_face_bert(dtype, tolerance, parity):
    config = BertConfig(
        hidden_size=D_MODEL, num_attention_heads=1, intermediate_size=D_FF
    )
    theirs = randomize(BertLayer(config), dtype)
    first, second = theirs.intermediate.dense, theirs.output.dense
    ours = PositionwiseFeedForward(D_MODEL, D_FF, activation="gelu").to(dtype)
    copy_weights(ours, up=linear(first), down=linear(second))
    outcomes = both_outcomes(
        ours,
        ours.parameters(),
        lambda x: second(theirs.intermediate(x)),
        [*first.parameters(), *second.parameters()],
        dtype,
    )
    check_parity(parity(ours, theirs), *outcomes, tolerance)


@EACH_DTYPE
def test_parity_with_hugging_face_gpt2(dtype, tolerance, parity):
    config = GPT2Config(n_embd=D_MODEL, resid_pdrop=0.0)
    theirs = randomize(GPT2MLP(D_FF, config), dtype)
    ours = PositionwiseFeedForward(D_MODEL, D_FF, activation="gelu_tanh").to(dtype)
    copy_weights(
        ours,  # their matrices are transposed
        up=(theirs.c_fc.weight.T, theirs.c_fc.bias),
        down=(theirs.c_proj.weight.T, theirs.c_proj.bias),
    )
    biases = [ours.up_projection.bias, ours.down_projection.bias]
    their_biases = [theirs.c_fc.bias, theirs.c_proj.bias]
    outcomes = both_outcomes(ours, biases, theirs, their_biases, dtype)
    check_parity(parity(ours, theirs), *outcomes, tolerance)


@EACH_DTYPE
@facts("bias", [False, True])
def test_parity_with_hugging_face_llama(bias, dtype, tolerance, parity):
    config = LlamaConfig(
        hidden_size=D_MODEL,
        intermediate_size=D_FF,
        num_attention_heads=1,
        head_dim=2,
        mlp_bias=bias,
    )
    theirs = randomize(LlamaMLP(config), dtype)
    ours = GatedFeedForward(D_MODEL, D_FF, bias=bias).to(dtype)
    copy_weights(
        ours,
        gate=linear(theirs.gate_proj),
        up=linear(theirs.up_proj),
        down=linear(theirs.down_proj),
    )
    weights, their_weights = ours.parameters(), theirs.parameters()
    outcomes = both_outcomes(ours, weights, theirs, their_weights, dtype)
    check_parity(parity(ours, theirs), *outcomes, tolerance)


@EACH_DTYPE
def test_parity_with_hugging_face_t5_of_both_versions(dtype, tolerance, parity):
    sizes = {"d_model": D_MODEL, "d_ff": D_FF, "dropout_rate": 0.0}
    theirs = randomize(T5DenseActDense(T5Config(**sizes)), dtype)
    ours = PositionwiseFeedForward(D_MODEL, D_FF, bias=False).to(dtype)
    copy_weights(ours, up=linear(theirs.wi), down=linear(theirs.wo))
    weights, their_weights = ours.parameters(), theirs.parameters()
    outcomes = both_outcomes(ours, weights, theirs, their_weights, dtype)
    check_parity(parity(ours, theirs), *outcomes, tolerance)

    config = T5Config(**sizes, feed_forward_proj="gated-gelu")
    theirs = randomize(T5DenseGatedActDense(config), dtype)
    ours = GatedFeedForward(D_MODEL, D_FF, activation="gelu_tanh").to(dtype)
    copy_weights(
        ours, gate=linear(theirs.wi_0), up=linear(theirs.wi_1), down=linear(theirs.wo)
    )
    weights, their_weights = ours.parameters(), theirs.parameters()
    outcomes = both_outcomes(ours, weights, theirs, their_weights, dtype)
    check_parity(parity(ours, theirs), *outcomes, tolerance)


@EACH_LAYER
def test_bfloat16_stays_close_to_float64(layer):
    module = randomize(layer(D_MODEL, D_FF), torch.bfloat16)
    x = draw(torch.bfloat16)
    exact = copy.deepcopy(module).double()(x.double())
    # numbers of size 10, rounded to 8 bits in each of three steps
    assert_close(module(x).double(), exact, rtol=0.02, atol=0.2)


# Errors

X = torch.zeros(3, 4)
BAD_INPUTS = {
    ValueError: {
        "d_ff.*at least 2.*got 1": lambda: gated_width(1),
        "multiple_of.*at least 1.*got 0": lambda: gated_width(8, multiple_of=0),
    },
    TypeError: {
        "d_ff.*got 2.66": lambda: gated_width(8 / 3),
    },
}
OF_EACH_LAYER = {
    ValueError: {
        "activation.*got 'swiglu'": lambda layer: layer(4, 8, activation="swiglu"),
        "dropout.*at least 0.*below 1.*got 1.0": lambda layer: layer(4, 8, dropout=1.0),
    },
}


@refusals(BAD_INPUTS)
def test_bad_input_is_refused_with_what_to_do(error, words, call, refuses):
    refuses(call, error, words)


@EACH_LAYER
@refusals(OF_EACH_LAYER)
def test_what_neither_layer_takes_is_refused(layer, error, words, call, refuses):
    refuses(lambda: call(layer), error, words)
