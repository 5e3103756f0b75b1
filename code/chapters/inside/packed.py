"""Attention of many heads in few bytes: weights in twentieths, coded by how often.

Each row of a head is rounded to twentieths that add up to the whole. A row is told from
the left, each weight as a row of questions: is it more than 0? More than 1? What is
left over belongs to the word itself. A range coder (Martin, 1979) writes the answers.
It spends few bits on an answer that is likely, and learns on its way what is likely
after how much is left of the row and what the row above had. `unpack` in the explorer's
script does the same.
"""

import base64
from collections.abc import Callable

from jaxtyping import Float
from torch import Tensor

PARTS = 20  # of a whole
_FULL, _LEAST = 2**32, 2**24  # widths of the range, before and after it has shrunk
_ODDS, _SPEED = 4096, 4  # of an answer, and how fast they follow the answers
_LAST = 4  # bytes that are read ahead

Head = list[list[int]]  # a row for each word, a number for each word up to it


def in_parts(weights: Float[Tensor, " words"]) -> list[int]:
    """Round one row of weights to parts that add up to the whole.

    All are rounded down. The parts that are missing then go to those that lost most.
    """
    exact = weights.double() * (PARTS / weights.double().sum())
    parts = (exact + 1e-6).floor()
    missing = PARTS - int(parts.sum())
    order = (exact - parts).sort(descending=True, stable=True).indices
    parts[order[:missing]] += 1
    return parts.int().tolist()


def pack(heads: list[Head]) -> str:
    """Write the rows of heads, in parts, as letters, digits, - and _."""
    low, width, shrunk = 0, _FULL, 0

    def write(split: int, more: bool) -> bool:
        nonlocal low, width, shrunk
        low, width = (low + split, width - split) if more else (low, split)
        while width < _LEAST:
            low, width, shrunk = low << 8, width << 8, shrunk + 1
        return more

    _tell(heads, lambda: width, write)
    code = low.to_bytes(_LAST + shrunk, "big")
    return base64.urlsafe_b64encode(code).decode().rstrip("=")


def unpack(text: str, *, heads: int, words: int) -> list[Head]:
    """Read the rows of heads that `pack` has written.

    Args:
        text: What it wrote.
        heads: How many heads.
        words: How many words they read.
    """
    code = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    ahead, width, read = int.from_bytes(code[:_LAST], "big"), _FULL, _LAST

    def answer(split: int, _: bool) -> bool:
        nonlocal ahead, width, read
        more = ahead >= split
        ahead, width = (ahead - split, width - split) if more else (ahead, split)
        while width < _LEAST:
            ahead, width, read = ahead << 8 | code[read], width << 8, read + 1
        return more

    found = [[[0] * (i + 1) for i in range(words)] for _ in range(heads)]
    _tell(found, lambda: width, answer)
    return found


def _tell(
    heads: list[Head],
    width: Callable[[], int],
    ask: Callable[[int, bool], bool],
) -> None:
    """Ask for each weight of each row, and write the answers into the rows.

    Args:
        heads: Their rows, which are told or filled.
        width: Returns how wide the range is.
        ask: Takes the part of the range for "no", and what the rows say now; returns
            the answer.
    """
    odds = [_ODDS // 2] * (PARTS * 3 * 5 * 6)
    for rows in heads:
        rows[0][0] = PARTS
        for i in range(1, len(rows)):
            left = PARTS
            for j in range(i):
                place = 0 if j == 0 else 1 if j == i - 1 else 2
                above = min(rows[i - 1][j].bit_length(), 4)
                number = 0
                while number < left:
                    at = ((number * 3 + place) * 5 + above) * 6 + left * 5 // PARTS
                    split = width() // _ODDS * odds[at]
                    if not ask(split, rows[i][j] > number):
                        odds[at] += (_ODDS - odds[at]) >> _SPEED
                        break
                    odds[at] -= odds[at] >> _SPEED
                    number += 1
                rows[i][j] = number
                left -= number
            rows[i][i] = left
