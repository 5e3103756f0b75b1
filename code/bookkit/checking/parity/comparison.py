"""One comparison: the assertion of its bound and its record are the same thing."""

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor
from torch.testing import assert_close


class Comparison:
    """Compares tensors of ours with those of a reference, and records the result.

    Args:
        test: The id of the test that compares.
        ours: What of this package is compared: an object, a class, a function, a text.
        theirs: What it is compared with, likewise.
        record: Is called with what was measured.
    """

    def __init__(
        self, test: str, ours: Any, theirs: Any, record: Callable[[dict], None]
    ):
        self._names = {
            "test": test,
            "component": name_of(ours),
            "reference": name_of(theirs),
        }
        self._record = record

    def values(self, found: Any, expected: Any, **bound: Any) -> None:
        """Assert that values are equal within ``atol + rtol * |expected|``.

        Args:
            found: A tensor of ours, or a sequence of some.
            expected: The tensors of the reference.
            bound: `atol` and `rtol`; and `msg`, as in `torch.testing.assert_close`.
        """
        self._compare("forward", found, expected, **bound)

    def gradients(self, found: Any, expected: Any, **bound: Any) -> None:
        """Assert that gradients are equal within a bound, like `values`."""
        self._compare("gradient", found, expected, **bound)

    def _compare(
        self,
        what: str,
        found: Any,
        expected: Any,
        *,
        atol: float,
        rtol: float,
        msg: Callable[[str], str] | None = None,
    ) -> None:
        """Assert, then record what was measured."""
        pairs = list(zip(_tensors(found), _tensors(expected), strict=True))
        if not pairs:
            raise ValueError("a comparison must be of at least one tensor, got none")
        for one, other in pairs:
            assert_close(one, other, atol=atol, rtol=rtol, msg=msg)
        largest = max((one for one, _ in pairs), key=Tensor.numel)
        measured = {
            "what": what,
            "dtype": str(largest.dtype).removeprefix("torch."),
            "shape": list(largest.shape),
            "difference": max(_difference(*pair) for pair in pairs),
        }
        self._record(self._names | measured | {"atol": atol, "rtol": rtol})


def name_of(thing: Any) -> str:
    """Name a class, a function or the class of an object, by where it is found."""
    if isinstance(thing, str):
        return thing
    if not hasattr(thing, "__qualname__"):
        thing = type(thing)
    module = thing.__module__
    if module.startswith("torch.nn.modules."):
        module = "torch.nn"  # where its documentation has it
    return f"{module}.{thing.__qualname__}"


def _tensors(values: Tensor | Iterable) -> list[Tensor]:
    """List the tensors of nested sequences."""
    if isinstance(values, Tensor):
        return [values]
    return [tensor for value in values for tensor in _tensors(value)]


def _difference(one: Tensor, other: Tensor) -> float:
    """Return the largest absolute difference; equal infinities do not differ."""
    one, other = one.detach().double(), other.detach().double()
    apart = torch.where(one == other, 0.0, (one - other).abs())
    return float(apart.max()) if apart.numel() else 0.0
