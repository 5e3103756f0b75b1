"""Functions that compute a formula, put together from those of its parts.

Each takes the values of the names, and returns the value of what was read. An index
runs over what stands below a sum, or over what dots stand for.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from bookkit.checking.formulas import values
from bookkit.checking.formulas.tokens import split
from bookkit.checking.formulas.values import RELATIONS, Family, FormulaError

Names = Mapping[str, Any]
Compute = Callable[[Names], Any]
Fold = Callable[[Any, Any], Any]
NAMES: dict[str, Any] = {
    "e": math.e,
    "pi": math.pi,
    "infty": math.inf,
    "otherwise": "otherwise",
    "exp": np.exp,
    "ln": np.log,
    "log": np.log,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "max": lambda *of: np.maximum.reduce(np.broadcast_arrays(*of)),
    "min": lambda *of: np.minimum.reduce(np.broadcast_arrays(*of)),
}
BOUNDS = {r"\le", r"\ge"}
ARROWS = {r"\to", r"\mapsto"}
Choices = Callable[[Names], list[dict[str, int]]]
HOLE = r"\hole"  # what runs where a formula writes dots


@dataclass(frozen=True)
class Scope:
    """The values of the names, what letters run over, and how indices count."""

    names: Names
    letters: Mapping[str, Sequence[int]]
    first: int
    attained: bool
    bold: bool = True
    tolerance: float = values.TOLERANCE

    def relation(self, sign: str) -> Callable[[Any, Any], Any]:
        """Return what a sign says: a bound that is attained is an equation."""
        if sign in ARROWS:
            return lambda left, right: self.same(self.names["arrow"](left), right)
        equal = (self.attained and sign in BOUNDS) or RELATIONS[sign] is values.same
        return self.same if equal else RELATIONS[sign]

    def same(self, left: Any, right: Any) -> bool:
        """Say whether two values agree, as closely as the formula is written."""
        return values.same(left, right, self.tolerance)

    def is_function(self, key: str) -> bool:
        """Say whether what has this name is applied to something."""
        known = self.names.get(key)
        return callable(known) or (isinstance(known, Family) and known.functions)


class Several(list):
    """Arguments that a formula writes with dots."""


def named(key: str) -> Compute:
    """Look a name up."""

    def found(names: Names) -> Any:
        if key not in names:
            raise FormulaError(f"nothing is known of {key!r}")
        return names[key]

    return found


def checked(read: Compute, *, bold: bool, key: str) -> Compute:
    """Let a name be bold where it is a vector or a matrix, and only there."""

    def found(names: Names) -> Any:
        value = read(names)
        number = np.ndim(value) == 0 or np.asarray(value).dtype == bool
        if not isinstance(value, list | str | Family) and bold == number:
            raise FormulaError(f"{key!r} must be bold where it is no number")
        return value

    return found


def related(
    relations: list[Callable[[Any, Any], Any]], chain: list[Compute]
) -> Compute:
    """Say whether all relations of a chain hold; its `sides` are the first two not."""

    def compared(names: Names) -> Iterator[tuple[Callable[[Any, Any], Any], Any, Any]]:
        of = [part(names) for part in chain]
        return zip(relations, of, of[1:], strict=False)

    def found(names: Names) -> Any:
        results = [holds(left, right) for holds, left, right in compared(names)]
        return results[0] if len(results) == 1 else bool(np.all(results))

    found.sides = lambda names: next(
        (left, right)
        for holds, left, right in compared(names)
        if not np.all(holds(left, right))
    )
    return found


def spread(parts: list[Compute], names: Names) -> list[Any]:
    """Return the values of parts, those that dots stand for among them."""
    found: list[Any] = []
    for part in parts:
        value = part(names)
        found += value if isinstance(value, Several) else [value]
    return found


def folded(fold: Fold, parts: list[Compute]) -> Compute:
    """Combine parts from the left."""
    if len(parts) == 1:
        return parts[0]
    return lambda names: total(fold, [part(names) for part in parts])


def total(fold: Fold, found: list[Any]) -> Any:
    """Combine values from the left; of none it is zero."""
    result = found[0] if found else 0
    for value in found[1:]:
        result = fold(result, value)
    return result


def bracketed(opening: str, parts: list[Compute]) -> Compute:
    """Return what brackets make of one part: a size, a length, or 1 where it holds."""
    if len(parts) > 1:
        return lambda names: np.array(spread(parts, names))
    made = {
        r"\lvert": _size,
        "|": _size,
        r"\lVert": np.linalg.norm,
        r"\lfloor": math.floor,
        r"\lceil": math.ceil,
    }.get(opening, _number)
    return lambda names: made(parts[0](names))


def _size(value: Any) -> Any:
    return len(value) if isinstance(value, list | tuple | str) else np.abs(value)


def _number(value: Any) -> Any:
    return float(value) if isinstance(value, bool | np.bool_) else value


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
