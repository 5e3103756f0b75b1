"""How long one token takes with latent attention, unpacked and absorbed.

Times differ from machine to machine, so the chapter reads them from a file that
`python -m chapters.long_texts.latent_times` writes.
"""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from chapters.laboratory.measurements import Measurements, seconds_in_turn

MEASUREMENTS = Measurements("long_texts", "latent_times")
HEADS, D_LATENT, D_HEAD, D_ROTARY = 16, 128, 64, 32
HELD = (512, 1024, 2048)  # tokens in the cache
ROUNDS = 30
SCALE = (D_HEAD + D_ROTARY) ** -0.5


def unpacked(
    still: Tensor, turned: Tensor, for_keys: Tensor, for_values: Tensor, kept: Tensor
) -> Tensor:
    """Return what each head gathers with keys and values of all tokens.

    Args:
        still: The features of the query that know no position, (heads, d_head).
        turned: Those that do, (heads, d_rotary).
        for_keys: The matrices that unpack keys, (heads, d_head, d_latent).
        for_values: Those of the values.
        kept: Latent vectors and rotated keys, (held, d_latent + d_rotary).
    """
    latent, shared = kept.split((D_LATENT, D_ROTARY), dim=-1)
    keys, values = latent @ for_keys.mT, latent @ for_values.mT  # (heads, held, d_head)
    scores = keys @ still[..., None] + (shared @ turned.T).T[..., None]
    weights = (scores * SCALE).softmax(dim=1)  # (heads, held, 1)
    return (weights.mT @ values)[:, 0]


def absorbed(
    still: Tensor, turned: Tensor, for_keys: Tensor, for_values: Tensor, kept: Tensor
) -> Tensor:
    """Return the same, from the latent vectors themselves."""
    short = (still[:, None] @ for_keys)[:, 0]  # (heads, d_latent)
    scores = torch.cat((short, turned), dim=-1) @ kept.T  # (heads, held)
    mix = (scores * SCALE).softmax(dim=-1) @ kept[:, :D_LATENT]
    return (for_values @ mix[..., None])[..., 0]


FORMS = {"unpacked": unpacked, "absorbed": absorbed}


def step(form: str, *, held: int) -> Callable[[], Tensor]:
    """Return a call that attends from one new token to a full cache.

    Args:
        form: One of `FORMS`.
        held: How many tokens the cache holds.
    """
    draw = torch.Generator().manual_seed(0)
    parts = [
        torch.randn(*shape, generator=draw, dtype=torch.float32)
        for shape in (
            (HEADS, D_HEAD),
            (HEADS, D_ROTARY),
            (HEADS, D_HEAD, D_LATENT),
            (HEADS, D_HEAD, D_LATENT),
            (held, D_LATENT + D_ROTARY),
        )
    ]
    return lambda: FORMS[form](*parts)


def multiplications(form: str, *, held: int) -> int:
    """Return how many multiplications of queries, keys and values one token takes.

    Args:
        form: One of `FORMS`.
        held: How many tokens it looks at.
    """
    matrices = 2 * HEADS * D_HEAD * D_LATENT  # of keys and values, once
    if form == "unpacked":
        return held * matrices + held * HEADS * (2 * D_HEAD + D_ROTARY)
    return matrices + held * HEADS * (2 * D_LATENT + D_ROTARY)


def measured(rounds: int = ROUNDS, lengths: tuple[int, ...] = HELD) -> Iterator[dict]:
    """Yield the milliseconds of both forms for each length of the text."""
    for held in lengths:
        calls = {form: step(form, held=held) for form in FORMS}
        times = seconds_in_turn(calls, rounds=rounds, settle=True)
        for form, seconds in times.items():
            yield {"form": form, "held": held, "milliseconds": 1000 * seconds}


if __name__ == "__main__":
    torch.set_num_threads(1)
    MEASUREMENTS.write([*measured()], heads=HEADS, d_latent=D_LATENT, d_head=D_HEAD)
