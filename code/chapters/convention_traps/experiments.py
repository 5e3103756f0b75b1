"""One check that a wrong reading of a convention fails and the right one passes."""

import sys
from types import ModuleType
from typing import Any

import torch
from torch import Tensor, nn

from chapters.laboratory.fit import same_numbers
from chapters.tables import Table

SHOWN = 8  # numbers that are shown; of more only the distance
WHOLE = 1e-6  # how near an integer is one
VISIBLE = 1e-4  # what a wrong reading must miss by, to be seen in four decimals


def show_trap(truth: Any, *, wrong: Any, right: Any, atol: float = 1e-6) -> None:
    """Check that one reading misses the truth and another meets it, and show both.

    Args:
        truth: What must come out: numbers by hand, or what the library returns.
        wrong: What the wrong reading gives.
        right: What the right reading gives.
        atol: By how much the right reading may differ.

    Raises:
        AssertionError: If the wrong reading meets the truth, or the right one misses.
        ValueError: If the three have different shapes.
    """
    truth, wrong, right = (numbers(given) for given in (truth, wrong, right))
    if not truth.shape == wrong.shape == right.shape:
        raise ValueError(
            "truth, wrong and right must have one shape, got "
            f"{tuple(truth.shape)}, {tuple(wrong.shape)} and {tuple(right.shape)}; "
            "compare the same numbers."
        )
    if distance(wrong, truth) <= VISIBLE:
        raise AssertionError("the wrong reading must miss the truth, and meets it.")
    if not distance(right, truth) <= atol:
        raise AssertionError(
            f"the right reading must meet the truth within {atol}, and is off by "
            f"{distance(right, truth):.2g}."
        )
    rows = [
        ["wrong", *in_words(wrong), f"fails the check, {missed(wrong, truth)}"],
        ["right", *in_words(right), "passes"],
    ]
    head = ["reading", "gives", "check"]
    # IPython is there where a notebook runs; nothing else of the package needs it.
    from IPython.display import display

    display(Table(head if truth.numel() <= SHOWN else head[::2], rows))


def numbers(given: Any) -> Tensor:
    """Return what was given as float64 numbers on the CPU."""
    return torch.as_tensor(given).detach().to("cpu", torch.float64)


def distance(found: Tensor, truth: Tensor) -> float:
    """Return the largest difference of two tensors; what is no number is far away."""
    return (found - truth).abs().nan_to_num(nan=torch.inf).max().item()


def missed(wrong: Tensor, truth: Tensor) -> str:
    """Describe by how much a wrong reading misses the truth."""
    gap = distance(wrong, truth)
    if gap == torch.inf:
        return "not a number"
    return f"off by {one_number(gap, whole=is_whole(torch.tensor(gap)))}"


def in_words(values: Tensor) -> list[str]:
    """Write a few numbers with four decimals, whole ones with none, and many never."""
    if values.numel() > SHOWN:
        return []
    whole = is_whole(values)
    return ["; ".join(one_number(x, whole=whole) for x in values.flatten().tolist())]


def is_whole(values: Tensor) -> bool:
    """Return which numbers are integers up to rounding, however they are written."""
    return bool(((values - values.round()).abs() < WHOLE).all())


def one_number(value: float, *, whole: bool) -> str:
    """Write a number; one that rounds to zero has no sign."""
    places = 0 if whole else 4
    return f"{round(value, places) + 0.0:,.{places}f}"


def with_numbers(module: nn.Module, *, seed: int = 0) -> nn.Module:
    """Fill the parameters of a module with numbers that depend on the seed alone.

    Args:
        module: Any module; it is changed and set to evaluation mode.
        seed: Which numbers.
    """
    with same_numbers(seed), torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(0.5 * torch.randn(parameter.shape))
    return module.eval()


def module_of(thing: Any) -> ModuleType:
    """Return the Python module in which the class of an object, or a class, stands."""
    kind = thing if isinstance(thing, type) else type(thing)
    return sys.modules[kind.__module__]
