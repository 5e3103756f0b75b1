"""Short answers preferred to long ones: what each price of DPO wins and forgets.

SmolLM2 learns from pairs of right answers of which a program can count the words. The
trainings take minutes, so the chapter reads a file that
`python -m chapters.manners.prices` writes; it goes on where it was stopped.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from random import Random
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import nn

from chapters.laboratory.measurements import (
    Measurements,
    best_rate,
    counted_at_best,
    pending_at_best,
    spread,
    trained,
)
from chapters.manners.lessons import ADAPTER, RANK, prepared, take_steps
from chapters.manners.polite import Example, examples, is_right
from chapters.manners.spoken import control_loss, say
from transformer.data import IGNORED
from transformer.data.answers import Answer, answer_batch
from transformer.training.preferences import Preference, dpo_loss
from transformer.zoo import load

MEASUREMENTS = Measurements("manners", "prices")
BETA, OTHERS = 0.1, (0.02, 0.5)  # prices
RATES, SEEDS = (1e-4, 3e-4, 1e-3, 3e-3), (0, 1, 2, 3)
STEPS, BATCH = 16, 2
FIRST, WRITING = 12, 1e-3  # steps of learning to write what is chosen, and their rate
TOGETHER = 8  # pairs that are judged at a time
COUNTED = 32  # questions held out that make the counts; the others choose the rate
SENTENCES = {
    r"What is the (\w+) of (.+)\?": r"The \1 of \2 is {}.",
    r"What is a young (\w+) called\?": r"A young \1 is called a {}.",
    r"Which (\w+) comes after (\w+)\?": r"The \1 after \2 is {}.",
    r"How much is (\w+) plus (\w+)\?": r"\1 plus \2 is {}.",
}


class Pair(NamedTuple):
    """Two answers to a question, of which the first is preferred."""

    chosen: Answer
    rejected: Answer


def sentence(example: Example) -> str:
    """Return an answer that says the question again."""
    for asked, said in SENTENCES.items():
        if found := re.fullmatch(asked, example.question):
            whole = found.expand(said).format(example.word)
            return whole[0].upper() + whole[1:]
    raise ValueError(f"a sentence must fit the question, got {example.question!r}.")


def answers(example: Example) -> tuple[str, str]:
    """Return the preferred answer to a question and the other one."""
    return f"{example.word[0].upper()}{example.word[1:]}.", sentence(example)


def pairs(tokenizer: object, asked: Sequence[Example]) -> list[Pair]:
    """Return the two answers to each question, as talks."""

    def talk(example: Example, answer: str) -> Answer:
        said = {"user": example.question, "assistant": answer}
        messages = [{"role": role, "content": text} for role, text in said.items()]
        return tokenizer.answered(messages)

    return [
        Pair(*(talk(example, answer) for answer in answers(example)))
        for example in asked
    ]


def judged(model: nn.Module, given: Sequence[Pair]) -> Preference:
    """Return the log-probabilities of both answers.

    Scores of the vocabulary are computed for their tokens alone.
    """
    side_by_side = answer_batch([answer for pair in given for answer in pair])
    learned = side_by_side.labels != IGNORED
    hidden = model.hidden_states(*side_by_side.inputs)
    logits = model.head(hidden[learned][None])[0]
    each = -F.cross_entropy(logits, side_by_side.labels[learned], reduction="none")
    found = torch.zeros(learned.shape).masked_scatter(learned, each).sum(dim=1)
    return Preference(found[::2], found[1::2])


@torch.no_grad()
def all_judged(model: nn.Module, given: Sequence[Pair]) -> Preference:
    """Return what `judged` does, of a few pairs at a time."""
    parts = [
        judged(model, given[place : place + TOGETHER])
        for place in range(0, len(given), TOGETHER)
    ]
    return Preference(*map(torch.cat, zip(*parts, strict=True)))


def learn(
    model: nn.Module,
    given: Sequence[Pair],
    *,
    first: int,
    beta: float,
    rate: float,
    steps: int,
    seed: int,
) -> None:
    """Teach a model preferences by an adapter, with AdamW at constant rates.

    Args:
        model: The model; it is changed.
        given: The pairs.
        first: Steps in which it learns to write the chosen answers, before the
            preferences; the reference is what comes out.
        beta: Price of leaving the reference.
        rate: Learning rate of the preferences.
        steps: Steps in which it learns the preferences.
        seed: Of the matrices and the order.
    """
    learning, draw = prepared(ADAPTER, model, seed), Random(seed)
    optimizer = torch.optim.AdamW(learning, lr=WRITING, weight_decay=0.0)
    chosen = [pair.chosen for pair in given]
    take_steps(optimizer, model, chosen, steps=first, draw=draw)
    drawn = [draw.sample(given, BATCH) for _ in range(steps)]
    with torch.no_grad():
        before = [judged(model, few) for few in drawn]
    optimizer = torch.optim.AdamW(learning, lr=rate, weight_decay=0.0)
    for few, then in zip(drawn, before, strict=True):
        optimizer.zero_grad()
        dpo_loss(judged(model, few), then, beta=beta).loss.backward()
        optimizer.step()


@cache
def at_the_start() -> Preference:
    """Return what SmolLM2 gives the pairs that are held out."""
    model, tokenizer = load("smollm2-135m")
    return all_judged(model, pairs(tokenizer, examples().test))


def measured(first: int, beta: float, rate: float, steps: int, seed: int) -> dict:
    """Teach SmolLM2 preferences, and measure what it wins and forgets.

    Returns:
        Of questions that choose the rate: as "validation" what a chosen answer costs,
        in nats. Of others: the shares of answers that are "brief" and "right", of pairs
        that are in the right "order", and of chosen answers that "fell"; the changes of
        the log-probability of the "chosen" and the "rejected" answer, all against the
        model before any lesson. What "alice" costs, and a few of the answers ("said").
    """
    model, tokenizer = load("smollm2-135m")
    train, test = (pairs(tokenizer, part) for part in examples())
    options = {"beta": beta, "rate": rate, "steps": steps, "seed": seed}
    if first or steps:
        learn(model, train, first=first, **options)
    now, then = all_judged(model, test), at_the_start()
    change = Preference(*((x - y)[:COUNTED] for x, y in zip(now, then, strict=True)))
    asked = examples().test[:COUNTED]
    said = say(model, tokenizer, [example.question for example in asked])
    right = [is_right(*both) for both in zip(said, asked, strict=True)]
    brief = [len(text.split()) == 1 for text in said]
    return {
        "validation": -now.chosen[COUNTED:].mean().item(),
        "brief": sum(brief) / COUNTED,
        "right": sum(right) / COUNTED,
        "order": (change.chosen > change.rejected).double().mean().item(),
        "fell": (change.chosen < 0).double().mean().item(),
        "chosen": change.chosen.mean().item(),
        "rejected": change.rejected.mean().item(),
        "alice": control_loss(model, tokenizer),
        "said": [said[n] for n in (4, 5, 2)],
    }


def pending(rows: Sequence[dict]) -> Iterator[dict]:
    """Yield the trainings that are missing and can be named already.

    The usual price chooses the rate, and the others are trained at it. The control of
    those that write first goes on writing, for as many steps.
    """
    plain = {"first": 0, "beta": 0.0, "rate": 0.0, "steps": 0, "seed": 0}
    written = [plain | {"first": FIRST, "seed": seed} for seed in SEEDS]
    written += [plain | {"first": FIRST + STEPS, "seed": seed} for seed in SEEDS[1:]]
    yield from (row for row in (plain, *written) if not trained(rows, row))
    for first in (0, FIRST):
        usual = {"first": first, "beta": BETA, "steps": STEPS}
        yield from pending_at_best(rows, usual, rates=RATES, seeds=SEEDS)
        if len(trained(rows, usual)) < len(RATES):
            return
        rate = best_rate(rows, usual, seed=SEEDS[0])
        for beta, seed in product(() if first else OTHERS, SEEDS[1:]):
            setting = usual | {"beta": beta, "rate": rate, "seed": seed}
            if not trained(rows, setting):
                yield setting


def at_best(first: int, beta: float) -> list[dict]:
    """Return what is counted of a price, at the rate that the usual one chose."""
    setting = {"first": first, "beta": beta, "steps": STEPS}
    chosen_by = setting | {"beta": BETA}
    found = MEASUREMENTS.read()
    return counted_at_best(found, setting, seed=SEEDS[0], chosen_by=chosen_by)


def in_a_row(name: str, rows: Sequence[dict]) -> list[str]:
    """Return the means of a few trainings, and their ranges, as the cells of a table.

    Returns:
        The name; by how many nats both answers changed; the shares of one word and of
        right answers, in percent. A single training has no range.
    """

    def cell(field: str, *, factor: int = 1, decimals: int = 0) -> str:
        found = [factor * row[field] for row in rows]
        if len(found) == 1:
            return f"{found[0]:.{decimals}f}"
        return spread(found, decimals)

    nats = cell("chosen", decimals=1), cell("rejected")
    return [name, *nats, *(cell(field, factor=100) for field in ("brief", "right"))]


if __name__ == "__main__":
    torch.set_num_threads(1)
    MEASUREMENTS.go_on(pending, measured, rank=RANK, batch=BATCH)
