"""Random words, written twice: which heads of a language model copy, and with whom.

What the other heads of layer 17 are worth the chapter reads from a file that
`python -m chapters.multi_head_attention.copying` writes.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from chapters.laboratory.measurements import Measurements
from chapters.laboratory.random_words import (
    TEXTS,
    WORDS,
    is_word,
    read_twice,
    words_twice,
)
from chapters.laboratory.real_model import loss_of, open_model, switched_off

__all__ = [
    "TEXTS",
    "WORDS",
    "is_word",
    "ordinary_loss",
    "read_twice",
    "share_back",
    "switched_off",
    "without_head",
    "words_twice",
]

MEASUREMENTS = Measurements("multi_head_attention", "copying")
OTHERS = [(17, head) for head in range(2, 10)]  # beside 17.1

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


def without_head(
    model: nn.Module,
    texts: Int[Tensor, "texts time"],
    off: tuple[int, int],
    *,
    streams: Float[Tensor, "depth texts time d_model"] | None = None,
) -> dict:
    """Return what is left of copying while one head is switched off.

    Args:
        model: A decoder-only language model.
        texts: Words that come twice.
        off: The layer of the head and its number there, both from 1.
        streams: As in `read_twice`.
    """
    with switched_off(model, [off]):
        found = read_twice(model, texts, streams=streams)
    return {"off": list(off), "right": found["right"], "second": found["second"]}


if __name__ == "__main__":
    opened = open_model("smollm2-135m")
    ids = words_twice(*opened)
    MEASUREMENTS.write([without_head(opened.model, ids, off) for off in OTHERS])
