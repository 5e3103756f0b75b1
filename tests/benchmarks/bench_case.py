"""What a benchmark is: two sides that do the same work, and the ratio aimed at."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise, zip_longest

import torch
from torch import Tensor

Call = Callable[[], Tensor | tuple[Tensor, ...]]


class DisagreementError(Exception):
    """The sides of a case do not compute the same."""


@dataclass(frozen=True, kw_only=True)
class Sides:
    """The calls that are measured; each returns what it has computed.

    Args:
        ours: The call of this package.
        reference: What it is held against.
        naive: The formula written out, to be seen beside the two.
        compared: Calls whose results must agree; those that are measured when None,
            others when those are random.
        work: How many times the work of the reference ours does; what is read of the
            reference is multiplied by it.
    """

    ours: Call
    reference: Call
    naive: Call | None = None
    compared: tuple[Call, ...] | None = None
    work: float = 1.0

    def calls(self) -> dict[str, Call]:
        """Return the calls by the name of their side."""
        calls = {"ours": self.ours, "reference": self.reference}
        return calls if self.naive is None else {**calls, "naive": self.naive}


@dataclass(frozen=True, kw_only=True)
class Case:
    """A comparison with a name.

    Args:
        name: What is computed.
        reference: What ours is held against, in a few words.
        build: Makes the sides on a device; called only when the case is run.
        aim: The largest ratio of ours to the reference that is aimed at, if any.
        tolerance: How far apart results may be, relative to their length.
        unit: "ms" to measure time, "MiB" to measure the peak of memory.
        tokens: How many tokens a call writes, if it writes a text.
    """

    name: str
    reference: str
    build: Callable[[torch.device], Sides]
    aim: float | None = None
    tolerance: float = 1e-3  # float32, summed in another order through whole stacks
    unit: str = "ms"
    tokens: int = 0


def check_agreement(sides: Sides, tolerance: float) -> None:
    """Refuse sides that return different results: they would not do the same work."""
    calls = sides.calls().values() if sides.compared is None else sides.compared
    results = [as_tuple(call()) for call in calls]
    for mine, other in pairwise(results):
        apart = [distance(a, b) for a, b in zip_longest(mine, other)]
        if not all(d <= tolerance for d in apart):  # NaN is not at most anything
            raise DisagreementError(
                "the sides disagree: their results should be at most "
                f"{tolerance:g} apart, got {', '.join(f'{d:.2g}' for d in apart)}"
            )


def distance(a: Tensor | None, b: Tensor | None) -> float:
    """Return the length of the difference of two tensors, relative to the second.

    A whole tensor is judged, not its numbers one by one: where a ReLU switches at a
    rounding error, single numbers of a gradient differ.
    """
    if a is None or b is None or a.shape != b.shape:
        return torch.inf
    a, b = a.double(), b.double()
    return float((a - b).norm() / b.norm().clamp(min=1e-12))


def as_tuple(result: Tensor | tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """Return the tensors of a result, cut from their graph."""
    tensors = result if isinstance(result, tuple) else (result,)
    return tuple(tensor.detach() for tensor in tensors)
