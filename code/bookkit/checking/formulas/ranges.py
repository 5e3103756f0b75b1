"""What an index runs over, and what dots stand for."""

from collections.abc import Callable
from itertools import product

from bookkit.checking.formulas.computing import Compute, Names, Scope
from bookkit.checking.formulas.tokens import split

Choices = Callable[[Names], list[dict[str, int]]]
HOLE = r"\hole"  # what runs where a formula writes dots


def choices(
    below: list[str],
    above: list[str],
    read: Callable[[list[str]], Compute],
    scope: Scope,
) -> Choices:
    """Read what stands at a sum: bounds, a set, a condition, or a letter alone."""
    letter, sign = below[0], "".join(below[1:2])
    if above and sign == "=":
        return bounded(letter, read(below[2:]), read(above))
    if sign == r"\in":
        elements = read(below[2:])
        return lambda names: [{letter: int(i)} for i in elements(names)]
    head, *tail = split(below, ":")
    running = [token for token in head if token in scope.letters]
    every = [
        dict(zip(running, place, strict=True))
        for place in product(*(scope.letters[one] for one in running))
    ]
    condition = read(tail[0] if tail else head)
    if not tail and len(head) == 1:
        return lambda _: every
    return lambda names: [one for one in every if condition({**names, **one})]


def bounded(letter: str, low: Compute, high: Compute, *, down: bool = False) -> Choices:
    """Let a letter run from a bound to a bound."""
    step = -1 if down else 1

    def chosen(names: Names) -> list[dict[str, int]]:
        start, stop = round(low(names)), round(high(names))
        return [{letter: i} for i in range(start, stop + step, step)]

    return chosen


def between(first: list[str], last: list[str]) -> tuple[list[str], ...]:
    """Find the one place where `first … last` differ: a template, and its two ends."""
    begin = _shared(first, last)
    end = _shared(first[:begin:-1], last[:begin:-1])
    template = [*first[:begin], HOLE, *first[len(first) - end :]]
    ends = (first[begin : len(first) - end], last[begin : len(last) - end])
    return template, *(of[1:-1] if of[:1] == ["{"] else of for of in ends)


def falls(low: list[str], high: list[str]) -> bool:
    """Say whether dots lead down: from 3 to 1, or from N to 1."""
    if not high[0].isdigit():
        return False
    return not low[0].isdigit() or int(low[0]) > int(high[0])


def _shared(one: list[str], two: list[str]) -> int:
    """Count the tokens with which two texts begin alike."""
    alike = [a == b for a, b in zip(one, two, strict=False)]
    return [*alike, False].index(False)
