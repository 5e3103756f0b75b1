"""LayerNorm and RMSNorm: the formula, the fast path and PyTorch agree."""

import copy
import warnings

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.testing import assert_close
from transformers import BertConfig
from transformers.models.bert.modeling_bert import BertLayer
from transformers.models.llama.modeling_llama import LlamaRMSNorm
from transformers.models.t5.modeling_t5 import T5LayerNorm

from bookkit.checking.facts import facts, refusals
from transformer.layers import NORMS, LayerNorm, RMSNorm, layer_norm, rms_norm

EXACT = {"rtol": 1e-12, "atol": 1e-12}
# float32 keeps about seven digits; the sums here have fewer than 100 terms.
SINGLE = {"rtol": 1e-5, "atol": 1e-5}
FOUR_DECIMALS = {"rtol": 0, "atol": 5e-5}
EACH_DTYPE = facts(
    "dtype, tolerance", [(torch.float64, EXACT), (torch.float32, SINGLE)]
)
EACH_NORM = facts("norm", NORMS.values())

BATCH, TIME, D_MODEL = 2, 5, 13


def double(*values):
    return torch.tensor(values, dtype=torch.float64)


def random_norm(norm, d_model=D_MODEL, dtype=torch.float64, **settings):
    """A norm whose parameters are not the ones that it starts with."""
    module = norm(d_model, **settings).to(dtype)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.normal_()
    return module


def formula(module, x):
    if isinstance(module, RMSNorm):
        return rms_norm(x, module.weight, eps=module.eps)
    return layer_norm(x, module.weight, module.bias, eps=module.eps)


def outcome(call, x, *parameters, direction):
    """The value of a call, and its gradients along one direction."""
    x = x.detach().clone().requires_grad_()
    y = call(x)
    return (y, *torch.autograd.grad(y, (x, *parameters), direction))


def assert_same_outcome(ours, theirs, **tolerance):
    for came, expected in zip(ours, theirs, strict=True):
        assert_close(came, expected, **tolerance)


def check_parity(parity, ours, theirs, x, direction, tolerance, name=None):
    """Compare a norm with a reference: its value, and the gradients of all inputs."""
    found = outcome(ours, x, *ours.parameters(), direction=direction)
    expected = outcome(theirs, x, *theirs.parameters(), direction=direction)
    compared = parity(ours, name or theirs)
    compared.values(found[0], expected[0], **tolerance)
    compared.gradients(found[1:], expected[1:], **tolerance)


# The equation by hand


def test_the_worked_example_of_layer_norm():
    x = double(1, 2, 3, 4)  # mean 2.5, variance 1.25
    y = layer_norm(x, torch.ones_like(x), torch.zeros_like(x), eps=1e-12)
    assert_close(y, double(-1.3416, -0.4472, 0.4472, 1.3416), **FOUR_DECIMALS)
    assert_close(y.var(correction=0), double(1.0)[0], rtol=1e-9, atol=0)


def test_the_worked_example_of_rms_norm():
    x = double(1, 2, 3, 4)  # mean square 7.5, whose root is 2.7386
    y = rms_norm(x, torch.ones_like(x), eps=1e-12)
    assert_close(y, double(0.3651, 0.7303, 1.0954, 1.4606), **FOUR_DECIMALS)
    assert_close(x / y, double(*[2.7386] * 4), **FOUR_DECIMALS)


def test_gain_and_bias_come_after_the_normalization():
    x, weight, bias = double(1, 2, 3, 4), double(2, 0, -1, 10), double(1, 5, 0, -1)
    expected = double(1 - 2 * 1.3416, 5, -0.4472, 12.416)
    y = layer_norm(x, weight, bias, eps=1e-12)
    assert_close(y, expected, rtol=0, atol=5e-4)  # ten times a rounded number


def test_the_biased_variance_is_meant():
    x = double(1, 2, 3, 4)
    biased = layer_norm(x, torch.ones_like(x), torch.zeros_like(x), eps=1e-12)
    unbiased = (x - x.mean()) / x.std()
    # the root of (d - 1) / d
    assert_close(unbiased / biased, double(*[0.75**0.5] * 4), rtol=1e-9, atol=0)


@EACH_NORM
def test_the_formula_written_as_loops(norm):
    module = random_norm(norm, eps=0.3)
    x = torch.randn(BATCH, TIME, D_MODEL, dtype=torch.float64)
    y = module(x)
    for b in range(BATCH):
        for t in range(TIME):
            row = x[b, t].tolist()
            mean = sum(row) / D_MODEL if norm is LayerNorm else 0.0
            root = (sum((v - mean) ** 2 for v in row) / D_MODEL + 0.3) ** 0.5
            expected = (x[b, t] - mean) / root * module.weight
            if norm is LayerNorm:
                expected = expected + module.bias
            assert_close(y[b, t], expected, **EXACT)


@facts("scale, expected", [(1.0, 1.0), (1e-2, 0.9949), (1e-3, 0.7038), (1e-4, 0.0999)])
def test_eps_stands_inside_the_root(scale, expected):
    # inside: scale / sqrt(scale^2 + eps), up to the sampled mean square
    x = torch.randn(1000, 64, dtype=torch.float64)
    x = scale * x / x.square().mean(dim=-1, keepdim=True).sqrt()
    y = RMSNorm(64, eps=1e-6).double()(x)
    inside = scale / (scale**2 + 1e-6) ** 0.5
    assert_close(y.square().mean().sqrt(), double(inside)[0], rtol=1e-9, atol=0)
    assert abs(inside - expected) < 5e-3  # the book's numbers come from other draws


def test_layer_norm_is_rms_norm_of_the_centered_vector():
    x = torch.randn(TIME, D_MODEL, dtype=torch.float64)
    centered = x - x.mean(dim=-1, keepdim=True)
    ones = torch.ones(D_MODEL, dtype=torch.float64)
    expected = layer_norm(x, ones, torch.zeros_like(ones), eps=1e-6)
    assert_close(rms_norm(centered, ones, eps=1e-6), expected, **EXACT)


# Shapes, dtypes and parameters


@EACH_NORM
@facts("leading", [(), (2,), (2, 3), (2, 3, 5), (0,)])
def test_the_shape_stays(norm, leading):
    x = torch.randn(*leading, D_MODEL)
    module = norm(D_MODEL)
    assert module(x).shape == x.shape
    assert formula(module, x).shape == x.shape


@EACH_NORM
@facts("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
def test_the_dtype_stays(norm, dtype):
    x = torch.randn(TIME, D_MODEL).to(dtype)
    assert norm(D_MODEL).to(dtype)(x).dtype == dtype


def test_parameters_start_at_one_and_zero():
    layer, rms = LayerNorm(D_MODEL).state_dict(), RMSNorm(D_MODEL).state_dict()
    assert list(layer) == ["weight", "bias"]
    assert list(rms) == ["weight"]
    assert torch.equal(layer["weight"], torch.ones(D_MODEL))
    assert torch.equal(layer["bias"], torch.zeros(D_MODEL))
    assert torch.equal(rms["weight"], torch.ones(D_MODEL))


def test_the_default_eps_are_those_of_the_released_models():
    assert LayerNorm(D_MODEL).eps == nn.LayerNorm(D_MODEL).eps == 1e-5
    assert RMSNorm(D_MODEL).eps == LlamaRMSNorm(D_MODEL).variance_epsilon == 1e-6


@EACH_NORM
def test_shapes_can_be_planned_without_memory(norm):
    with torch.device("meta"):
        module, x = norm(D_MODEL), torch.empty(BATCH, TIME, D_MODEL)
    assert module(x).shape == x.shape
    assert module(x).device.type == "meta"


@EACH_NORM
def test_a_deep_copy_computes_the_same_and_shares_nothing(norm):
    module = random_norm(norm)
    twin = copy.deepcopy(module)
    x = torch.randn(TIME, D_MODEL, dtype=torch.float64)
    assert torch.equal(twin(x), module(x))
    nn.init.zeros_(twin.weight)
    assert module.weight.any()


@EACH_NORM
@facts("came", [torch.float32, torch.bfloat16])
def test_under_autocast_the_dtype_of_the_input_comes_out(norm, came):
    module = random_norm(norm, dtype=torch.float32)
    x = torch.randn(TIME, D_MODEL).to(came)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = module(x)
    assert y.dtype == came
    exact = formula(module.double(), x.double())
    # float32 inside; bfloat16 rounds once, to 8 bits of a number
    bound = 1e-5 if came == torch.float32 else 2**-8
    assert_close(y.double(), exact, rtol=bound, atol=bound / 100)


@EACH_NORM
@pytest.mark.compiled
def test_the_fast_path_can_be_compiled_whole(norm):
    module = random_norm(norm)
    x = torch.randn(TIME, D_MODEL, dtype=torch.float64)
    compiled = torch.compile(module, backend="eager", fullgraph=True)
    assert torch.equal(compiled(x), module(x))


# Invariants

vectors = st.lists(st.floats(-100, 100), min_size=2, max_size=23)


@given(values=vectors, eps=st.sampled_from([1e-12, 1e-5, 0.1]))
@settings(max_examples=25)
def test_the_result_has_the_moments_that_eps_leaves(values, eps):
    x = double(*values)
    ones, zeros = torch.ones_like(x), torch.zeros_like(x)
    layer, rms = layer_norm(x, ones, zeros, eps=eps), rms_norm(x, ones, eps=eps)
    variance, mean_square = x.var(correction=0), x.square().mean()
    tight = {"rtol": 1e-6, "atol": 1e-6}
    assert_close(layer.mean(), zeros[0], **tight)
    assert_close(layer.var(correction=0), variance / (variance + eps), **tight)
    assert_close(rms.square().mean(), mean_square / (mean_square + eps), **tight)


@given(scale=st.floats(0.1, 100), shift=st.floats(-10, 10))
@settings(max_examples=25)
def test_only_layer_norm_forgets_a_shift_and_both_forget_a_scale(scale, shift):
    x = torch.randn(D_MODEL, dtype=torch.float64)
    ones, zeros = torch.ones_like(x), torch.zeros_like(x)
    loose = {"rtol": 1e-7, "atol": 1e-7}  # eps counts less when x is larger
    expected = layer_norm(x, ones, zeros, eps=1e-12)
    assert_close(
        layer_norm(scale * x + shift, ones, zeros, eps=1e-12), expected, **loose
    )
    expected = rms_norm(x, ones, eps=1e-12)
    assert_close(rms_norm(scale * x, ones, eps=1e-12), expected, **loose)


def test_rms_norm_remembers_a_shift():
    x, ones = double(1, 2, 3, 4), torch.ones(4, dtype=torch.float64)
    difference = rms_norm(x + 5, ones, eps=1e-6) - rms_norm(x, ones, eps=1e-6)
    assert difference.abs().max() > 0.4


@EACH_NORM
def test_no_vector_touches_another(norm):
    module = random_norm(norm)
    x = torch.randn(BATCH, TIME, D_MODEL, dtype=torch.float64)
    changed = x.clone()
    changed[0, 2] += 1
    same = torch.ones(BATCH, TIME, dtype=torch.bool)
    same[0, 2] = False
    assert torch.equal(module(changed)[same], module(x)[same])
    assert not torch.equal(module(changed)[0, 2], module(x)[0, 2])


@EACH_NORM
def test_a_constant_row_stays_finite_with_its_gradient(norm):
    module = norm(D_MODEL)
    x = torch.zeros(TIME, D_MODEL, requires_grad=True)
    y = module(x)
    y.backward(torch.randn(TIME, D_MODEL))
    assert not y.any()
    assert x.grad.isfinite().all()
    # at zero the slope is that of a division by the root of eps
    assert x.grad.abs().max() <= 4 * module.eps**-0.5


# The fast path is the formula


@EACH_NORM
@EACH_DTYPE
def test_the_fast_path_is_the_formula_with_its_gradients(norm, dtype, tolerance):
    module = random_norm(norm, dtype=dtype, eps=1e-3)
    x, direction = torch.randn(2, BATCH, TIME, D_MODEL, dtype=dtype)
    parameters = tuple(module.parameters())
    fast = outcome(module, x, *parameters, direction=direction)
    readable = outcome(
        lambda x: formula(module, x), x, *parameters, direction=direction
    )
    assert_same_outcome(fast, readable, **tolerance)


@EACH_NORM
def test_gradients_are_those_of_finite_differences(norm):
    module = random_norm(norm, d_model=5, eps=1e-3)
    x = torch.randn(3, 5, dtype=torch.float64, requires_grad=True)
    x.data[1] = 0
    assert torch.autograd.gradcheck(module, x)


@EACH_NORM
def test_bfloat16_is_as_good_as_its_last_rounding(norm):
    d_model = 509
    module = random_norm(norm, d_model, dtype=torch.bfloat16)
    x = 30 * torch.randn(TIME, d_model).bfloat16()
    exact = formula(copy.deepcopy(module).double(), x.double())
    # 8 bits: half a unit in the last place is 2^-9 of a number; the bias may cancel
    assert_close(module(x).double(), exact, rtol=2**-8, atol=2**-10)


@facts("gain", [torch.float32, torch.bfloat16])
def test_rms_norm_rounds_bfloat16_once_whatever_the_gain(gain):
    x, weight = torch.randn(TIME, 509).bfloat16(), torch.randn(509).bfloat16()
    once = rms_norm(x.float(), weight.float(), eps=1e-6).bfloat16()
    module = RMSNorm(509).to(gain)
    module.weight.data = weight.to(gain)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = module(x)
    # float32 inside may differ in its last bits, which rarely turns a rounding
    assert (y == once).float().mean() > 0.999


def test_under_autocast_types_that_differ_raise_no_warning():
    with torch.autocast("cpu", dtype=torch.bfloat16), warnings.catch_warnings():
        warnings.simplefilter("error")
        RMSNorm(D_MODEL)(torch.randn(TIME, D_MODEL).bfloat16())


@facts("gain", [torch.float16, torch.float32])
def test_large_half_precision_numbers_do_not_overflow(gain):
    x = torch.full((TIME, D_MODEL), 3e4, dtype=torch.float16)  # its square does
    with torch.autocast("cpu", dtype=torch.float16):
        y = RMSNorm(D_MODEL).to(gain)(x)
    assert torch.equal(y, torch.ones_like(y))


# Parity with PyTorch and Hugging Face


@EACH_DTYPE
@facts("ours, theirs", [(LayerNorm, nn.LayerNorm), (RMSNorm, nn.RMSNorm)])
def test_parity_with_pytorch_and_gradient(ours, theirs, dtype, tolerance, parity):
    ours = random_norm(ours, dtype=dtype, eps=1e-4)
    theirs = theirs(D_MODEL, eps=1e-4).to(dtype)
    theirs.load_state_dict(ours.state_dict())
    x, direction = torch.randn(2, BATCH, TIME, D_MODEL, dtype=dtype)
    check_parity(parity, ours, theirs, x, direction, tolerance)


@EACH_DTYPE
def test_the_formulas_are_the_functions_of_pytorch(dtype, tolerance, parity):
    x = torch.randn(BATCH, TIME, D_MODEL, dtype=dtype)
    weight, bias = torch.randn(2, D_MODEL, dtype=dtype)
    expected = F.layer_norm(x, (D_MODEL,), weight, bias, 1e-3)
    found = layer_norm(x, weight, bias, eps=1e-3)
    parity(layer_norm, F.layer_norm).values(found, expected, **tolerance)
    expected = F.rms_norm(x, (D_MODEL,), weight, 1e-3)
    found = rms_norm(x, weight, eps=1e-3)
    parity(rms_norm, F.rms_norm).values(found, expected, **tolerance)


@facts("theirs", [LlamaRMSNorm, T5LayerNorm])
@facts(
    "dtype, tolerance",
    # Theirs works in float32 whatever comes: half a unit in the last place is 6e-8 of
    # a number, and a few roundings add up to less than 1e-6.
    [(torch.float64, {"rtol": 1e-6, "atol": 1e-6}), (torch.float32, SINGLE)],
)
def test_parity_with_hugging_face_llama_and_t5(theirs, dtype, tolerance, parity):
    ours, theirs = random_norm(RMSNorm, dtype=dtype), theirs(D_MODEL).to(dtype)
    theirs.load_state_dict(ours.state_dict())
    x, direction = torch.randn(2, BATCH, TIME, D_MODEL, dtype=dtype)
    check_parity(parity, ours, theirs, x, direction, tolerance)


def test_half_precision_is_no_further_off_than_hugging_face_llama():
    ours = random_norm(RMSNorm, 509, dtype=torch.bfloat16)
    theirs = LlamaRMSNorm(509).bfloat16()
    theirs.load_state_dict(ours.state_dict())
    x = torch.randn(TIME, 509).bfloat16()
    exact = rms_norm(x.double(), ours.weight.double(), eps=ours.eps)
    our_error, their_error = (
        (norm(x).double() - exact).square().mean() for norm in (ours, theirs)
    )
    assert our_error < their_error  # one rounding instead of two


def test_parity_with_the_norms_of_hugging_face_bert(parity):
    config = BertConfig(hidden_size=D_MODEL * 2, num_attention_heads=2)
    theirs = BertLayer(config).output.LayerNorm.double()
    ours = LayerNorm(D_MODEL * 2, eps=config.layer_norm_eps).double()
    ours.load_state_dict(theirs.state_dict())
    x, direction = torch.randn(2, BATCH, D_MODEL * 2, dtype=torch.float64)
    assert isinstance(theirs, nn.LayerNorm)
    norm_of_bert = "transformers.models.bert.modeling_bert.BertLayer.output.LayerNorm"
    check_parity(parity, ours, theirs, x, direction, EXACT, name=norm_of_bert)


def test_the_names_of_the_norms():
    assert set(NORMS) == {"layer", "rms"}
    assert NORMS["layer"] is LayerNorm
    assert NORMS["rms"] is RMSNorm


# Errors

X, ONES = torch.zeros(2, 4), torch.ones(4)
BAD_INPUTS = {
    ValueError: {
        "eps.*above 0.*got 0; pass": lambda: layer_norm(X, ONES, ONES, eps=0.0),
        r"weight.*got shapes \(3,\) and \(2, 4\); change": lambda: rms_norm(
            X, torch.ones(3), eps=1e-6
        ),
        r"weight.*got shapes \(3,\)": lambda: layer_norm(
            X, torch.ones(3), ONES, eps=1e-5
        ),
        r"bias.*got shapes \(2, 4\)": lambda: layer_norm(
            X, ONES, torch.ones(2, 4), eps=1e-5
        ),
        r"weight.*got shapes \(\) and \(\)": lambda: rms_norm(
            torch.tensor(1.0), torch.tensor(1.0), eps=1e-6
        ),
        r"x.*\(..., d_model=4\).*got \(4, 1\); put": lambda: RMSNorm(4)(X.T[:, :1]),
        r"x.*\(..., d_model=1\).*got \(\)": lambda: RMSNorm(1)(torch.tensor(1.0)),
    },
    TypeError: {
        r"eps.*got '1e-6' \(str\); pass": lambda: rms_norm(X, ONES, eps="1e-6"),
        "x.*got torch.int64": lambda: rms_norm(X.long(), ONES, eps=1e-6),
        "x must.*got torch.int32": lambda: RMSNorm(4)(X.int()),
    },
}
OF_EACH_NORM = {
    ValueError: {
        "eps.*above 0.*got -1e-05": lambda norm: norm(4, eps=-1e-5),
    },
}


@refusals(BAD_INPUTS)
def test_bad_input_is_refused_with_what_to_do(error, words, call, refuses):
    refuses(call, error, words)


@EACH_NORM
@refusals(OF_EACH_NORM)
def test_what_neither_norm_takes_is_refused(norm, error, words, call, refuses):
    refuses(lambda: call(norm), error, words)
