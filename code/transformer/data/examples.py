"""Examples: pairs of texts as ids, with their ends marked."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import torch
from jaxtyping import Integer
from torch import Tensor

from transformer.checks.doors import door
from transformer.checks.values import check_some
from transformer.data.pairs import Pair
from transformer.data.tokenizer import BOS_ID, EOS_ID, PAD_ID, Tokenizer, check_texts


class Example(NamedTuple):
    """What a model reads and writes, as ids; without a source for a language model."""

    source: list[int] | None
    target: list[int]


def encode_pairs(pairs: Iterable[Pair], tokenizer: Tokenizer) -> list[Example]:
    """Return pairs as ids: both sides end with EOS, and targets begin with BOS."""
    examples = [
        Example(
            [*tokenizer.encode(source), EOS_ID],
            [BOS_ID, *tokenizer.encode(target), EOS_ID],
        )
        for source, target in pairs
    ]
    check_some("pairs", examples)
    return examples


def encode_texts(texts: Iterable[str], tokenizer: Tokenizer) -> list[Example]:
    """Return texts as ids within BOS and EOS, without sources: for a language model.

    Raises:
        TypeError: If `texts` is one text.
    """
    check_texts(texts)
    examples = [
        Example(None, [BOS_ID, *tokenizer.encode(text), EOS_ID]) for text in texts
    ]
    check_some("texts", examples)
    return examples


def check_sequences(sequences: object) -> None:
    """Check that there is a list of ids for each text."""
    are = isinstance(sequences, Sequence) and not isinstance(sequences, str)
    wrong = [ids for ids in sequences if not hasattr(ids, "__len__")] if are else []
    if not are or wrong:
        raise TypeError(
            "sequences must be a list of ids for each text, got "
            f"{type([sequences, *wrong][-1]).__name__}; write for example "
            "[[5, 7], [5]]."
        )
    check_some("sequences", sequences)


@door(check_sequences)
def pad(sequences: Sequence[Sequence[int]]) -> Integer[Tensor, "batch time"]:
    """Return sequences as one tensor, filled up with `PAD_ID` behind their ends."""
    longest = max(map(len, sequences))
    rows = [[*ids, *[PAD_ID] * (longest - len(ids))] for ids in sequences]
    return torch.tensor(rows, dtype=torch.long)
