"""Bindings for the chapter without softmax."""

from collections.abc import Iterator

import torch
from formula_bindings import Draw, binds

from bookkit.checking.formulas import Binding, Family
from transformer.layers import (
    decay_mask,
    masked_linear_attention,
    recurrent_linear_attention,
    state_space,
)

TIME, D_KEY, D_VALUE = 5, 3, 4
PLACES = range(1, TIME + 1)


def one(x: torch.Tensor) -> torch.Tensor:
    """Return a sequence as a batch of one, with one head."""
    return x[None, None]


def sequence(draw: Draw) -> tuple[torch.Tensor, ...]:
    """Return queries, keys and values."""
    return draw(TIME, D_KEY), draw(TIME, D_KEY), draw(TIME, D_VALUE)


def columns(**rows: torch.Tensor) -> dict:
    """Return vectors as columns, one for each position."""
    return {name: x[..., None] for name, x in rows.items()}


def states(
    read: tuple, first: torch.Tensor | None = None, **given: torch.Tensor
) -> Family:
    """Return the state after each position, and before the first, zero if not given."""
    if first is None:
        first = torch.zeros(D_KEY, D_VALUE, dtype=torch.float64)

    def after(t: int) -> torch.Tensor:
        if t == 0:
            return first.numpy()
        cut = {name: x[..., :t] for name, x in given.items()}
        parts = (one(x[:t]) for x in read)
        found = recurrent_linear_attention(*parts, **cut, state=one(first))
        return found.state[0, 0].numpy()

    return Family(after)


@binds("eq-without-bracket")
def moved_bracket(draw: Draw) -> Binding:
    q, k, v = sequence(draw)
    return Binding({"Q": q, "K": k, "V": v})


@binds("eq-without-state")
def one_word_after_the_other(draw: Draw) -> Binding:
    q, k, v = sequence(draw)
    found = recurrent_linear_attention(*map(one, (q, k, v))).values[0, 0]
    names = {"S": states((q, k, v))} | columns(q=q, k=k, v=v, o=found)
    return Binding(names, {"t": PLACES})


@binds("eq-without-masked")
def all_at_once(draw: Draw) -> Binding:
    q, k, v = sequence(draw)
    found = masked_linear_attention(*map(one, (q, k, v))).values[0, 0]
    mask = torch.ones(TIME, TIME, dtype=torch.float64).tril()
    return Binding({"Q": q, "K": k, "V": v, "M": mask, "O": found})


@binds("eq-without-interference")
def what_comes_along(draw: Draw) -> Iterator[Binding]:
    q, k, v = sequence(draw)
    state = recurrent_linear_attention(*map(one, (q, k, v))).state[0, 0]
    for i in PLACES:
        names = {"S": state, "i": i} | columns(k=k, v=v)
        yield Binding(names, {"s": PLACES})


@binds("eq-without-decay")
def powers_of_a_decay(draw: Draw) -> Binding:
    log_decay = torch.full((3,), 0.7, dtype=torch.float64).log()
    return Binding({"M": decay_mask(log_decay), "a": 0.7})


@binds("eq-without-delta")
def only_the_difference(draw: Draw) -> Binding:
    (q, k, v), rate = sequence(draw), draw.positive(TIME) / 2
    names = {"S": states((q, k, v), rate=one(rate)), "beta": rate}
    return Binding(names | columns(k=k, v=v), {"t": PLACES})


@binds("eq-without-written")
def what_each_word_writes(draw: Draw) -> Iterator[Binding]:
    (q, k, v), rate = sequence(draw), draw.positive(TIME) / 2
    found = states((q, k, v), draw(D_KEY, D_VALUE), rate=one(rate))
    held = torch.stack([torch.tensor(found.at(t)) for t in range(TIME)])
    written = rate[:, None] * (v - (k[:, None] @ held)[:, 0])
    names = {"S": found, "beta": rate} | columns(k=k, v=v, u=written)
    for t in PLACES:
        yield Binding(names | {"t": t}, {"s": PLACES})


@binds("eq-without-space")
def steps_of_time(draw: Draw) -> Binding:
    c, b, x = sequence(draw)
    step, rate = draw.positive(TIME), torch.tensor([0.3], dtype=torch.float64)

    def after(t: int) -> torch.Tensor:
        if t == 0:
            return torch.zeros(D_KEY, D_VALUE, dtype=torch.float64).numpy()
        read = (one(part[:t]) for part in (x, step, b, c))
        written, steps, write, asked = read
        return state_space(written, steps, rate, write, asked).state[0, 0].numpy()

    found = state_space(one(x), one(step), rate, one(b), one(c)).values[0, 0]
    names = {"H": Family(after), "Delta": step, "lambda": 0.3}
    return Binding(names | columns(b=b, c=c, x=x, y=found), {"t": PLACES})
