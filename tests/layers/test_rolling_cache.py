"""A rolling cache holds what its window shows, and no more places than that."""

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.utils._python_dispatch import TorchDispatchMode

from bookkit.checking.facts import facts, refusals
from transformer.layers import RollingDecoderCache, RollingKVCache, window_mask

MAX_LEN, KV_HEADS, D_HEAD = 101, 3, 5


def text(time, batch=2):
    """Keys that tell their position, and values that tell it with another sign."""
    positions = torch.arange(float(time))[:, None]  # (time, 1)
    key = positions.expand(batch, KV_HEADS, time, D_HEAD)
    return key, -key


def rolling(window=3, sink_tokens=0, spare=0, batch=2, **options):
    sizes = (batch, KV_HEADS, MAX_LEN, D_HEAD)
    stays = {"sink_tokens": sink_tokens, "spare": spare}
    return RollingKVCache(*sizes, window=window, **stays, **options)


def seen(keys):
    """The positions of keys, which are those of the values too."""
    return keys[0, 0, :, 0].long().tolist()


def test_a_circle_of_three_places_by_hand():
    cache, (key, value) = rolling(window=3), text(5)
    found = [seen(cache.update(key[:, :, [t]], value[:, :, [t]])[0]) for t in range(5)]
    assert found == [
        [0],
        [0, 1],
        [0, 1, 2],
        [1, 2, 3],
        [2, 3, 4],
    ]
    assert seen(cache.keys) == [3, 4, 2]  # written in a circle
    assert (cache.length, cache.max_len) == (5, 101)


def test_the_first_tokens_keep_their_places_by_hand():
    cache, (key, value) = rolling(window=2, sink_tokens=2), text(7)
    for t in range(7):
        keys, _ = cache.update(key[:, :, [t]], value[:, :, [t]])
    assert seen(keys) == [0, 1, 5, 6]
    assert seen(cache.keys) == [0, 1, 6, 5]


pieces = st.lists(st.integers(1, 13), min_size=1, max_size=7)


@given(lengths=pieces, window=st.integers(1, 7), sinks=st.integers(0, 5))
def test_each_piece_gets_all_that_its_window_shows_in_order(lengths, window, sinks):
    cache, (key, value) = rolling(window, sinks), text(sum(lengths))
    assert cache.places == window + sinks
    for number, time in enumerate(lengths):
        piece = slice(sum(lengths[:number]), sum(lengths[: number + 1]))
        keys, values = cache.update(key[:, :, piece], value[:, :, piece])
        mask = window_mask(time, piece.stop, window=window, sink_tokens=sinks)
        needed = mask.any(dim=0).nonzero()[:, 0].tolist()
        found = seen(keys)
        assert torch.equal(values, -keys)
        assert set(needed) <= set(found)
        assert found == sorted(found)
        assert found[-time:] == list(range(piece.start, piece.stop))
        if piece.stop > cache.places:  # what nobody sees is not handed out
            assert found == needed


@given(
    lengths=pieces,
    window=st.integers(1, 7),
    sinks=st.integers(0, 5),
    spare=st.integers(0, 5),
    data=st.data(),
)
def test_what_is_spare_can_be_taken_back(lengths, window, sinks, spare, data):
    cache, length = rolling(window, sinks, spare), 0
    for time in lengths:
        key, value = text(length + time)
        keys, _ = cache.update(key[:, :, length:], value[:, :, length:])
        mask = window_mask(time, length + time, window=window, sink_tokens=sinks)
        assert {*mask.any(dim=0).nonzero()[:, 0].tolist()} <= {*seen(keys)}
        length = data.draw(st.integers(max(0, cache.newest - spare), cache.length))
        cache.truncate(length)


class Places(TorchDispatchMode):
    """Notes the places that are written."""

    def __init__(self):
        super().__init__()
        self.written = []

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        if "index_copy" in operation.name():
            self.written.append(args[2].tolist())
        return operation(*args, **(kwargs or {}))


@facts("sink_tokens", [0, 2])
def test_no_place_is_written_twice_by_one_piece(sink_tokens):
    cache, (key, value) = rolling(3, sink_tokens), text(23)
    with Places() as places:
        cache.update(key[:, :, :1], value[:, :, :1])
        cache.update(key[:, :, 1:], value[:, :, 1:])
    for written in places.written:  # in which order, no device would promise
        assert len({*written}) == len(written)
    assert len(places.written[-1]) == 3 + max(0, sink_tokens - 1)


@facts("rows", [[1, 0], [0], [1, 1, 0, 1]], ids=str)
def test_rows_are_kept_repeated_and_reordered(rows):
    cache, (key, value) = rolling(window=3), text(7)
    key = key + torch.tensor([100.0, 200.0])[:, None, None, None]
    cache.update(key, value)
    cache.select(torch.tensor(rows))
    new = torch.zeros(len(rows), KV_HEADS, 1, D_HEAD)
    keys, values = cache.update(new, new)
    assert torch.equal(keys[:, :, :-1], key[rows][:, :, 5:])
    assert torch.equal(values[:, :, :-1], value[rows][:, :, 5:])


@facts("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_a_rolling_cache_has_the_dtype_it_was_given(dtype):
    cache, (key, value) = rolling(dtype=dtype), text(7)
    assert cache.update(key.to(dtype), value.to(dtype))[0].dtype == dtype


def test_a_short_text_takes_no_more_places_than_it_has_positions():
    cache = RollingKVCache(2, KV_HEADS, 5, D_HEAD, window=64)
    assert cache.keys.shape == (2, KV_HEADS, 5, D_HEAD)


def stack(windows=(3, None), **options):
    sizes = {"batch": 2, "num_kv_heads": KV_HEADS, "max_len": 11, "d_head": D_HEAD}
    return RollingDecoderCache(windows, **sizes, **options)


def advance(cache, start, end):
    """Let each layer write some positions; return the positions that each has seen."""
    key, value = text(end)
    given = key[:, :, start:end], value[:, :, start:end]
    found = [seen(layer.self_attention.update(*given)[0]) for layer in cache]
    cache.advance(end - start)
    return found


def test_a_layer_with_a_window_forgets_and_its_neighbor_does_not():
    cache = stack()
    assert len(cache) == 2
    advance(cache, 0, 5)
    assert advance(cache, 5, 6) == [[3, 4, 5], [0, 1, 2, 3, 4, 5]]
    sizes = [layer.self_attention.keys.size(2) for layer in cache]
    assert (sizes, cache.length, cache.max_len) == ([3, 11], 6, 11)


def test_a_step_that_fails_leaves_one_more_try():
    cache = stack()
    advance(cache, 0, 5)
    key, value = text(6)
    cache[0].self_attention.update(key[:, :, 5:], value[:, :, 5:])  # and no other layer
    assert cache.length == 5
    assert advance(cache, 5, 6) == [[3, 4, 5], [0, 1, 2, 3, 4, 5]]


def test_a_stack_takes_spare_positions_back_and_selects_rows():
    cache = stack(spare=2)
    advance(cache, 0, 7)
    cache.truncate(5)
    cache.select(torch.tensor([1, 1, 0]))
    key = torch.full((3, KV_HEADS, 1, D_HEAD), 5.0)
    found = [seen(layer.self_attention.update(key, key)[0]) for layer in cache]
    assert found == [[3, 4, 5], [0, 1, 2, 3, 4, 5]]


def test_a_stack_says_what_it_holds():
    assert repr(stack()) == (
        "DecoderCache(2 layers of LayerCaches(0 of 11 positions read, 3, 11 places))"
    )


def after(cache, length):
    """The cache, after a text of so many positions."""
    cache.update(*text(length))
    return cache


def lost():
    """A cache in which a failed step has overwritten what the next one needs."""
    cache = stack()
    advance(cache, 0, 5)
    cache[0].self_attention.update(*text(3))
    return cache


def rewritten():
    """A cache that has read seven positions, forgotten two and read one again."""
    cache = after(rolling(spare=2), 7)
    cache.truncate(5)
    key, value = text(6)
    cache.update(key[:, :, 5:], value[:, :, 5:])
    return cache


def filled_stack():
    cache = stack()
    advance(cache, 0, 5)
    return cache


BAD_INPUTS = {
    ValueError: {
        "window.*at least 1.*got 0": lambda: rolling(window=0),
        "sink_tokens.*at least 0.*got -1": lambda: rolling(sink_tokens=-1),
        "spare.*at least 0.*got -2": lambda: rolling(spare=-2),
        "the cache.*got 102 more": lambda: rolling().update(*text(102)),
        "key.*num_kv_heads=3.*got .2, 1, 4, 5.": lambda: rolling().update(
            *(x[:, :1] for x in text(4))
        ),
        "a rolling cache.*position 2.*from 4.*got 7 positions": lambda: after(
            rolling(), 7
        ).truncate(4),
        "a rolling cache.*position 3.*from 5.*got 8 positions": lambda: advance(
            lost(), 5, 6
        ),
        "a rolling cache.*position 1.*got 5 positions": lambda: filled_stack().truncate(
            3
        ),
        "a rolling cache.*position 1.*from 3.*got 7 positions": lambda: (
            rewritten().truncate(3)
        ),
        "a cache.*got length=9": lambda: after(rolling(), 7).truncate(9),
        r"windows.*got \[\]; pass": lambda: stack([]),
    },
    TypeError: {
        "window.*got None": lambda: rolling(window=None),
        "window.*got 2.0": lambda: stack([2.0]),
    },
}


@refusals(BAD_INPUTS)
def test_bad_input_is_refused_with_what_to_do(error, words, call, refuses):
    refuses(call, error, words)
