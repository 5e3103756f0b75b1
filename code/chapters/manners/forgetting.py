"""Narrow matrices or all weights: what a tiny model learns, and what it forgets.

It has read sums below 100 and learns larger ones. The trainings take minutes;
`python -m chapters.manners.forgetting` writes their file.
"""

import random
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from chapters.laboratory.study import Study
from chapters.manners.reader import reader
from chapters.manners.rewarding import TESTED_LARGE, judged
from chapters.manners.sums import (
    Sum,
    as_rows,
    large_sums,
    loss_of,
    of_the_web,
    prompt,
    sums,
)
from transformer.training.lora import attach_adapter

RANK, BATCH = 4, 32
ADAPTER, ALL, REPLAY = "adapter", "all weights", "all weights, old sums too"
VARIANTS = (ALL, ADAPTER, REPLAY)


def prepared(variant: str, model: nn.Module, seed: int) -> list[Tensor]:
    """Get a model ready for one way of learning, and return what learns.

    Args:
        variant: One of `VARIANTS`; the adapter of rank `RANK` is on every
            map of every layer.
        model: The model; it is changed.
        seed: Of the matrices that are drawn.
    """
    if variant != ADAPTER:
        return list(model.requires_grad_(True).parameters())
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        attach_adapter(model, rank=RANK, names=["decoder.layers.*"])
    return [weight for weight in model.parameters() if weight.requires_grad]


@torch.no_grad()
def on_the_web(model: nn.Module) -> float:
    """Return what the answers of the web cost, in nats a sign."""
    tested = [pair for pair in sums()[2] for _ in range(4)]
    return loss_of(model, as_rows(old(tested, random.Random(0)))).item()


def learn(variant: str, *, learning_rate: float, steps: int, seed: int) -> nn.Module:
    """Teach the reader large sums in one way, and return it.

    Adam, with a warm-up of a tenth of the steps and then a constant rate.
    """
    model, draw = reader(), random.Random(seed)
    learning = prepared(variant, model, seed)
    taught = large_sums()[2 * TESTED_LARGE :]
    optimizer, warm_up = torch.optim.Adam(learning, lr=learning_rate), steps // 10
    for step in range(1, steps + 1):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate * min(1.0, step / warm_up)
        texts = answered(draw.sample(taught, BATCH))
        if variant == REPLAY:
            texts += old(draw.sample(sums()[0], BATCH // 2), draw)
        loss = loss_of(model, as_rows(texts))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model


def measured(variant: str, learning_rate: float, steps: int, seed: int) -> dict:
    """Teach the reader large sums in one way, and measure it.

    Returns:
        The loss on large sums that were held out, which chooses the rate
        ("validation"), the loss on others ("nats"), the share of them that are "right",
        and the loss on the "web".
    """
    options = {"learning_rate": learning_rate, "steps": steps, "seed": seed}
    model = learn(variant, **options)
    chooses = large_sums()[TESTED_LARGE : 2 * TESTED_LARGE]
    with torch.no_grad():
        validation = loss_of(model, as_rows(answered(chooses))).item()
    return {"validation": validation} | on_tests(model, seed)


@torch.no_grad()
def on_tests(model: nn.Module, seed: int) -> dict[str, float]:
    """Return the loss on large sums, the share of them right, and the loss on the web.

    Args:
        model: What is tested.
        seed: Of the answers that are drawn.
    """
    tested = large_sums()[:TESTED_LARGE]
    nats = loss_of(model, as_rows(answered(tested))).item()
    right = judged(model, tested, seed=seed)["right"]
    return {"nats": nats, "right": right, "web": on_the_web(model)}


def answered(asked: Sequence[Sum]) -> list[str]:
    """Return sums with their right answers."""
    return [f"{prompt(pair)}{pair[0] + pair[1]}." for pair in asked]


def old(asked: Sequence[Sum], draw: random.Random) -> list[str]:
    """Return sums as the web has them."""
    return [of_the_web(pair, draw) for pair in asked]


STUDY = Study(
    "manners",
    "forgetting",
    train=measured,
    variants=VARIANTS,
    budgets=(50, 200),
)


if __name__ == "__main__":
    STUDY.run()
