"""How many numbers have the words of one, in another order."""

from collections import Counter
from collections.abc import Callable
from functools import cache
from random import Random

import torch

from chapters.laboratory.translator import numbers
from transformer.data import english


@cache
def orders() -> Callable[[str], int]:
    """Return a function that counts the numbers with the words of a text.

    A text is the sum of large random numbers, one for each word: two texts with one
    sum have the same words.
    """
    drawn, cut = Random(0), numbers().tokenizer.pieces
    values = {word: drawn.getrandbits(48) for word in numbers().tokenizer.vocabulary}

    def total(text: str) -> int:
        return sum(values[piece] for piece in cut(text))

    first = torch.tensor([total(english(number)) for number in range(1_000)])
    after = torch.tensor([total(english(1_000 + number)) for number in range(1_000)])
    after -= total(english(1))
    every = torch.cat((first, (first[1:, None] + after).flatten()))
    counts = Counter(every.tolist())
    return lambda text: counts[total(text)]
