"""Tiles give what the formula gives, and never hold a row of it."""

import math

import torch
from torch.testing import assert_close
from torch.utils._python_dispatch import TorchDispatchMode

from bookkit.checking.facts import facts, refusals
from transformer.layers import (
    causal_mask,
    finish,
    merge,
    partial_attention,
    scaled_dot_product_attention,
    tiled_attention,
    window_mask,
)

EXACT = {"rtol": 1e-12, "atol": 1e-12}
BATCH, HEADS, TARGET, SOURCE, D_HEAD, D_VALUE = 2, 3, 13, 17, 5, 7


def draw(*shape, dtype=torch.float64):
    return torch.randn(*shape, dtype=dtype)


def draw_inputs(target=TARGET, source=SOURCE, dtype=torch.float64):
    return (
        draw(BATCH, HEADS, target, D_HEAD, dtype=dtype),
        draw(BATCH, HEADS, source, D_HEAD, dtype=dtype),
        draw(BATCH, HEADS, source, D_VALUE, dtype=dtype),
    )


# By hand


def test_four_scores_in_two_tiles_by_hand():
    scores = torch.tensor([[1.0], [3.0], [2.0], [4.0]]).double().log()
    value = torch.tensor([[10.0], [20.0], [30.0], [40.0]]).double()
    query = torch.ones(1, 1).double()
    first = partial_attention(query, scores[:2], value[:2], scale=1.0)
    assert_close(first.maximum, torch.tensor([[3.0]]).double().log(), **EXACT)
    assert_close(first.total, torch.tensor([[4 / 3]]).double(), rtol=1e-7, atol=0)
    assert_close(first.mix, torch.tensor([[70 / 3]]).double(), rtol=1e-7, atol=0)
    assert_close(finish(first), torch.tensor([[17.5]]).double(), rtol=1e-7, atol=0)
    second = partial_attention(query, scores[2:], value[2:], scale=1.0)
    both = merge(first, second)  # what was known shrinks by 3 / 4
    assert_close(both.maximum, torch.tensor([[4.0]]).double().log(), **EXACT)
    assert_close(both.total, torch.tensor([[2.5]]).double(), rtol=1e-7, atol=0)
    assert_close(both.mix, torch.tensor([[72.5]]).double(), rtol=1e-7, atol=0)
    assert_close(finish(both), torch.tensor([[29.0]]).double(), rtol=1e-7, atol=0)


# Equal to the formula


def hidden(kind, target, source):
    """What tiles are told, and the mask that the formula gets."""
    if kind == "window":
        return {"window": 4}, window_mask(target, source, window=4)
    if kind == "causal":
        return {"is_causal": True}, causal_mask(target, source)
    if kind == "of each head":
        mask = torch.rand(BATCH, HEADS, target, source) < 0.5
        return {"mask": mask}, mask
    if kind == "padding":
        mask = torch.rand(BATCH, 1, 1, source) < 0.5
        return {"mask": mask}, mask
    if kind == "all of it":
        mask = torch.rand(BATCH, 1, 1, source) < 0.5
        seen = mask & window_mask(target, source, window=5)
        return {"mask": mask, "is_causal": True, "window": 5}, seen
    return {}, None


KINDS = (None, "causal", "window", "padding", "of each head", "all of it")
EACH_KIND = facts("kind", KINDS, ids=str)


@EACH_KIND
@facts("tile", [1, 2, 5, 16, 17, 128])
@facts("target, source", [(TARGET, SOURCE), (SOURCE, SOURCE), (1, SOURCE)])
def test_tiles_equal_the_formula(kind, tile, target, source):
    inputs = draw_inputs(target, source)
    told, mask = hidden(kind, target, source)
    expected = scaled_dot_product_attention(*inputs, mask=mask, need_weights=True)
    found = tiled_attention(*inputs, tile=tile, **told)
    assert_close(found, expected.values, **EXACT)


def test_more_queries_than_keys_are_no_hindrance_without_an_order():
    inputs = draw_inputs(SOURCE, TARGET)
    expected, _ = scaled_dot_product_attention(*inputs)
    assert_close(tiled_attention(*inputs, tile=3), expected, **EXACT)


@EACH_KIND
def test_tiles_have_the_gradients_of_the_formula(kind):
    inputs = [x.requires_grad_() for x in draw_inputs(SOURCE, SOURCE)]
    told, mask = hidden(kind, SOURCE, SOURCE)
    direction, results = draw(BATCH, HEADS, SOURCE, D_VALUE), []
    for values in (
        scaled_dot_product_attention(*inputs, mask=mask).values,
        tiled_attention(*inputs, tile=4, **told),
    ):
        results.append(torch.autograd.grad(values, inputs, direction))
    assert_close(results[0], results[1], **EXACT)


@facts("scale", [None, 0.3])
def test_the_factor_on_the_scores_is_that_of_the_formula(scale):
    inputs = draw_inputs()
    expected, _ = scaled_dot_product_attention(*inputs, scale=scale)
    assert_close(tiled_attention(*inputs, tile=4, scale=scale), expected, **EXACT)


# What it must never do


class Sizes(TorchDispatchMode):
    """Notes the largest tensor that a computation makes."""

    largest = 0

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        found = operation(*args, **(kwargs or {}))
        if isinstance(found, torch.Tensor):
            self.largest = max(self.largest, found.numel())
        return found


@facts("told", [{}, {"is_causal": True}, {"window": 50}])
@torch.no_grad()
def test_no_tensor_has_a_number_for_each_pair(told):
    query, key, value = (draw(1, 1, 512, 2) for _ in range(3))
    with Sizes() as sizes:
        tiled_attention(query, key, value, tile=16, **told)
    assert sizes.largest == 512 * 2  # the result, and no more
    with Sizes() as sizes:
        scaled_dot_product_attention(query, key, value, need_weights=True)
    assert sizes.largest == 512 * 512


LEFT = [({}, 64), ({"is_causal": True}, 36), ({"window": 9}, 15), ({"window": 10}, 21)]


@facts("told, tiles", LEFT)
@torch.no_grad()
def test_tiles_that_are_hidden_are_left_out(told, tiles, monkeypatch):
    counted = []

    def count(*args, **options):
        counted.append(1)
        return partial_attention(*args, **options)

    monkeypatch.setattr("transformer.layers.tiles.partial_attention", count)
    query, key, value = (draw(1, 1, 64, 2) for _ in range(3))
    tiled_attention(query, key, value, tile=8, **told)
    assert len(counted) == tiles


# Numbers that overflow


def naive(query, key, value):
    """Sums of exponentials, and nothing subtracted."""
    numbers = (query @ key.transpose(-2, -1)).exp()
    return numbers @ value / numbers.sum(dim=-1, keepdim=True)


@facts("dtype", [torch.float16, torch.bfloat16])
@facts("size", [1.0, 8.0])
def test_half_precision_does_not_overflow_where_bare_exponentials_do(dtype, size):
    query, key, value = (size * draw(31, 16) for _ in range(3))
    query, key, value = (x.to(dtype) for x in (query, key, value))
    exact = scaled_dot_product_attention(
        query.double(), key.double(), value.double(), scale=1.0
    ).values
    found = tiled_attention(query, key, value, tile=4, scale=1.0)
    assert found.dtype == dtype
    half = 0.505 * torch.finfo(dtype).eps * exact.abs()  # rounded once, at the end
    assert ((found.double() - exact).abs() <= half + 1e-5 * size).all()
    if size > 1:
        assert not naive(query, key, value).isfinite().all()


def test_scores_that_fit_only_beside_their_maximum():
    scores = torch.tensor([[800.0], [801.0], [-1000.0], [799.0]])
    value = torch.tensor([[1.0], [2.0], [3.0], [4.0]])
    found = tiled_attention(torch.ones(1, 1), scores, value, tile=1, scale=1.0)
    numbers = [math.exp(-1), 1.0, 0.0, math.exp(-2)]
    expected = sum(n * v for n, v in zip(numbers, (1, 2, 3, 4), strict=True))
    assert_close(found.item(), expected / sum(numbers), rtol=1e-6, atol=1e-6)


# Tiles of which nothing is seen


@facts("tile", [1, 3, 17])
def test_a_query_that_sees_nothing_gets_zeros_and_no_gradient(tile):
    inputs = [x.requires_grad_() for x in draw_inputs(SOURCE, SOURCE)]
    mask = torch.rand(SOURCE, SOURCE) < 0.5
    mask[3] = False
    found = tiled_attention(*inputs, tile=tile, mask=mask)
    assert (found[..., 3, :] == 0).all()
    gradients = torch.autograd.grad(found.sum(), inputs)
    assert all(x.isfinite().all() for x in gradients)
    assert (gradients[0][..., 3, :] == 0).all()
    assert (gradients[0][..., 4, :] != 0).any()


@facts("hidden", [[0, 1], [1], [0], [3], [0, 3]], ids=str)
def test_a_tile_that_is_hidden_changes_nothing(hidden):
    query, key, value = draw_inputs(SOURCE, 16)
    mask = torch.ones(16).bool()
    for number in hidden:
        mask[4 * number : 4 * number + 4] = False
    found = tiled_attention(query, key, value, tile=4, mask=mask)
    expected, _ = scaled_dot_product_attention(
        query, key[..., mask, :], value[..., mask, :]
    )
    assert_close(found, expected, **EXACT)


def test_nothing_merged_with_nothing_is_nothing():
    query, key, value = draw_inputs()
    none = torch.zeros(TARGET, SOURCE).bool()
    empty = partial_attention(query, key, value, scale=1.0, mask=none)
    both = merge(empty, empty)
    assert (both.maximum == -math.inf).all()
    assert (both.total == 0).all()
    assert (finish(both) == 0).all()


# What does not fit


def call(**options):
    return tiled_attention(*draw_inputs(), **options)


BAD_INPUTS = {
    ValueError: {
        "window.*at least 1.*got 0": lambda: call(window=0),
        "scale.*above 0.*got 0": lambda: call(scale=0.0),
        "there must be a key for each query.*got 17 queries and 13 keys": lambda: (
            tiled_attention(*draw_inputs(17, 13), is_causal=True)
        ),
        "there must be a key.*got 17 queries": lambda: tiled_attention(
            *draw_inputs(17, 13), window=5
        ),
        r"mask must broadcast.* 13, 17\).*got \(17, 13\)": lambda: call(
            mask=torch.ones(17, 13).bool()
        ),
    },
    TypeError: {
        "mask.*got torch.float32": lambda: call(mask=torch.ones(13, 17)),
    },
}


@refusals(BAD_INPUTS)
def test_bad_input_is_refused_with_what_to_do(error, words, call, refuses):
    refuses(call, error, words)
