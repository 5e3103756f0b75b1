"""Scaled dot-product and multi-head attention, by their five witnesses."""

import math
import re

import pytest
import torch
import torch.nn.functional as F
from torch.testing import assert_close

from bookkit.checking.facts import facts, refusals
from transformer.layers import (
    causal_mask,
    scaled_dot_product_attention,
)
from transformer.layers.attention import fused_attention, share_heads, split_heads

EXACT = {"rtol": 1e-12, "atol": 1e-12}
# float32 keeps about seven digits; the sums here have fewer than 100 terms.
SINGLE = {"rtol": 1e-5, "atol": 1e-5}

BATCH, HEADS, TARGET, SOURCE, D_HEAD, D_VALUE = 2, 3, 5, 7, 11, 13


def draw(*shape, dtype=torch.float64, grad=False):
    return torch.randn(*shape, dtype=dtype, requires_grad=grad)


def draw_inputs(target=TARGET, source=SOURCE, dtype=torch.float64, grad=False):
    return (
        draw(BATCH, HEADS, target, D_HEAD, dtype=dtype, grad=grad),
        draw(BATCH, HEADS, source, D_HEAD, dtype=dtype, grad=grad),
        draw(BATCH, HEADS, source, D_VALUE, dtype=dtype, grad=grad),
    )


def some_mask(*shape):
    """A random mask in which every query may attend to the first key."""
    mask = torch.rand(*shape) < 0.5
    mask[..., 0] = True
    return mask


def double(module):
    """A module in float64 in which every parameter, biases too, is random."""
    module = module.double()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.normal_(std=0.5)
    return module


# The equation by hand


def test_the_worked_example_of_the_book():
    x = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], dtype=torch.float64)
    values, weights = scaled_dot_product_attention(x, x, x, need_weights=True)
    expected_weights = [
        [0.4011, 0.1978, 0.4011],
        [0.1978, 0.4011, 0.4011],
        [0.2483, 0.2483, 0.5035],
    ]
    expected_values = [[0.8022, 0.5989], [0.5989, 0.8022], [0.7517, 0.7517]]
    four = {"rtol": 0, "atol": 5e-5}  # the expectations have four decimals
    assert_close(weights, torch.tensor(expected_weights, dtype=x.dtype), **four)
    assert_close(values, torch.tensor(expected_values, dtype=x.dtype), **four)


def test_equation_one_written_as_loops():
    query, key, value = (x[0, 0] for x in draw_inputs())
    values, _ = scaled_dot_product_attention(query, key, value, need_weights=True)
    for t in range(TARGET):
        scores = [sum(query[t] * key[s]).item() / D_HEAD**0.5 for s in range(SOURCE)]
        total = sum(math.exp(score) for score in scores)
        expected = sum(
            math.exp(scores[s]) / total * value[s] for s in range(SOURCE)
        )  # (d_value,)
        assert_close(values[t], expected, **EXACT)


def test_bias_is_added_to_the_scaled_scores():
    query, key, value = draw_inputs()
    bias = draw(HEADS, TARGET, SOURCE)
    _, weights = scaled_dot_product_attention(
        query, key, value, bias=bias, scale=0.5, need_weights=True
    )
    expected = (0.5 * query @ key.mT + bias).softmax(dim=-1)
    assert_close(weights, expected, **EXACT)


@facts("dtype", [torch.float64, torch.float32, torch.float16])
def test_a_masked_score_is_minus_infinity(dtype):
    query, key, _ = draw_inputs(dtype=dtype)
    mask = some_mask(TARGET, SOURCE)
    _, weights = scaled_dot_product_attention(
        query, key, key, mask=mask, need_weights=True
    )
    scores = (query * D_HEAD**-0.5) @ key.mT
    assert torch.equal(weights, scores.masked_fill(~mask, -torch.inf).softmax(dim=-1))


def test_a_very_low_bias_takes_no_weight_from_other_keys_nor_gives_it_to_masked_ones():
    query, key, value = draw_inputs()
    bias = torch.zeros(TARGET, SOURCE).double()
    bias[:, :2] = torch.finfo(bias.dtype).min
    mask = torch.ones(TARGET, SOURCE, dtype=torch.bool)
    mask[:, 2:] = False  # only keys of the lowest score are left
    options = {"mask": mask, "bias": bias}
    values, weights = scaled_dot_product_attention(
        query, key, value, **options, need_weights=True
    )
    assert_close(weights.sum(dim=-1), torch.ones(BATCH, HEADS, TARGET).double())
    assert torch.equal(weights[..., 2:], torch.zeros(BATCH, HEADS, TARGET, 5).double())
    fused, _ = scaled_dot_product_attention(
        query, key, value, **options, need_weights=False
    )
    assert_close(values, fused, **EXACT)


def test_half_precision_does_not_overflow_before_the_scale_acts():
    query, key, value = (100 * x.half() for x in draw_inputs())
    for need_weights in (True, False):
        values, _ = scaled_dot_product_attention(
            query, key, value, need_weights=need_weights
        )
        assert values.isfinite().all()


def test_causal_weights_of_the_book():
    scores = torch.tensor([[2.0, 1, 0], [1, 2, 1], [0, 1, 2]], dtype=torch.float64)
    eye = torch.eye(3, dtype=torch.float64)
    _, weights = scaled_dot_product_attention(
        scores, eye, eye, scale=1.0, mask=causal_mask(3), need_weights=True
    )
    expected = [[1, 0, 0], [0.2689, 0.7311, 0], [0.0900, 0.2447, 0.6652]]
    assert_close(weights, torch.tensor(expected, dtype=eye.dtype), rtol=0, atol=5e-5)


# Shapes


def test_shapes_with_distinct_primes():
    values, weights = scaled_dot_product_attention(*draw_inputs(), need_weights=True)
    assert values.shape == (BATCH, HEADS, TARGET, D_VALUE)
    assert weights.shape == (BATCH, HEADS, TARGET, SOURCE)


@facts("leading", [(), (2,), (2, 3), (2, 3, 5)])
def test_any_number_of_leading_axes(leading):
    query, key = draw(*leading, TARGET, D_HEAD), draw(*leading, SOURCE, D_HEAD)
    for need_weights in (True, False):
        values, _ = scaled_dot_product_attention(
            query, key, key, need_weights=need_weights
        )
        assert values.shape == (*leading, TARGET, D_HEAD)


@facts("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_the_result_has_the_dtype_of_the_input(dtype):
    query, key, value = draw_inputs(dtype=dtype)
    values, weights = scaled_dot_product_attention(query, key, value, need_weights=True)
    assert values.dtype == weights.dtype == dtype


# Invariants


@facts("with_bias", [True, False])
@facts("need_weights", [True, False])
def test_a_query_that_may_see_nothing_gets_zero_and_no_nan(need_weights, with_bias):
    query, key, value = inputs = draw_inputs(grad=True)
    mask = some_mask(TARGET, SOURCE)
    mask[2] = False
    values, weights = scaled_dot_product_attention(
        query,
        key,
        value,
        mask=mask,
        bias=draw(TARGET, SOURCE) if with_bias else None,
        need_weights=need_weights,
    )
    values.sum().backward()
    assert torch.equal(values[..., 2, :], torch.zeros(BATCH, HEADS, D_VALUE).double())
    assert all(x.grad.isfinite().all() for x in inputs)
    assert torch.equal(query.grad[..., 2, :], torch.zeros(2, 3, D_HEAD).double())
    if need_weights:
        assert_close(
            weights.sum(dim=-1), mask.any(dim=-1).double().expand(2, 3, -1), **EXACT
        )


MASKS = {
    "none": lambda: None,
    "causal": lambda: causal_mask(TARGET, SOURCE),
    "random": lambda: some_mask(TARGET, SOURCE),
    "per batch": lambda: some_mask(BATCH, 1, 1, SOURCE),
    "per head": lambda: some_mask(BATCH, HEADS, TARGET, SOURCE),
    "per key": lambda: some_mask(SOURCE),
}
BIASES = {
    "none": lambda: None,
    "shared": lambda: draw(TARGET, SOURCE),
    "per head": lambda: draw(HEADS, TARGET, SOURCE),
    "per key": lambda: draw(SOURCE),
}


# Queries that see no key, beside others that see some.
UNSEEING = {
    "one row": lambda: some_mask(TARGET, SOURCE) & rows_but(TARGET, 2),
    "all rows": lambda: torch.zeros(TARGET, SOURCE, dtype=torch.bool),
    "one row of one sequence": lambda: (
        some_mask(BATCH, 1, TARGET, SOURCE) & rows_but(BATCH * TARGET, 3, BATCH, 1)
    ),
    "one row of one head": lambda: (
        some_mask(BATCH, HEADS, TARGET, SOURCE)
        & rows_but(BATCH * HEADS * TARGET, 17, BATCH, HEADS)
    ),
    "one sequence": lambda: some_mask(BATCH, 1, 1, SOURCE) & rows_but(2, 1, 2, 1),
    "no key": lambda: torch.zeros(SOURCE, dtype=torch.bool),
}


def rows_but(count, unseeing, *leading):
    """A column that is True for all of `count` rows but one."""
    column = torch.arange(count) != unseeing
    return column.view(*leading, -1, 1)


def both_paths(*inputs, bias=None, **options):
    """The values of the formula and of the fused kernel, each with its gradients."""
    wanted = (*inputs, *([] if bias is None else [bias.requires_grad_()]))
    direction, results = draw(BATCH, HEADS, TARGET, D_VALUE), []
    for need_weights in (True, False):
        values, _ = scaled_dot_product_attention(
            *inputs, bias=bias, need_weights=need_weights, **options
        )
        results.append((values, torch.autograd.grad(values, wanted, direction)))
    return results


@facts("bias", BIASES)
@facts("mask", MASKS | UNSEEING)
@facts("scale", [None, 0.7])
def test_fused_and_formula_agree_with_gradients(mask, bias, scale):
    options = {"mask": (MASKS | UNSEEING)[mask](), "bias": BIASES[bias]()}
    formula, fused = both_paths(*draw_inputs(grad=True), scale=scale, **options)
    assert_close(fused, formula, **EXACT)


def bare_kernel(query, key, value, *, attn_mask, scale, **_):
    """The formula as it stands: a row without any key is NaN, and so are gradients."""
    scores = scale * query @ key.transpose(-2, -1)
    if attn_mask.dtype == torch.bool:
        attn_mask = torch.zeros_like(scores).masked_fill(~attn_mask, -torch.inf)
    return (scores + attn_mask).softmax(dim=-1) @ value


@facts("readable", [True, False])  # on a CPU; on a GPU
@facts("bias", ["none", "per head", "per key"])
@facts("mask", ["causal", "per key", *UNSEEING])
def test_no_kernel_is_asked_for_a_row_without_a_key(mask, bias, readable, monkeypatch):
    # PyTorch's own kernel for CPUs gives zero there; others have given NaN.
    monkeypatch.setattr(F, "scaled_dot_product_attention", bare_kernel)
    if not readable:
        monkeypatch.setattr("transformer.layers.attention.can_read", lambda mask: False)
    options = {"mask": (MASKS | UNSEEING)[mask](), "bias": BIASES[bias]()}
    formula, fused = both_paths(*draw_inputs(grad=True), **options)
    assert_close(fused, formula, **EXACT)


@facts("mask", MASKS | UNSEEING)
def test_heads_that_share_a_key_agree_with_gradients(mask):
    query, key, value = draw_inputs()
    inputs = [x.requires_grad_() for x in (query, key[:, :1], value[:, :1])]
    mask, direction = (MASKS | UNSEEING)[mask](), draw(BATCH, HEADS, TARGET, D_VALUE)
    fused = fused_attention(*inputs, mask, None, D_HEAD**-0.5, 0.0)
    many = (share_heads(x, HEADS) for x in inputs[1:])
    formula = scaled_dot_product_attention(
        query, *many, mask=mask, need_weights=True
    ).values
    gradients = [torch.autograd.grad(x, inputs, direction) for x in (fused, formula)]
    assert_close(fused, formula, **EXACT)
    assert_close(*gradients, **EXACT)


@facts("need_weights", [True, False])
@facts("mask", [None, causal_mask(TARGET, SOURCE)])
def test_dropout_acts_on_both_paths_with_and_without_a_mask(mask, need_weights):
    options = {"mask": mask, "dropout": 0.5, "need_weights": need_weights}
    inputs = draw_inputs()
    first, second = (
        scaled_dot_product_attention(*inputs, **options).values for _ in range(2)
    )
    assert not torch.equal(first, second)


# Parity with PyTorch


@facts("dtype", [torch.float64, torch.float32])
@facts("mask", MASKS)
def test_parity_with_the_function_of_pytorch(mask, dtype, parity):
    inputs = draw_inputs(dtype=dtype, grad=True)
    mask, direction = MASKS[mask](), draw(BATCH, HEADS, TARGET, D_VALUE, dtype=dtype)
    ours, _ = scaled_dot_product_attention(*inputs, mask=mask, need_weights=True)
    attn_mask = None if mask is None else torch.atleast_2d(mask)
    theirs = F.scaled_dot_product_attention(*inputs, attn_mask=attn_mask)
    bounds = EXACT if dtype == torch.float64 else SINGLE
    compared = parity(
        scaled_dot_product_attention,
        "torch.nn.functional.scaled_dot_product_attention",
    )
    compared.values(ours, theirs, **bounds)
    compared.gradients(
        torch.autograd.grad(ours, inputs, direction),
        torch.autograd.grad(theirs, inputs, direction),
        **bounds,
    )


def test_a_bias_that_learns_learns_where_many_are_mapped():
    query = torch.randn(2, 4, 3, 5).double()
    key, value = torch.randn(2, 2, 2, 7, 5).double()  # of half as many heads
    mask = torch.rand(3, 7) > 0.4
    mask[1] = False
    biases = torch.randn(3, 4, 3, 7).double().requires_grad_()

    def values(bias):
        return fused_attention(query, key, value, mask, bias, 0.3, 0.0)

    together, alone = torch.vmap(values)(biases), torch.stack([*map(values, biases)])
    assert_close(together, alone)
    found, expected = (
        torch.autograd.grad(x.square().sum(), biases)[0] for x in (together, alone)
    )
    assert expected.abs().max() > 0.1
    assert_close(found, expected)


def test_bfloat16_stays_within_its_rounding():
    inputs = draw_inputs()
    exact, _ = scaled_dot_product_attention(*inputs, need_weights=True)
    rounded = [x.bfloat16() for x in inputs]
    for need_weights in (True, False):
        ours, _ = scaled_dot_product_attention(*rounded, need_weights=need_weights)
        # bfloat16 keeps 8 bits: about 0.4 % of a value, over a handful of steps
        assert_close(ours.double(), exact, rtol=0.05, atol=0.05)


def test_gradients_are_those_of_the_function():
    inputs = (draw(3, 2, grad=True), draw(5, 2, grad=True), draw(5, 3, grad=True))
    for need_weights in (True, False):

        def attend(*qkv, need_weights=need_weights):
            return scaled_dot_product_attention(
                *qkv, mask=causal_mask(3, 5), need_weights=need_weights
            ).values

        assert torch.autograd.gradcheck(attend, inputs)


# Errors

Q, K, V = torch.ones(2, 3), torch.ones(5, 3), torch.ones(5, 7)


@facts("name", ["mask", "bias"])
@facts("axis", range(4))
def test_scores_are_never_repeated_for_a_larger_mask_or_bias(axis, name, refuses):
    larger = [BATCH, HEADS, TARGET, SOURCE]
    batch, heads, target, source = scores = [*larger[:axis], 1, *larger[axis + 1 :]]
    query = draw(batch, heads, target, D_HEAD)
    key, value = draw(batch, heads, source, D_HEAD), draw(batch, heads, source, D_VALUE)
    given = {"mask": torch.ones(larger).bool(), "bias": draw(*larger)}[name]
    refuses(
        lambda: scaled_dot_product_attention(query, key, value, **{name: given}),
        ValueError,
        f"{name} must broadcast to the scores of shape {re.escape(str(tuple(scores)))}",
    )


BAD_INPUTS = {
    TypeError: {
        "key.*got torch.int64; convert": lambda: scaled_dot_product_attention(
            Q, K.long(), V
        ),
        "mask.*got torch.float32; .*": lambda: scaled_dot_product_attention(
            Q, K, V, mask=torch.zeros(2, 5)
        ),
        "mask.*got list": lambda: scaled_dot_product_attention(Q, K, V, mask=[[True]]),
        r"scale.*got '1' \(str\)": lambda: scaled_dot_product_attention(
            Q, K, V, scale="1"
        ),
    },
    ValueError: {
        r"query, key and value.*got \(1, 2, 3\), \(5, 3\) and \(5, 7\)": lambda: (
            scaled_dot_product_attention(Q[None], K, V)
        ),
        "key and value.*got 5 and 4": lambda: scaled_dot_product_attention(Q, K, V[:4]),
        r"key.*got shape \(0, 3\); pass": lambda: scaled_dot_product_attention(
            Q, K[:0], V[:0]
        ),
        r"key.*got shape \(5, 0\); pass": lambda: scaled_dot_product_attention(
            Q[:, :0], K[:, :0], V
        ),
        r"mask.*\(2, 5\).*got \(5, 2\); rows": lambda: scaled_dot_product_attention(
            Q, K, V, mask=causal_mask(2, 5).T
        ),
        r"mask.*\(2, 5\).*got \(1, 2, 5\)": lambda: scaled_dot_product_attention(
            Q, K, V, mask=causal_mask(2, 5)[None]
        ),
        r"bias.*\(2, 5\).*got \(2, 4\)": lambda: scaled_dot_product_attention(
            Q, K, V, bias=torch.zeros(2, 4)
        ),
        "bias.*got infinite numbers or NaN; .*": lambda: scaled_dot_product_attention(
            Q, K, V, bias=torch.full((5,), -torch.inf)
        ),
        "scale.*above 0.*got nan": lambda: scaled_dot_product_attention(
            Q, K, V, scale=float("nan")
        ),
        "num_heads.*got features=8 and num_heads=3": lambda: split_heads(
            torch.ones(1, 2, 8), 3
        ),
        "num_kv_heads.*got num_heads=6 and num_kv_heads=4": lambda: share_heads(
            torch.ones(1, 4, 2, 8), 6
        ),
        "scale.*above 0.*got 0": lambda: scaled_dot_product_attention(
            Q, K, V, scale=0.0
        ),
        "dropout.*at least 0.*below 1.*got 1.0": lambda: scaled_dot_product_attention(
            Q, K, V, dropout=1.0
        ),
    },
}


@refusals(BAD_INPUTS)
def test_bad_input_is_refused_with_what_to_do(error, words, call, refuses):
    refuses(call, error, words)


def test_shapes_are_checked_at_test_time():
    with pytest.raises(TypeError, match="dimension d_head is 7 which does not"):
        scaled_dot_product_attention.__wrapped__(Q, V, V)
