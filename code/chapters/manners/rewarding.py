"""A tiny model that does sums learns from rewards, and from right answers beside it.

The trainings take minutes; `python -m chapters.manners.rewarding` writes their file.
"""

import random
from collections.abc import Callable, Sequence
from copy import deepcopy

import torch
from jaxtyping import Int
from torch import Tensor, nn

from chapters.laboratory.study import Study
from chapters.manners.reader import reader
from chapters.manners.sums import (
    END,
    LONGEST,
    Sum,
    as_rows,
    decode,
    is_right,
    large_sums,
    loss_of,
    mentions_right,
    prompt,
    sums,
)
from transformer.decoding import generate
from transformer.training.policy import group_advantages, grpo_loss
from transformer.training.preferences import token_log_probabilities

PROMPTS, LARGE, GROUP = 8, 2, 12  # sums of a step, large ones beside them, answers
TRIES = 16  # answers to a sum that are counted
TESTED_LARGE, CHOOSING = 100, 100  # sums
VARIANTS = ("reward", "right answers", "its own right answers")


def ask(
    model: nn.Module, asked: Sequence[Sum], tries: int, generator: torch.Generator
) -> tuple[Int[Tensor, "answers time"], list[str]]:
    """Draw answers, so many to each sum, and return them with their prompts and alone.

    Args:
        model: What writes.
        asked: Sums.
        tries: Answers to each.
        generator: What the draws come from.
    """
    rows = as_rows([prompt(sum) for sum in asked]).repeat_interleave(tries, dim=0)
    new = generate(
        model,
        rows,
        max_new_tokens=LONGEST,
        eos_id=END,
        temperature=1.0,
        generator=generator,
    )
    return torch.cat((rows, new), dim=1), [decode(row) for row in new.tolist()]


def labels_of(rows: Int[Tensor, "answers time"]) -> Int[Tensor, "answers time"]:
    """Return the tokens of answers up to their end, and -100 elsewhere."""
    answer = as_rows(["10+10="]).size(1)
    ended = (rows == END).cumsum(dim=1) - (rows == END).long() > 0
    labels = rows.masked_fill(ended | (torch.arange(rows.size(1)) < answer), -100)
    return labels[:, 1:]


def rewarded_step(
    model: nn.Module,
    reference: nn.Module,
    asked: Sequence[Sum],
    reward: Callable[[str, Sum], bool],
    generator: torch.Generator,
) -> tuple[Tensor, float]:
    """Return the loss of GRPO on answers that are drawn now, and their mean reward."""
    rows, texts = ask(model, asked, GROUP, generator)
    each = [sum for sum in asked for _ in range(GROUP)]
    earned = [float(reward(*pair)) for pair in zip(texts, each, strict=True)]
    rewards = torch.tensor(earned, dtype=torch.float32).view(-1, GROUP)
    labels = labels_of(rows)
    log_probabilities = token_log_probabilities(model(rows[:, :-1]), labels)
    with torch.no_grad():
        before = token_log_probabilities(reference(rows[:, :-1]), labels)
    loss = grpo_loss(
        log_probabilities,
        old=log_probabilities.detach(),
        reference=before,
        advantages=group_advantages(rewards).flatten(),
        counted=labels != -100,
    )
    return loss, rewards[:PROMPTS].mean().item()


def imitated_step(model: nn.Module, asked: Sequence[Sum]) -> Tensor:
    """Return the loss of right answers, one to each sum."""
    texts = [f"{prompt(pair)}{pair[0] + pair[1]}." for pair in asked]
    return loss_of(model, as_rows(texts))


def own_step(
    model: nn.Module, asked: Sequence[Sum], generator: torch.Generator
) -> Tensor | None:
    """Return the loss of those answers of its own that are right; None without any."""
    rows, texts = ask(model, asked, GROUP, generator)
    each = [sum for sum in asked for _ in range(GROUP)]
    right = [is_right(*pair) for pair in zip(texts, each, strict=True)]
    if not any(right):
        return None
    rows = rows[torch.tensor(right)]
    labels = labels_of(rows)
    found = token_log_probabilities(model(rows[:, :-1]), labels)
    return -found.sum() / (labels != -100).sum()


def learn(
    variant: str,
    model: nn.Module,
    *,
    learning_rate: float,
    steps: int,
    seed: int,
    watch: Callable[[int, float], None] = lambda step, reward: None,
) -> nn.Module:
    """Train a model that has read the web, and return it.

    Args:
        variant: One of `VARIANTS`, or "careless check".
        model: The model; it is changed.
        learning_rate: That of Adam, after a tenth of the steps.
        steps: How many steps.
        seed: Of the sums and of the answers that are drawn.
        watch: Called with the mean reward of each step that has one.
    """
    draw, generator = random.Random(seed), torch.Generator().manual_seed(seed)
    reference, warm_up = deepcopy(model), max(1, steps // 10)
    learned, large = sums()[0], large_sums()[TESTED_LARGE:]
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate)
    for step in range(1, steps + 1):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate * min(1.0, step / warm_up)
        times = GROUP if variant == "right answers" else 1  # as many answers in all
        asked = draw.sample(learned, times * PROMPTS)
        asked += draw.sample(large, times * LARGE)
        if variant == "right answers":
            loss = imitated_step(model, asked)
        elif variant == "its own right answers":
            loss = own_step(model, asked, generator)
        else:
            check = is_right if variant == "reward" else mentions_right
            loss, reward = rewarded_step(model, reference, asked, check, generator)
            watch(step, reward)
        if loss is not None:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return model


@torch.no_grad()
def judged(model: nn.Module, asked: Sequence[Sum], *, seed: int) -> dict[str, float]:
    """Return what a model answers to sums, over many tries.

    Args:
        model: The model.
        asked: Sums.
        seed: Of the draws.

    Returns:
        The shares of answers that are "right", that mention the sum ("mentions") and
        that give two answers ("both"), the chance of a right one in all tries
        ("pass16"), and how unsure it is, in nats an answer ("entropy").
    """
    generator = torch.Generator().manual_seed(seed)
    rows, texts = ask(model, asked, TRIES, generator)
    each = [sum for sum in asked for _ in range(TRIES)]
    pairs = list(zip(texts, each, strict=True))
    right = torch.tensor([is_right(*pair) for pair in pairs]).view(-1, TRIES)
    labels = labels_of(rows)
    drawn = token_log_probabilities(model(rows[:, :-1]), labels).sum(dim=1)
    return {
        "right": right.double().mean().item(),
        "pass16": right.any(dim=1).double().mean().item(),
        "mentions": _mean(mentions_right(*pair) for pair in pairs),
        "both": _mean("?" in text for text in texts),
        "entropy": -drawn.double().mean().item(),
    }


def _mean(found) -> float:
    counted = [float(x) for x in found]
    return sum(counted) / len(counted)


def measured(variant: str, learning_rate: float, steps: int, seed: int) -> dict:
    """Let a model that has read the web learn in one way, and judge it.

    Returns:
        The share of answers to validation sums that are wrong, which chooses the rate
        ("validation"), and what `on_tests` finds.
    """
    validation = sums()[1]
    options = {"learning_rate": learning_rate, "steps": steps, "seed": seed}
    model = learn(variant, reader(), **options)
    chooses = judged(model, validation[:CHOOSING], seed=seed)
    return {"validation": 1 - chooses["right"]} | on_tests(model, seed)


def on_tests(model: nn.Module, seed: int) -> dict[str, float]:
    """Return what `judged` finds on test sums, and the share of "large" ones right."""
    large = judged(model, large_sums()[:TESTED_LARGE], seed=seed)
    return judged(model, sums()[2], seed=seed) | {"large": large["right"]}


STUDY = Study(
    "manners",
    "rewarding",
    train=measured,
    variants=VARIANTS,
    rates=(3e-4, 1e-3, 3e-3),
    budgets=(20, 80),
)


if __name__ == "__main__":
    STUDY.run()
