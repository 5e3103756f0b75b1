"""A cache holds keys and values, says what it holds and refuses to overflow."""

import torch

from bookkit.checking.facts import facts
from transformer.layers import KVCache


def test_what_was_added_is_held_in_order():
    cache = KVCache(2, 3, 11, 5)
    key, value = torch.randn(2, 3, 7, 5), torch.randn(2, 3, 7, 5)
    for piece in (slice(0, 4), slice(4, 5), slice(5, 7)):
        held = cache.update(key[:, :, piece], value[:, :, piece])
        assert torch.equal(held[0], key[:, :, : piece.stop])
        assert torch.equal(held[1], value[:, :, : piece.stop])
    assert cache.length == 7


def test_nothing_is_copied_when_a_position_is_added():
    cache = KVCache(2, 3, 11, 5)
    place = cache.keys.data_ptr(), cache.values.data_ptr()
    for _ in range(11):
        keys, values = cache.update(torch.ones(2, 3, 1, 5), torch.ones(2, 3, 1, 5))
        assert (keys.data_ptr(), values.data_ptr()) == place


@facts("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_a_cache_has_the_dtype_it_was_given(dtype):
    cache = KVCache(2, 3, 11, 5, dtype=dtype)
    assert cache.update(*2 * [torch.ones(2, 3, 1, 5, dtype=dtype)])[0].dtype == dtype


def test_a_cache_says_what_it_holds():
    cache = KVCache(2, 3, 11, 5)
    cache.update(torch.ones(2, 3, 4, 5), torch.ones(2, 3, 4, 5))
    assert repr(cache) == (
        "KVCache(4 of 11 positions held, batch=2, num_kv_heads=3, d_head=5, "
        "torch.float32, device=cpu)"
    )


@torch.inference_mode()
def made_for_inference():
    return KVCache(2, 3, 4, 5)


FILLED = KVCache(2, 3, 4, 5)
FILLED.update(torch.ones(2, 3, 3, 5), torch.ones(2, 3, 3, 5))

BAD_INPUTS = {
    "no room": (
        lambda: FILLED.update(*2 * [torch.ones(2, 3, 2, 5)]),
        ValueError,
        r"the cache must have room for all positions, got 2 more for KVCache\(3 of 4 "
        r"positions held, .*; make a cache with a larger max_len",
    ),
    "more keys than values": (
        lambda: FILLED.update(torch.ones(2, 3, 1, 5), torch.ones(2, 3, 0, 5)),
        ValueError,
        r"key and value must hold the same positions, got 1 and 0; pass them",
    ),
    "more values than keys": (
        lambda: KVCache(2, 3, 4, 5).update(
            torch.ones(2, 3, 1, 5), torch.ones(2, 3, 2, 5)
        ),
        ValueError,
        r"key and value must hold the same positions, got 1 and 2",
    ),
    "a cache of integers": (
        lambda: KVCache(2, 3, 4, 5, dtype=torch.int64),
        TypeError,
        r"dtype must be .*torch.int64",
    ),
    "no features": (
        lambda: KVCache(2, 3, 4, 0),
        ValueError,
        "^d_head must be at least 1, got 0",
    ),
    "a cache from inference mode": (
        lambda: made_for_inference().update(*2 * [torch.ones(2, 3, 1, 5)]),
        ValueError,
        r"the cache was made under torch.inference_mode\(\) and must be filled under "
        r"it, got a call",
    ),
    "several layers at once": (
        lambda: KVCache(2, 1, 4, 5, num_layers=3).update(*2 * [torch.ones(2, 1, 1, 5)]),
        ValueError,
        r"the cache must be that of one layer, got 3 layers in KVCache\(0 of 4 .*; "
        r"pass cache\.layer\(number\)\.$",
    ),
    "other heads": (
        lambda: FILLED.update(torch.ones(2, 6, 1, 5), torch.ones(2, 3, 1, 5)),
        ValueError,
        r"key must have shape \(batch=2, num_kv_heads=3, time, d_head=5\), got "
        r"\(2, 6, 1, 5\); make a cache of the sizes",
    ),
    "values of another batch": (
        lambda: FILLED.update(torch.ones(2, 3, 1, 5), torch.ones(1, 3, 1, 5)),
        ValueError,
        r"value must have shape \(batch=2, .* got \(1, 3, 1, 5\)",
    ),
    "keys without heads": (
        lambda: FILLED.update(*2 * [torch.ones(2, 1, 5)]),
        ValueError,
        r"key must have shape .* got \(2, 1, 5\)",
    ),
    "another dtype": (
        lambda: FILLED.update(*2 * [torch.ones(2, 3, 1, 5).double()]),
        TypeError,
        r"cache and key must have one dtype, got torch.float32 and torch.float64",
    ),
    "another device": (
        lambda: FILLED.update(*2 * [torch.ones(2, 3, 1, 5, device="meta")]),
        ValueError,
        r"cache and key must be on one device, got cpu and meta",
    ),
    "integers": (
        lambda: FILLED.update(*2 * [torch.ones(2, 3, 1, 5).long()]),
        TypeError,
        r"key must hold floating-point numbers, got torch.int64",
    ),
    "gradients": (
        lambda: FILLED.update(*2 * [torch.ones(2, 3, 1, 5, requires_grad=True)]),
        ValueError,
        r"key must not need a gradient, got one that does; a cache is for inference",
    ),
    "no positions": (
        lambda: KVCache(2, 3, 0, 5),
        ValueError,
        r"max_len must be at least 1, got 0",
    ),
    "a fractional batch": (
        lambda: KVCache(2.0, 3, 4, 5),
        TypeError,
        r"batch must be a whole number, got 2.0",
    ),
}


@facts("case", BAD_INPUTS.values(), ids=[*BAD_INPUTS])
def test_bad_input_is_refused_with_what_to_do(case, refuses):
    refuses(*case)


def test_a_refused_update_changes_nothing(refuses):
    before = FILLED.keys.clone()
    call = BAD_INPUTS["values of another batch"][0]
    refuses(call, ValueError, "value must have shape")
    assert FILLED.length == 3
    assert torch.equal(FILLED.keys, before)


def filled(rows, time=7):
    cache = KVCache(rows, 3, 11, 5)
    cache.update(torch.randn(rows, 3, time, 5), torch.randn(rows, 3, time, 5))
    return cache


@facts("rows", [[1, 0], [0], [1, 1, 0, 1]], ids=str)
def test_rows_are_kept_repeated_and_reordered(rows):
    cache = filled(2)
    keys, values = (x.clone() for x in cache.held())
    cache.select(torch.tensor(rows))
    assert torch.equal(cache.held()[0], keys[rows])
    assert torch.equal(cache.held()[1], values[rows])
    assert (cache.length, cache.max_len) == (7, 11)


@facts("dtype", [torch.uint8, torch.int32])
def test_rows_may_have_any_integer_type(dtype):
    cache = filled(2)
    keys = cache.held()[0].clone()
    cache.select(torch.tensor([1, 1, 0], dtype=dtype))
    assert torch.equal(cache.held()[0], keys[[1, 1, 0]])


def test_a_selected_cache_goes_on():
    cache, new = filled(2), torch.randn(3, 3, 4, 5)
    cache.select(torch.tensor([1, 1, 0]))
    old = cache.held()[0].clone()
    keys, values = cache.update(new, -new)
    assert torch.equal(keys, torch.cat((old, new), dim=2))
    assert torch.equal(values[:, :, 7:], -new)


def test_a_selected_row_is_no_longer_its_twin():
    cache = filled(1)
    cache.select(torch.tensor([0, 0]))
    new = torch.arange(2.0)[:, None, None, None].expand(2, 3, 1, 5)
    keys, _ = cache.update(new, new)
    assert torch.equal(keys[0, :, :7], keys[1, :, :7])
    assert (keys[0, :, 7] == 0).all()
    assert (keys[1, :, 7] == 1).all()


def test_truncated_positions_are_overwritten():
    cache, new = filled(2), torch.randn(2, 3, 2, 5)
    first = cache.held()[0][:, :, :4].clone()
    cache.truncate(4)
    keys, values = cache.update(new, -new)
    assert cache.length == 6
    assert torch.equal(keys, torch.cat((first, new), dim=2))
    assert torch.equal(values[:, :, 4:], -new)


def test_a_cache_may_forget_all_or_nothing():
    cache = filled(2)
    cache.truncate(7)
    assert cache.length == 7
    cache.truncate(0)
    assert cache.held()[0].shape == (2, 3, 0, 5)


BAD_CHANGES = {
    "a row that there is not": (
        lambda: filled(2).select(torch.tensor([0, 2])),
        ValueError,
        r"rows must lie from 0 to 1, got rows from 0 to 2; number them from 0",
    ),
    "a negative row": (
        lambda: filled(2).select(torch.tensor([-1, 0])),
        ValueError,
        r"rows must lie from 0 to 1, got rows from -1 to 0",
    ),
    "no rows": (
        lambda: filled(2).select(torch.tensor([]).long()),
        ValueError,
        r"rows must have shape \(chosen,\), with at least one row, got \(0,\); pass",
    ),
    "a table of rows": (
        lambda: filled(2).select(torch.tensor([[0, 1]])),
        ValueError,
        r"rows must have shape \(chosen,\), .* got \(1, 2\)",
    ),
    "marked rows": (
        lambda: filled(2).select(torch.tensor([True, False])),
        TypeError,
        r"rows must be integer ids, got torch.bool",
    ),
    "a list of rows": (
        lambda: filled(2).select([0, 1]),
        TypeError,
        r"rows must be a torch.Tensor, got list",
    ),
    "rows on another device": (
        lambda: filled(2).select(torch.zeros(2, device="meta").long()),
        ValueError,
        r"rows and the cache must be on one device, got meta and cpu; move the rows",
    ),
    "rows of a cache from inference mode": (
        lambda: made_for_inference().select(torch.tensor([0, 1])),
        ValueError,
        r"the cache was made under torch.inference_mode\(\) and must be filled under "
        r"it",
    ),
    "more positions than are held": (
        lambda: filled(2).truncate(8),
        ValueError,
        r"a cache must be truncated to what it holds, got length=8 for KVCache\(7 of "
        r"11 .*; pass 7 or less",
    ),
    "fewer positions than none": (
        lambda: filled(2).truncate(-1),
        ValueError,
        r"length must be at least 0, got -1",
    ),
    "half a position": (
        lambda: filled(2).truncate(0.5),
        TypeError,
        r"length must be a whole number, got 0.5",
    ),
}


@facts("case", BAD_CHANGES.values(), ids=[*BAD_CHANGES])
def test_bad_changes_are_refused_with_what_to_do(case, refuses):
    refuses(*case)
