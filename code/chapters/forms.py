"""Forms of a page: several fields that make one answer, and small cases of code.

An exercise that asks for code may have a small case, whose result a reader works out by
hand. Its properties stand in BY_HAND of an `answers.py`, and judge an answer without a
function. Most of them are written here, from the right result: that it has its shape,
and that some of its numbers are right.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import torch

from chapters.regions import Region, about, every, numbers_of

Place = tuple[int, ...]


class Form(NamedTuple):
    """Fields, what each is called, and the answer that they make together."""

    parts: tuple[Any, ...]
    names: tuple[str, ...]
    answer: Callable[..., tuple]


def form_of_rows(matrix: list[list[float]]) -> Form:
    """Return a form with a field for each row of a matrix, which is the answer."""
    names = tuple(f"row {number}" for number in range(1, len(matrix) + 1))
    return Form(tuple(matrix), names, lambda *rows: (list(rows),))


class Shaped(NamedTuple):
    """A property of one list or matrix: its shape, and where its numbers lie."""

    shape: Place
    region: Region = every()

    def __call__(self, result: Any) -> bool:
        """Return whether an answer has the shape, and its numbers lie in the region."""
        try:
            has_shape = torch.as_tensor(result).shape == self.shape
        except (RuntimeError, TypeError, ValueError):  # words, or rows of two lengths
            return False
        return has_shape and self.region(result)


def shaped(right: list) -> Shaped:
    """Return a property of answers: they have the shape of the right result."""
    return Shaped(tuple(torch.tensor(right).shape))


def right_where(
    right: list, where: Callable[..., bool] = lambda *place: True, within: float = 1e-6
) -> Shaped:
    """Return a property of answers: the numbers at some places are right.

    Args:
        right: The right result, a list or a matrix.
        where: Whether a number counts, from its place, or from its row and column.
        within: How far a number may be from the right one.
    """
    wanted = [float(number) for number in numbers_of([right])]
    bands = []
    for n, (place, to) in enumerate(zip(_places(right), wanted, strict=True)):
        weights = (float(n == other) for other in range(len(wanted)))
        if where(*place):
            bands.append(about(*weights, to=to, within=within))
    return shaped(right)._replace(region=every(*bands))


def _places(part: Any, before: Place = ()) -> Iterator[Place]:
    """Yield the place of each number of a list, or of a matrix."""
    if isinstance(part, list):
        for number, inner in enumerate(part):
            yield from _places(inner, (*before, number))
    else:
        yield before
