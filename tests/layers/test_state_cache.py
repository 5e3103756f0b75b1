"""The cache of a layer that keeps a state, alone and in a stack."""

import torch

from bookkit.checking.facts import facts
from transformer.layers import DecoderCache, StateCache

BATCH, SHAPES = 3, ((2, 5), (7,))


def numbers(*, batch=BATCH, dtype=torch.float32):
    """A state: its first numbers tell the row."""
    rows = torch.arange(1, batch + 1, dtype=dtype)
    return tuple(
        rows.view(-1, *(1 for _ in shape)).expand(batch, *shape) for shape in SHAPES
    )


def filled(time=4):
    cache = StateCache(BATCH, SHAPES)
    cache.update(time, numbers())
    return cache


def stack(**options):
    """A cache of three layers, of which the middle one keeps a state."""
    sizes = {"batch": BATCH, "num_kv_heads": 2, "max_len": 11, "d_head": 5}
    return DecoderCache(3, **sizes, states={1: SHAPES}, **options)


def step(cache, time):
    for number, layer in enumerate(cache):
        if number == 1:
            layer.self_attention.update(time, numbers())
        else:
            keys = torch.ones(BATCH, 2, time, 5).to(cache.own.keys.dtype)
            layer.self_attention.update(keys, keys)


def test_a_state_replaces_the_one_before_and_counts_the_positions():
    cache = filled()
    cache.update(3, tuple(2 * x for x in numbers()))
    assert [x[:, 0].flatten().tolist()[-1] for x in cache.state] == [6, 6]
    assert (cache.length, cache.batch) == (7, BATCH)


@facts("dtype", [torch.bfloat16, torch.float16, torch.float32, torch.float64])
def test_a_state_has_at_least_the_precision_of_float32(dtype):
    cache = StateCache(BATCH, SHAPES, dtype=dtype)
    cache.update(1, numbers(dtype=dtype))
    wanted = torch.float64 if dtype == torch.float64 else torch.float32
    assert all(x.dtype == wanted for x in cache.state)


@facts("rows", [[2, 0, 1], [1, 1], [0, 2, 2, 1, 0]])
def test_rows_are_kept_repeated_and_reordered(rows):
    cache = filled()
    cache.select(torch.tensor(rows))
    assert cache.batch == len(rows)
    for tensor in cache.state:
        assert tensor.flatten(1)[:, 0].tolist() == [row + 1 for row in rows]


def test_a_state_goes_back_to_the_start_and_nowhere_else(refuses):
    cache = filled(4)
    cache.truncate(4)
    assert cache.state[1].any()
    refuses(lambda: cache.truncate(3), ValueError, "a state can go back.*got length=3")
    cache.truncate(0)
    assert cache.length == 0
    assert not any(x.any() for x in cache.state)


def test_a_stack_has_keys_for_some_layers_and_states_for_others():
    cache = stack(dtype=torch.float64)
    assert (len(cache), len(cache.states), cache.own.keys.size(0)) == (3, 1, 2)
    assert cache.states[1].state[0].dtype == torch.float64
    step(cache, 4)
    cache.advance(4)
    assert cache.length == cache[1].self_attention.length == 4
    assert cache[2].self_attention.held()[0].all()
    assert repr(cache).endswith("device=cpu), 1 with a state)")


def test_a_stack_may_have_states_alone():
    sizes = {"batch": BATCH, "num_kv_heads": 2, "max_len": 11, "d_head": 5}
    cache = DecoderCache(2, **sizes, states={0: SHAPES, 1: SHAPES})
    assert len(cache) == 2
    assert cache.own.keys.numel() == 0


def test_a_step_that_fails_leaves_the_state_as_it_was():
    cache = stack()
    step(cache, 4)  # and then the step fails
    assert not cache[1].self_attention.state[0].any()
    assert cache.length == 0


def test_rows_and_positions_of_a_stack_are_those_of_all_its_layers(refuses):
    cache = stack()
    step(cache, 4)
    cache.advance(4)
    cache.select(torch.tensor([2, 0]))
    assert cache.states[1].state[1][:, 0].tolist() == [3, 1]
    refuses(lambda: cache.truncate(2), ValueError, "a state can go back.*got length=2")
    cache.truncate(0)
    assert not cache.states[1].state[0].any()
    assert (cache.length, cache.states[1].length) == (0, 0)


BAD_INPUTS = {
    "integers": (
        lambda: StateCache(1, SHAPES, dtype=torch.int64),
        TypeError,
        r"dtype.*got torch.int64",
    ),
    "another batch": (
        lambda: filled().update(1, numbers(batch=1)),
        ValueError,
        r"the state must have the shapes \[\(3, 2, 5\), \(3, 7\)\], got \[\(1",
    ),
    "gradients": (
        lambda: filled().update(1, [x.clone().requires_grad_() for x in numbers()]),
        ValueError,
        "the state must not need a gradient.*torch.no_grad",
    ),
    "a row too many": (
        lambda: filled().select(torch.tensor([3])),
        ValueError,
        "rows must lie from 0 to 2, got rows from 3",
    ),
}


@facts("case", BAD_INPUTS.values(), ids=[*BAD_INPUTS])
def test_what_does_not_fit_is_refused(case, refuses):
    refuses(*case)
