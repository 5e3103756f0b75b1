"""What a trained model loses if its cache holds keys and values in few bits.

The losses take minutes, so the chapter reads them from a file that
`python -m chapters.long_texts.few_bits` writes.
"""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from chapters.laboratory.measurements import Measurements
from chapters.laboratory.real_model import open_model
from chapters.long_texts.windows import FROM, texts
from transformer.layers import DecoderCache, KVCache

MEASUREMENTS = Measurements("long_texts", "few_bits")
WHOLE = 16  # bits, for numbers as they are
BITS = (WHOLE, 8, 6, 4, 3)


def rounded(x: Tensor, bits: int) -> Tensor:
    """Return vectors in whole steps, from the largest size of each one of them.

    Args:
        x: The vectors, along the last axis.
        bits: How many a number has, with its sign.
    """
    step = x.abs().amax(dim=-1, keepdim=True) / (2 ** (bits - 1) - 1)
    return (x / step.clamp_min(1e-12)).round() * step


def round_cache(cache: DecoderCache, *, keys: int, values: int) -> None:
    """Let every layer of a cache hold rounded keys and values, in place.

    Args:
        cache: That of a decoder; nothing stands in it yet.
        keys: Bits of a feature of a key; 16 for no rounding.
        values: Bits of a feature of a value; 16 for no rounding.
    """
    layer_of = cache.own.layer

    def layer(number: int) -> KVCache:
        part = layer_of(number)
        update = part.update
        part.update = lambda key, value: update(short(key, keys), short(value, values))
        return part

    cache.own.layer = layer


def short(x: Tensor, bits: int) -> Tensor:
    """Return vectors as they are, or rounded if there are fewer than 16 bits."""
    return x if bits == WHOLE else rounded(x, bits)


@torch.no_grad()
def loss_with(model: nn.Module, ids: Sequence[int], *, keys: int, values: int) -> float:
    """Return the loss of a text from place `FROM` on, in nats, with a rounded cache.

    Args:
        model: A decoder-only language model.
        ids: The tokens of the text.
        keys: Bits of a feature of a key.
        values: Bits of a feature of a value.
    """
    cache = model.new_cache(1)
    round_cache(cache, keys=keys, values=values)
    rows = torch.tensor(ids)[None]
    logits = model(rows, cache=cache)[0, FROM - 1 : -1]
    return cross_entropy(logits, rows[0, FROM:]).item()


def measured(model: nn.Module, tokenizer: object) -> Iterator[dict]:
    """Yield for each text the loss with keys and values in so many bits."""
    settings = [(bits, bits) for bits in BITS] + [(4, WHOLE), (WHOLE, 4)]
    for text, ids in texts(tokenizer).items():
        for keys, values in settings:
            nats = loss_with(model, ids, keys=keys, values=values)
            yield {"text": text, "keys": keys, "values": values, "nats": nats}


if __name__ == "__main__":
    MEASUREMENTS.write([*measured(*open_model("smollm2-135m"))])
