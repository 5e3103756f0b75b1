"""The file of this chapter with other lines, and what one sees of it at once."""

from pathlib import Path
from types import ModuleType

import torch

from chapters.one_page import one_page_transformer

FILE = Path(one_page_transformer.__file__)


def listing() -> str:
    """Return the text of the file."""
    return FILE.read_text(encoding="utf-8")


def changed(*changes: tuple[str, str]) -> ModuleType:
    """Return the file as a module in which some pieces of text are others.

    Args:
        *changes: Each a piece that the file holds once, and what stands in its place.

    Raises:
        ValueError: If the file does not hold a piece, or holds it more than once.
    """
    text = listing()
    for old, new in changes:
        if (count := text.count(old)) != 1:
            raise ValueError(
                f"the file must hold {old!r} once, and holds it {count} times; copy a "
                "whole line."
            )
        text = text.replace(old, new)
    module = ModuleType("changed")
    exec(compile(text, "changed", "exec"), vars(module))
    return module


@torch.no_grad()
def leak(machine: ModuleType) -> float:
    """Return how much an earlier logit of a fresh model moves with the last sign.

    Zero is right: what is scored at a position must not know a later one.
    """
    torch.manual_seed(0)
    model = machine.Transformer(len(machine.SIGNS), **machine.SIZES)
    source, target = machine.draw_rows(64)
    other = target.clone()
    other[:, -1] = 3 + (other[:, -1] + 1) % 8  # another letter
    return _largest(model(source, target)[:, :-1], model(source, other)[:, :-1])


@torch.no_grad()
def padding_leak(machine: ModuleType) -> float:
    """Return how much a logit of a fresh model moves with padding behind the source."""
    torch.manual_seed(0)
    model = machine.Transformer(len(machine.SIGNS), **machine.SIZES)
    source, target = machine.draw_rows(64)
    longer = torch.nn.functional.pad(source, (0, 3), value=machine.PAD)
    return _largest(model(source, target), model(longer, target))


def _largest(found: torch.Tensor, other: torch.Tensor) -> float:
    """Return the largest difference."""
    return (found - other).abs().max().item()
