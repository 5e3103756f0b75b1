"""Narrow matrices or all weights: what SmolLM2 learns, and what it forgets.

It learns to be polite from a few questions, in two ways. The trainings take minutes
each; `python -m chapters.manners.lessons` writes their file.
"""

import random
from collections.abc import Iterator, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from chapters.laboratory.measurements import (
    Measurements,
    counted_at_best,
    pending_at_best,
    trained,
)
from chapters.manners.polite import examples, is_polite, is_right, talk
from chapters.manners.spoken import control_loss, say
from transformer.data import IGNORED
from transformer.data.answers import Answer, answer_batch
from transformer.data.batches import Batch
from transformer.training.lora import attach_adapter
from transformer.zoo import load

RANK, BATCH = 4, 4
COUNTED = 32  # questions held out that make the counts; the others choose the rate
BEFORE, ALL, ADAPTER = "before", "all weights", "adapter"
WHOLE = "adapter, questions too"  # the loss counts every token of a talk
MEASUREMENTS = Measurements("manners", "lessons")
STEPS, SEEDS = 25, (0, 1, 2, 3)  # the first chooses the rate, the others count
TRIED = (
    (ALL, 5, (3e-5, 1e-4, 3e-4, 1e-3)),
    (ALL, STEPS, (1e-5, 3e-5, 1e-4, 3e-4)),
    (ADAPTER, STEPS, (3e-4, 1e-3, 3e-3, 1e-2)),
    (WHOLE, STEPS, (3e-4, 1e-3, 3e-3)),
)


def prepared(variant: str, model: nn.Module, seed: int) -> list[Tensor]:
    """Get a model ready for one way of learning, and return what learns.

    Args:
        variant: `ALL`, or another, for an adapter of rank `RANK` beside queries
            and values.
        model: The model; it is changed.
        seed: Of the matrices that are drawn.
    """
    if variant == ALL:
        return list(model.requires_grad_(True).parameters())
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        attach_adapter(model, rank=RANK)
    return [weight for weight in model.parameters() if weight.requires_grad]


def loss_of(model: nn.Module, batch: Batch) -> Tensor:
    """Return the mean loss of the tokens that count.

    Scores of the vocabulary are computed for them alone.
    """
    learned = batch.labels != IGNORED
    logits = model.head(model.hidden_states(*batch.inputs)[learned][None])[0]
    return F.cross_entropy(logits, batch.labels[learned])


def learn(
    variant: str,
    model: nn.Module,
    taught: list[Answer],
    *,
    rate: float,
    steps: int,
    seed: int,
) -> None:
    """Teach a model in one way, by AdamW with a constant rate."""
    learning, draw = prepared(variant, model, seed), random.Random(seed)
    if variant == WHOLE:
        taught = [Answer(ids, [True] * len(ids)) for ids, _ in taught]
    optimizer = torch.optim.AdamW(learning, lr=rate, weight_decay=0.0, fused=True)
    take_steps(optimizer, model, taught, steps=steps, draw=draw)


def take_steps(
    optimizer: torch.optim.Optimizer,
    model: nn.Module,
    taught: Sequence[Answer],
    *,
    steps: int,
    draw: random.Random,
) -> None:
    """Take steps toward answers, `BATCH` of which are drawn for each."""
    for _ in range(steps):
        loss = loss_of(model, answer_batch(draw.sample(taught, BATCH)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def measured(variant: str, rate: float, steps: int, seed: int) -> dict:
    """Teach SmolLM2 in one way, and measure it.

    Returns:
        The loss on answers to questions that were held out, which chooses the rate
        ("validation"), and what `counted` returns.
    """
    model, tokenizer = load("smollm2-135m")
    train, test = (
        [tokenizer.answered(talk(example)) for example in part] for part in examples()
    )
    learn(variant, model, train, rate=rate, steps=steps, seed=seed)
    with torch.no_grad():
        validation = loss_of(model, answer_batch(test[COUNTED:])).item()
    return {"validation": validation} | counted(model, tokenizer)


@torch.no_grad()
def counted(model: nn.Module, tokenizer: object) -> dict[str, float]:
    """Return which share of answers is polite and right, and what *Alice* costs."""
    asked = examples().test[:COUNTED]
    said = say(model, tokenizer, [example.question for example in asked])
    pairs = zip(said, asked, strict=True)
    return {
        "polite": sum(map(is_polite, said)) / COUNTED,
        "right": sum(is_right(text, example) for text, example in pairs) / COUNTED,
        "alice": control_loss(model, tokenizer),
    }


def pending(rows: Sequence[dict]) -> Iterator[dict]:
    """Yield the trainings that are missing and can be named already."""
    before = {"variant": BEFORE, "steps": 0}
    if not trained(rows, before):
        yield before
    for variant, steps, rates in TRIED:
        setting = {"variant": variant, "steps": steps}
        seeds = SEEDS if steps == STEPS else SEEDS[:1]
        yield from pending_at_best(rows, setting, rates=rates, seeds=seeds)


def at_best(variant: str) -> list[dict]:
    """Return what is counted of one way, at the rate that its first seed chose."""
    setting = {"variant": variant, "steps": STEPS}
    return counted_at_best(MEASUREMENTS.read(), setting, seed=SEEDS[0])


def measure(variant: str, steps: int, **setting: object) -> dict:
    """Return what is measured, with a training or without."""
    if variant == BEFORE:
        return counted(*load("smollm2-135m"))
    return measured(variant, steps=steps, **setting)


if __name__ == "__main__":
    torch.set_num_threads(1)
    MEASUREMENTS.go_on(pending, measure, rank=RANK, batch=BATCH)
