"""The scale factor of attention in a language model, for large and small heads."""

from collections.abc import Mapping
from functools import partial

import torch
from torch import nn

from chapters.laboratory.language_model import train_and_measure
from chapters.laboratory.study import Study
from transformer.layers import MultiHeadAttention

NUM_HEADS = 4
# Whether there is the factor, and whether the query projections start so much smaller.
ARMS = {
    "factor": (True, False),
    "no factor": (False, False),
    "no factor, small queries": (False, True),
}
# By name the size of a head, and the arm.
VARIANTS: Mapping[str, tuple[int, str]] = {
    f"{d_head}, {arm}": (d_head, arm)
    for d_head, arms in ((64, [*ARMS]), (16, [*ARMS]), (4, [*ARMS][:2]))
    for arm in arms
}


@torch.no_grad()
def shrink_queries(model: nn.Module, *, factor: float) -> None:
    """Let every query projection of a fresh model start so many times as large."""
    for layer in model.modules():
        if isinstance(layer, MultiHeadAttention):
            layer.query_projection.weight *= factor


def settings(variant: str) -> dict[str, object]:
    """Return what a variant asks of the language model.

    Args:
        variant: A name of `VARIANTS`.
    """
    d_head, arm = VARIANTS[variant]
    scaled, small = ARMS[arm]
    return {
        "num_heads": NUM_HEADS,
        "d_head": d_head,
        "scale_attention": scaled,
        "change": partial(shrink_queries, factor=d_head**-0.5) if small else None,
    }


def measured(variant: str, learning_rate: float, steps: int, seed: int) -> dict:
    """Train the language model of the book, and return what `train_and_measure` does.

    Args:
        variant: A name of `VARIANTS`.
        learning_rate: The highest learning rate.
        steps: Training steps.
        seed: Seed of the parameters and of the windows.
    """
    options = {"learning_rate": learning_rate, "steps": steps, "seed": seed}
    return train_and_measure(**options, **settings(variant))


STUDY = Study(
    "self_attention",
    "scale_factor",
    train=measured,
    variants=tuple(VARIANTS),
    rates=(3e-3, 1e-2, 3e-2),
)


if __name__ == "__main__":
    STUDY.run()
