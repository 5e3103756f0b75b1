"""A cache holds keys and values, says what it holds and refuses to overflow."""

import torch

from bookkit.checking.facts import facts, refusals
from transformer.layers import DecoderCache, KVCache


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


def test_values_may_be_of_another_size_than_keys():
    cache, whole = KVCache(2, 3, 11, 5, d_value=7), KVCache(2, 3, 11, 5, num_layers=2)
    key, value = torch.randn(2, 3, 4, 5), torch.randn(2, 3, 4, 7)
    held = cache.update(key, value)
    assert torch.equal(held[0], key)
    assert torch.equal(held[1], value)
    cache.select(torch.tensor([1, 1]))
    assert torch.equal(cache.held()[1], value[[1, 1]])
    assert whole.values.shape == whole.keys.shape


def test_the_cache_of_a_decoder_tells_its_layers():
    sizes = {"batch": 2, "num_kv_heads": 1, "max_len": 11, "d_head": 5, "d_value": 3}
    own = DecoderCache(2, **sizes)[1].self_attention
    assert (own.keys.shape, own.values.shape) == ((2, 1, 11, 5), (2, 1, 11, 3))


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
    ValueError: {
        "value must have shape.*d_head=7.*got": lambda: KVCache(
            2, 3, 4, 5, d_value=7
        ).update(*2 * [torch.ones(2, 3, 1, 5)]),
        r"the cache.*got 2 more for KVCache\(3 of 4 .*; make": lambda: FILLED.update(
            *2 * [torch.ones(2, 3, 2, 5)]
        ),
        "key and value.*got 1 and 0; pass": lambda: FILLED.update(
            torch.ones(2, 3, 1, 5), torch.ones(2, 3, 0, 5)
        ),
        "key and value.*got 1 and 2": lambda: KVCache(2, 3, 4, 5).update(
            torch.ones(2, 3, 1, 5), torch.ones(2, 3, 2, 5)
        ),
        r"the cache.*got 3 layers in KVCache\(0 of 4 .*; pass": lambda: KVCache(
            2, 1, 4, 5, num_layers=3
        ).update(*2 * [torch.ones(2, 1, 1, 5)]),
        r"key.*\(batch=2, num_kv_heads=3, .*got \(2, 6, 1, 5\); make": lambda: (
            FILLED.update(torch.ones(2, 6, 1, 5), torch.ones(2, 3, 1, 5))
        ),
        r"value.*\(batch=2.*got \(1, 3, 1, 5\)": lambda: FILLED.update(
            torch.ones(2, 3, 1, 5), torch.ones(1, 3, 1, 5)
        ),
        r"key.*got \(2, 1, 5\)": lambda: FILLED.update(*2 * [torch.ones(2, 1, 5)]),
        "cache and key.*got cpu and meta": lambda: FILLED.update(
            *2 * [torch.ones(2, 3, 1, 5, device="meta")]
        ),
        "key.*got one that does; a": lambda: FILLED.update(
            *2 * [torch.ones(2, 3, 1, 5, requires_grad=True)]
        ),
    },
    TypeError: {
        "dtype must be .*torch.int64": lambda: KVCache(2, 3, 4, 5, dtype=torch.int64),
        "cache and key.*got torch.float32 and torch.float64": lambda: FILLED.update(
            *2 * [torch.ones(2, 3, 1, 5).double()]
        ),
    },
}


@refusals(BAD_INPUTS)
def test_bad_input_is_refused_with_what_to_do(error, words, call, refuses):
    refuses(call, error, words)


def test_a_refused_update_changes_nothing(refuses):
    before = FILLED.keys.clone()
    keys, values = torch.ones(2, 3, 1, 5), torch.ones(1, 3, 1, 5)
    refuses(lambda: FILLED.update(keys, values), ValueError, "value", "shape")
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
    ValueError: {
        "rows.*0.*1.*got rows from 0 to 2; number": lambda: filled(2).select(
            torch.tensor([0, 2])
        ),
        "rows.*0.*1.*got rows from -1 to 0": lambda: filled(2).select(
            torch.tensor([-1, 0])
        ),
        r"rows.*\(chosen,\).*got \(0,\); pass": lambda: filled(2).select(
            torch.tensor([]).long()
        ),
        r"rows.*\(chosen,\).*got \(1, 2\)": lambda: filled(2).select(
            torch.tensor([[0, 1]])
        ),
        r"a cache.*got length=8 for KVCache\(7 of 11 .*; pass": lambda: filled(
            2
        ).truncate(8),
        "length.*at least 0.*got -1": lambda: filled(2).truncate(-1),
    },
    TypeError: {
        "rows.*got torch.bool": lambda: filled(2).select(torch.tensor([True, False])),
        "length.*got 0.5": lambda: filled(2).truncate(0.5),
    },
}


@refusals(BAD_CHANGES)
def test_bad_changes_are_refused_with_what_to_do(error, words, call, refuses):
    refuses(call, error, words)
