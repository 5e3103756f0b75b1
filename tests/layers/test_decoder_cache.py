"""The cache of a stack of decoder layers."""

import torch

from bookkit.checking.facts import facts, refusals
from transformer.layers import DecoderCache


def decoder_cache():
    return DecoderCache(2, batch=2, num_kv_heads=3, max_len=11, d_head=5)


def advance(cache, time):
    for layer in cache:
        layer.self_attention.update(*2 * [torch.ones(2, 3, time, 5)])
    cache.advance(time)


def test_a_decoder_cache_remembers_no_mask_while_there_is_no_padding():
    cache = decoder_cache()
    assert cache.remember(None, 4) is None
    advance(cache, 4)
    assert cache.remember(None, 1) is None
    assert (cache.length, cache.max_len) == (4, 11)


def test_a_decoder_cache_remembers_where_padding_was():
    cache = decoder_cache()
    prompt = torch.tensor([[False, True, True], [True, True, True]])
    assert torch.equal(cache.remember(prompt, 3), prompt)
    advance(cache, 3)
    later = cache.remember(None, 2)
    assert torch.equal(later, torch.cat((prompt, torch.ones(2, 2).bool()), dim=1))


def test_padding_may_come_later_than_the_prompt():
    cache = decoder_cache()
    cache.remember(None, 3)
    advance(cache, 3)
    new = torch.tensor([[True], [False]])
    seen = cache.remember(new, 1)
    assert torch.equal(seen, torch.cat((torch.ones(2, 3).bool(), new), dim=1))


def test_what_was_remembered_for_a_refused_step_is_forgotten():
    cache = decoder_cache()
    cache.remember(torch.zeros(2, 3).bool(), 3)  # and then the step fails
    assert cache.remember(None, 3).all()


def test_it_says_what_it_holds():
    assert repr(decoder_cache()) == (
        "DecoderCache(2 layers of KVCache(0 of 11 positions held, batch=2, "
        "num_kv_heads=3, d_head=5, torch.float32, device=cpu))"
    )


def test_an_empty_cache_is_made_from_sizes():
    sizes = {"batch": 2, "num_kv_heads": 3, "max_len": 11, "d_head": 5}
    cache = DecoderCache(7, **sizes, source=13, dtype=torch.float64)
    assert len(cache) == len(list(cache)) == 7
    for own, crossed in cache:
        assert own.keys.shape == own.values.shape == (2, 3, 11, 5)
        assert crossed.keys.shape == (2, 3, 13, 5)
        assert own.keys.dtype == crossed.values.dtype == torch.float64
    assert DecoderCache(7, **sizes)[6].cross_attention is None


BAD_INPUTS = {
    ValueError: {
        r"the cache.*got 12 more for KVCache\(0 of 11 positions held": lambda: (
            decoder_cache().remember(None, 12)
        ),
        r"real.*\(2, 4\).*got \(2, 1\) on cpu; pass": lambda: decoder_cache().remember(
            torch.ones(2, 1).bool(), 4
        ),
    },
    TypeError: {
        r"time.*got '4' \(str\); pass": lambda: decoder_cache().remember(None, "4"),
        "real.*got list; write": lambda: decoder_cache().remember([[True, True]], 2),
        "real.*got torch.float32; write": lambda: decoder_cache().remember(
            torch.ones(2, 4), 4
        ),
    },
}


@refusals(BAD_INPUTS)
def test_bad_input_is_refused_with_what_to_do(error, words, call, refuses):
    refuses(call, error, words)


def with_memory():
    """Two layers that hold three rows of random numbers; row 1 starts with padding."""
    sizes = {"batch": 3, "num_kv_heads": 2, "max_len": 11, "d_head": 5}
    cache = DecoderCache(2, **sizes, source=7)
    real = torch.ones(3, 4).bool()
    real[1, 0] = False
    cache.remember(real, 4)
    for own, crossed in cache:
        own.update(*torch.randn(2, 3, 2, 4, 5))
        crossed.update(*torch.randn(2, 3, 2, 7, 5))
    cache.advance(4, source=7)
    return cache


def contents(cache):
    """Copies of all keys and values that are held, in order."""
    parts = [part for layer in cache for part in layer]
    return [held.clone() for part in parts for held in part.held()]


def test_rows_are_selected_in_every_layer_and_in_the_memory():
    cache, rows = with_memory(), torch.tensor([2, 1, 1, 0])
    before, real = contents(cache), cache.real.clone()
    cache.select(rows)
    for found, expected in zip(contents(cache), before, strict=True):
        assert torch.equal(found, expected[rows])
    assert torch.equal(cache.real, real[rows])
    assert cache.remember(None, 1)[:, 0].tolist() == [True, False, False, True]


def test_a_cache_without_memory_is_selected_too():
    cache = decoder_cache()
    advance(cache, 4)
    cache.select(torch.tensor([1, 1, 0]))
    assert cache[1].self_attention.held()[0].shape == (3, 3, 4, 5)


@facts("rows", [[1, 1, 0], [1]], ids=["more", "fewer"])
def test_the_first_padding_may_come_after_rows_were_selected(rows):
    cache = decoder_cache()
    cache.remember(None, 4)
    advance(cache, 4)
    cache.select(torch.tensor(rows))
    new = torch.arange(len(rows))[:, None] != 0  # padding in the first row
    seen = cache.remember(new, 1)
    assert torch.equal(seen, torch.cat((torch.ones(len(rows), 4).bool(), new), dim=1))


def test_truncation_forgets_positions_and_keeps_the_memory():
    cache = with_memory()
    before = contents(cache)
    cache.truncate(2)
    assert cache.length == 2
    for number, (found, old) in enumerate(zip(contents(cache), before, strict=True)):
        kept = 2 if number % 4 < 2 else 7  # own keys and values, then the memory's
        assert torch.equal(found, old[:, :, :kept])


def test_truncated_padding_is_forgotten():
    cache = with_memory()
    cache.truncate(0)
    assert cache.remember(None, 4).all()


def test_a_refused_selection_changes_nothing(refuses):
    cache = with_memory()
    before = contents(cache)
    refuses(
        lambda: cache.select(torch.tensor([0, 3])),
        ValueError,
        "rows.*0.*2.*got rows from 0 to 3",
    )
    for found, expected in zip(contents(cache), before, strict=True):
        assert torch.equal(found, expected)


def test_more_positions_than_are_held_cannot_be_kept(refuses):
    refuses(lambda: with_memory().truncate(5), ValueError, "a cache.*got length=5")
