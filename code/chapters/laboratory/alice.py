"""Two chapters of a famous book, for a language model to read in windows."""

from pathlib import Path

import torch
from jaxtyping import Int
from torch import Tensor

FILE = Path(__file__).with_suffix(".txt")


def book() -> str:
    """Return the first two chapters of Lewis Carroll's *Alice*, a line a paragraph."""
    return FILE.read_text(encoding="utf-8").removesuffix("\n")


def windows(
    tokenizer: object, *, size: int, count: int | None = None
) -> Int[Tensor, "windows size"]:
    """Return the book cut into windows, one after the other; a rest is left out.

    Args:
        tokenizer: What makes tokens of it.
        size: How many tokens a window has.
        count: How many windows from the beginning, all if not told.
    """
    ids = torch.tensor(tokenizer.encode(book()))
    return ids[: len(ids) // size * size].view(-1, size)[:count]
