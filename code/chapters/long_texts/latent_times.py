"""How long one token takes with latent attention, unpacked and absorbed.

Times differ from machine to machine, so the chapter reads them from a file that
`python -m chapters.long_texts.latent_times` writes.
"""

from collections.abc import Callable, Iterator

import torch

from chapters.laboratory.measurements import Measurements, seconds_in_turn
from transformer.layers import (
    LatentCache,
    MultiHeadLatentAttention,
    RotaryEmbedding,
)

MEASUREMENTS = Measurements("long_texts", "latent_times")
SIZES = {"num_heads": 16, "d_latent": 128, "d_head": 64}
D_MODEL, D_ROTARY = 1024, 32
HELD = (512, 1024, 2048)  # tokens in the cache
ROUNDS = 15


def step(absorbed: bool, *, held: int) -> Callable[[], object]:
    """Return a call that attends from one new token to a full cache.

    Args:
        absorbed: Whether the matrices of keys and values have moved.
        held: How many tokens the cache holds before.
    """
    torch.manual_seed(0)
    rotary = RotaryEmbedding(D_ROTARY)
    layer = MultiHeadLatentAttention(D_MODEL, rotary=rotary, absorbed=absorbed, **SIZES)
    layer = layer.float().eval()
    cache = LatentCache(1, held + 1, SIZES["d_latent"], D_ROTARY, dtype=torch.float32)
    x = torch.randn(1, 1, D_MODEL, dtype=torch.float32)

    @torch.no_grad()
    def call() -> object:
        cache.length = held
        return layer(x, x, x, cache=cache)

    return call


def multiplications(form: str, *, held: int) -> int:
    """Return how many multiplications of queries, keys and values one token takes.

    Args:
        form: "plain" or "absorbed".
        held: How many tokens it looks at.
    """
    heads, latent, d_head = SIZES["num_heads"], SIZES["d_latent"], SIZES["d_head"]
    matrices = 2 * heads * d_head * latent  # of keys and values, once
    if form == "plain":
        return held * matrices + held * heads * (2 * d_head + D_ROTARY)
    return matrices + held * heads * (2 * latent + D_ROTARY)


def measured(rounds: int = ROUNDS, lengths: tuple[int, ...] = HELD) -> Iterator[dict]:
    """Yield the milliseconds of both forms for each length of the text."""
    for held in lengths:
        calls = {
            name: step(name == "absorbed", held=held) for name in ("plain", "absorbed")
        }
        for name, seconds in seconds_in_turn(calls, rounds=rounds, settle=True).items():
            yield {"form": name, "held": held, "milliseconds": 1000 * seconds}


if __name__ == "__main__":
    torch.set_num_threads(1)
    MEASUREMENTS.write([*measured()], **SIZES, d_model=D_MODEL, d_rotary=D_ROTARY)
