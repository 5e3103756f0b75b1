"""Texts and lists: what becomes a batch of ids before a model goes on with it."""

from collections.abc import Iterable, Sequence
from itertools import takewhile
from numbers import Integral
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
import torch
from jaxtyping import Bool, Integer
from torch import Tensor

from transformer.data import BOS_ID, EOS_ID, Tokenizer
from transformer.decoding.continuation import MaybeWrapped, reads_source
from transformer.models import unwrapped

Row = Sequence[int] | np.ndarray
Ids = Integer[Tensor, "batch time"] | Row | Sequence[Row]


@runtime_checkable
class Speaks(Protocol):
    """A tokenizer of any kind; its `end_ids`, if it has some, end a text."""

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text."""

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of ids."""


class Prompt(NamedTuple):
    """What a model goes on with; the mask tells prompts of different lengths."""

    tokens: Integer[Tensor, "batch time"]
    mask: Bool[Tensor, "batch time"] | None


def as_batch(tokens: Ids, model: MaybeWrapped) -> Prompt:
    """Return ids as a tensor that is where the model is, and which of them are real.

    A list can mean one thing only: what a tokenizer has encoded, which is one text. A
    tensor or array of one axis is refused, because it may be a column of a batch, and
    the functions behind `generate` take tensors alone.
    """
    inner = unwrapped(model)
    device = getattr(inner, "device", None)
    if isinstance(tokens, np.ndarray):
        tokens = torch.as_tensor(tokens, device=device)
    if isinstance(tokens, Tensor):
        return Prompt(tokens, None)
    tokens = [row.tolist() if hasattr(row, "tolist") else row for row in tokens]
    check_ids("tokens", tokens)
    rows = tokens if isinstance(tokens[0], list | tuple) else [tokens]
    pad_id = getattr(inner.config, "pad_id", None) or 0
    longest = max(map(len, rows))
    padded = [[*row, *[pad_id] * (longest - len(row))] for row in rows]
    lengths = torch.tensor([len(row) for row in rows], device=device)
    places = torch.arange(longest, device=device)
    mask = (
        places < lengths[:, None] if any(len(row) < longest for row in rows) else None
    )
    return Prompt(torch.tensor(padded, device=device), mask)


def read_texts(
    texts: Sequence[str], tokenizer: Speaks, model: MaybeWrapped
) -> tuple[list[list[int]], dict[str, object]]:
    """Return the ids of texts as their model reads them, and what begins and ends some.

    The tokenizers of `transformer.data` mark begin and end as `encode_pairs` does for a
    model that reads a source, and as `Tokenizer.encode_prompt` does for any other.
    """
    if not isinstance(tokenizer, Tokenizer):
        rows = [tokenizer.encode(text) for text in texts]
        return rows, {"eos_id": getattr(tokenizer, "end_ids", None)}
    if reads_source(unwrapped(model)):
        rows = [[*tokenizer.encode(text), EOS_ID] for text in texts]
        return rows, {"eos_id": EOS_ID, "bos_id": BOS_ID}
    return [tokenizer.encode_prompt(text) for text in texts], {"eos_id": EOS_ID}


def write_texts(
    new: Integer[Tensor, "batch new"], tokenizer: Speaks, eos_id: object
) -> list[str]:
    """Return the text of each row, up to its end."""
    ends = set(eos_id) if isinstance(eos_id, list | tuple | set) else {eos_id}
    return [
        tokenizer.decode(list(takewhile(lambda id: id not in ends, row)))
        for row in new.tolist()
    ]


# Checks


def check_ids(name: str, ids: list | tuple) -> None:
    """Check that a list holds the ids of one text, or of several."""
    nested = [isinstance(row, list | tuple) for row in ids]
    if any(nested) and not all(nested):
        raise TypeError(
            f"{name} must be a list of ids, or of such lists, got {ids!r:.40}; pass "
            "one of both."
        )
    rows = ids if any(nested) else [ids]
    for id in (id for row in rows for id in row):
        if isinstance(id, bool) or not isinstance(id, Integral):
            raise TypeError(
                f"{name} must be ids, which are whole numbers, got {id!r:.40}; turn "
                "text into ids with tokenizer.encode."
            )
    if not all(rows):
        raise ValueError(
            f"{name} must hold at least one id for each text, got {ids!r:.40}; begin "
            "each text."
        )
