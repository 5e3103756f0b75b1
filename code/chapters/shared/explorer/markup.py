"""The small change of an explorer's HTML: tags, numbers, rounded data."""

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from html import escape
from typing import Any

import torch
from torch import Tensor

MINUS = "\N{MINUS SIGN}"
_EMPTY = {"circle", "input", "line", "path", "rect"}


def tag(kind: str, content: str = "", **attributes: Any) -> str:
    """Write an element of HTML or SVG.

    Args:
        kind: Its name.
        content: Its content, HTML itself.
        **attributes: Its attributes; `class_` is class, `data_part` is data-part, and
            an attribute that is None is left out.
    """
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
    return (
        f"<{kind}{written}/>"
        if kind in _EMPTY
        else f"<{kind}{written}>{content}</{kind}>"
    )


def fixed(number: float, places: int) -> str:
    """Write a number with fixed decimals, a true minus, and no negative zero.

    A number in the middle goes away from zero, as `toFixed` does in the scripts.
    """
    last = Decimal(1).scaleb(-places)
    text = str(Decimal(number).quantize(last, ROUND_HALF_UP))
    if float(text) == 0:
        text = text.removeprefix("-")
    return text.replace("-", MINUS)


def rounded(numbers: Tensor | Sequence, places: int) -> Any:
    """Round a tensor or a list to nested lists of numbers with so many decimals."""
    if isinstance(numbers, Tensor):
        numbers = numbers.to("cpu", torch.float64).tolist()
    if isinstance(numbers, list | tuple):
        return [rounded(number, places) for number in numbers]
    return round(numbers, places) + 0.0  # no negative zero
