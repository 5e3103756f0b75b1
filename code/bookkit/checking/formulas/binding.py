"""Check that a formula holds, given the values of its names."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from numbers import Number
from typing import Any

import numpy as np

from bookkit.checking.formulas.computing import ARROWS, NAMES, Scope
from bookkit.checking.formulas.parser import OVER_RANGES, Reader
from bookkit.checking.formulas.tokens import (
    levels,
    split,
    statements_of,
    tokens_of,
)
from bookkit.checking.formulas.values import RELATIONS, TOLERANCE, FormulaError

SIDES = "the left side is {}, the right side {}"
ALONE = "it gives {}, and must give {}"


@dataclass(frozen=True)
class Binding:
    """What the names of a formula mean.

    Args:
        names: The value of each: a number, an array, a function, or a `Family`.
        letters: What each index runs over where the formula does not say it.
        values: What the package computes for each expression that stands alone.
        first: The index of the first element of an array.
        bold: Whether bold names are told from others, as the pages do.
        attained: Whether the values are chosen so that each bound is attained.
        tolerance: How far what is equal may differ, where the formula is rounded.
    """

    names: Mapping[str, Any]
    letters: Mapping[str, Sequence[int]] = field(default_factory=dict)
    values: Sequence[Any] = ()
    first: int = 1
    attained: bool = False
    bold: bool = True
    tolerance: float = TOLERANCE

    @property
    def scope(self) -> Scope:
        """What a reader knows: these names, and those that every formula knows."""
        names = {key: _plain(value) for key, value in self.names.items()}
        of_values = (NAMES | names, self.letters, self.first)
        return Scope(*of_values, self.attained, self.bold, self.tolerance)


def refutation(latex: str, binding: Binding) -> str:
    """Say why a formula does not hold under a binding; say nothing where it holds."""
    try:
        with np.errstate(all="ignore"):
            return next(_failures(latex, binding), "")
    except (ValueError, ArithmeticError, TypeError, LookupError, RuntimeError) as error:
        return f"{type(error).__name__}: {error}"


def _failures(latex: str, binding: Binding) -> Iterator[str]:
    """Yield the statements that do not hold, and for which indices."""
    alone, scope = iter(binding.values), binding.scope
    for tokens in statements_of(tokens_of(latex), frozenset(scope.names)):
        if {",", r"\dots"} <= {*_outside(tokens)}:
            yield from _range(tokens, scope)
            continue
        read = Reader(tokens, scope).whole()
        related = bool({*RELATIONS, *ARROWS} & {*_outside(tokens)})
        expected = None if related else next(alone, None)
        if not related and expected is None:
            raise FormulaError(f"no value is known for {' '.join(tokens)}")
        for place in _places(tokens, binding.letters):
            names = {**scope.names, **place}
            found = read(names)
            wanted = expected(**place) if callable(expected) else expected
            form, sides = SIDES, (found, _plain(wanted))
            if not related:
                form, found = ALONE, scope.same(*sides)
            if not np.all(found):
                sides = read.sides(names) if related else sides
                told = _told(form, *sides, scope.first)
                yield f"{_written(tokens)} does not hold: {told}{_for(place)}"
    if next(alone, None) is not None:
        raise FormulaError("an expression is missing")


def _told(form: str, left: Any, right: Any, first: int) -> str:
    """Say two values that differ; of arrays the two elements that differ most."""
    where = ""
    if isinstance(left, np.ndarray) and left.shape == np.shape(right) != ():
        differences = np.abs(np.subtract(left, right, dtype=complex))
        at = np.unravel_index(np.argmax(differences), left.shape)
        left, right = left[at], np.asarray(right)[at]
        where = f", at {', '.join(str(i + first) for i in at)}"
    return form.format(_shown(left), _shown(right)) + where


def _written(tokens: Sequence[str]) -> str:
    """Write tokens as LaTeX, with space around relations and behind commands."""
    spaced = {sign: f" {sign} " for sign in RELATIONS}
    return "".join(spaced.get(t, f"{t} " if t[1:].isalpha() else t) for t in tokens)


def _shown(value: Any) -> str:
    """Show a number with six digits, and anything else as Python does."""
    is_number = isinstance(value, Number | np.ndarray) and np.ndim(value) == 0
    return f"{value:.6g}" if is_number else f"{value!r:.60}"


def _for(place: Mapping[str, int]) -> str:
    """Say for which indices."""
    return " for " * bool(place) + ", ".join(f"{k} = {i}" for k, i in place.items())


def _outside(tokens: list[str]) -> list[str]:
    """Leave out what stands in brackets."""
    return [token for token, depth in levels(tokens) if depth == 0]


def _range(tokens: list[str], scope: Scope) -> Iterator[str]:
    """Yield a range `i = 0, …, n` that is not that of the letter."""
    (letter, sign, *low), dots, high = split(tokens, ",")
    if (sign, dots) != ("=", [r"\dots"]):
        raise FormulaError(f"{' '.join(tokens)} is no range")
    bounds = [Reader(part, scope).whole()(scope.names) for part in (low, high)]
    runs = scope.letters[letter]
    if bounds != [runs[0], runs[-1]]:
        yield f"{letter} runs from {runs[0]} to {runs[-1]}"


def _places(
    tokens: list[str], letters: Mapping[str, Sequence[int]]
) -> Iterator[dict[str, int]]:
    """Yield the indices for which a statement must hold."""
    bound = {
        next(token for token in after if token != "{")
        for sign, mark, *after in zip(*(tokens[i:] for i in range(4)), strict=False)
        if sign in OVER_RANGES and mark == "_"
    }
    free = [letter for letter in letters if letter in tokens and letter not in bound]
    for place in product(*(letters[letter] for letter in free)):
        yield dict(zip(free, place, strict=True))


def _plain(value: Any) -> Any:
    """Turn a tensor into an array."""
    return value.detach().numpy() if hasattr(value, "detach") else value
