"""Short answers preferred to long ones: what each price of DPO wins and forgets.

SmolLM2 learns from pairs of right answers of which a program can count the words. The
trainings take minutes, so the chapter reads a file that
`python -m chapters.manners.prices` writes; it goes on where it was stopped.
"""

import random
import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import nn

from chapters.laboratory.measurements import (
    Measurements,
    best_rate,
    pending_at_best,
    trained,
)
from chapters.manners.polite import Example, examples, is_right
from chapters.manners.spoken import control_loss, say
from transformer.data import IGNORED
from transformer.data.answers import Answer, answer_batch
from transformer.training.lora import attach_adapter
from transformer.training.preferences import Preference, dpo_loss
from transformer.zoo import load

MEASUREMENTS = Measurements("manners", "prices")
BETA, OTHERS = 0.1, (0.02, 0.5)  # prices
RATES, SEEDS = (3e-4, 1e-3, 3e-3), (0,)
STEPS, BATCH, RANK = 16, 2, 4
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
    """Return the log-probabilities of both answers, with products in bfloat16.

    Scores of the vocabulary are computed for their tokens alone.
    """
    side_by_side = answer_batch([answer for pair in given for answer in pair])
    learned = side_by_side.labels != IGNORED
    with torch.autocast("cpu", torch.bfloat16):
        hidden = model.hidden_states(*side_by_side.inputs)
        logits = model.head(hidden[learned][None])[0]
    each = -F.cross_entropy(
        logits.float(), side_by_side.labels[learned], reduction="none"
    )
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


@cache
def reference() -> tuple[Preference, Preference]:
    """Return what SmolLM2 gives the pairs that are learned, and those held out."""
    model, tokenizer = load("smollm2-135m")
    train, test = (all_judged(model, pairs(tokenizer, x)) for x in examples())
    return train, test


def learn(
    model: nn.Module,
    given: Sequence[Pair],
    *,
    beta: float,
    rate: float,
    steps: int,
    seed: int,
) -> None:
    """Teach a model preferences by an adapter, with AdamW at a constant rate."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        attach_adapter(model, rank=RANK)
    learning = [weight for weight in model.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(learning, lr=rate, weight_decay=0.0)
    before, draw = reference()[0], random.Random(seed)
    for _ in range(steps):
        drawn = draw.sample(range(len(given)), BATCH)
        now = judged(model, [given[place] for place in drawn])
        then = Preference(*(numbers[drawn] for numbers in before))
        optimizer.zero_grad()
        dpo_loss(now, then, beta=beta).loss.backward()
        optimizer.step()


def measured(beta: float, rate: float, steps: int, seed: int) -> dict:
    """Teach SmolLM2 preferences, and measure what it wins and forgets.

    Returns:
        Of questions that choose the rate: as "validation" the share that is not
        answered by the one right word, and the "loss" of the pairs. Of others: the
        shares of answers that are "brief" and "right", of pairs that are in the right
        "order", and of chosen answers that "fell"; the changes of the log-probability
        of the "chosen" and the "rejected" answer. What "alice" costs, and a few of the
        answers ("said").
    """
    model, tokenizer = load("smollm2-135m")
    train, test = (pairs(tokenizer, part) for part in examples())
    options = {"beta": beta, "rate": rate, "steps": steps, "seed": seed}
    learn(model, train, **options)
    now, then = all_judged(model, test), reference()[1]
    chooses = (Preference(*(x[COUNTED:] for x in part)) for part in (now, then))
    change = Preference(*((x - y)[:COUNTED] for x, y in zip(now, then, strict=True)))
    said = say(model, tokenizer, [example.question for example in examples().test])
    right = [is_right(*both) for both in zip(said, examples().test, strict=True)]
    brief = [len(text.split()) == 1 for text in said]
    both = [x and y for x, y in zip(right, brief, strict=True)]
    missed = 1 - sum(both[COUNTED:]) / len(both[COUNTED:])
    loss = dpo_loss(*chooses, beta=beta).loss.item()
    return {
        "validation": missed,
        "loss": loss,
        "brief": sum(brief[:COUNTED]) / COUNTED,
        "right": sum(right[:COUNTED]) / COUNTED,
        "order": (change.chosen > change.rejected).double().mean().item(),
        "fell": (change.chosen < 0).double().mean().item(),
        "chosen": change.chosen.mean().item(),
        "rejected": change.rejected.mean().item(),
        "alice": control_loss(model, tokenizer),
        "said": [said[n] for n in (4, 5, 2)],
    }


def pending(rows: Sequence[dict]) -> Iterator[dict]:
    """Yield the trainings that are missing and can be named already.

    The usual price chooses the rate, and the others are trained at it.
    """
    usual = {"beta": BETA, "steps": STEPS}
    yield from pending_at_best(rows, usual, rates=RATES, seeds=SEEDS)
    if len(trained(rows, usual)) < len(RATES):
        return
    rate = best_rate(rows, usual, seed=SEEDS[0])
    for beta, seed in product(OTHERS, SEEDS):
        setting = {"beta": beta, "steps": STEPS, "rate": rate, "seed": seed}
        if not trained(rows, setting):
            yield setting


if __name__ == "__main__":
    torch.set_num_threads(1)
    MEASUREMENTS.go_on(pending, measured, rank=RANK, batch=BATCH)
