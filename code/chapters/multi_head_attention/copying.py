"""Random words, written twice: which heads of a language model copy, and with whom."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from chapters.laboratory.random_words import (
    TEXTS,
    WORDS,
    is_word,
    read_twice,
    words_twice,
)
from chapters.laboratory.real_model import loss_of, switched_off

__all__ = [
    "TEXTS",
    "WORDS",
    "is_word",
    "ordinary_loss",
    "read_twice",
    "share_back",
    "switched_off",
    "words_twice",
]

ORDINARY = (
    "The keys that she lost yesterday are here, and the cat that she found last week "
    "is asleep on the old chair by the window. Nobody in the house remembers when it "
    "first came, but everybody feeds it, and so it has grown round and slow, and "
    "rather fond of the warm place near the stove."
)


def ordinary_loss(model: nn.Module, tokenizer: object) -> float:
    """Return the mean loss of a token of an ordinary text, in nats."""
    return loss_of(model, tokenizer.encode(ORDINARY))


def share_back(weights: Float[Tensor, "texts time time"], back: int) -> float:
    """Return the mean weight so many places back, in the second half of the texts."""
    time = weights.size(-1)
    rows = torch.arange(time // 2, time)
    return weights[:, rows, rows - back].mean().item()
