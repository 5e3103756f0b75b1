"""Random words, written twice: which heads of a language model copy, and with whom."""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from chapters.laboratory.random_words import TEXTS, WORDS, is_word, words_twice
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


@torch.no_grad()
def read_twice(model: nn.Module, ids: Int[Tensor, "texts time"]) -> dict[str, float]:
    """Return how well a model knows texts whose second half repeats the first.

    Args:
        model: A decoder-only language model.
        ids: What it reads.

    Returns:
        The mean loss of a word in nats, "first" and "second" by halves, and the share
        of words of the second half that the model names right, "right". The first word
        of each half cannot be known and does not count.
    """
    half = ids.size(1) // 2
    scores = model(ids)
    logs = scores[:, :-1].log_softmax(dim=-1)
    losses = -logs.gather(2, ids[:, 1:, None])[..., 0]  # (texts, time - 1)
    named = scores[:, half:-1].argmax(dim=-1) == ids[:, half + 1 :]
    return {
        "first": losses[:, : half - 1].mean().item(),
        "second": losses[:, half:].mean().item(),
        "right": named.double().mean().item(),
    }


def ordinary_loss(model: nn.Module, tokenizer: object) -> float:
    """Return the mean loss of a token of an ordinary text, in nats."""
    return loss_of(model, tokenizer.encode(ORDINARY))


def share_back(weights: Float[Tensor, "texts time time"], back: int) -> float:
    """Return the mean weight so many places back, in the second half of the texts."""
    time = weights.size(-1)
    rows = torch.arange(time // 2, time)
    return weights[:, rows, rows - back].mean().item()
