"""Two boats with unlikely names: whose second half does a model say?"""

import random
from collections.abc import Collection, Iterable
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from chapters.laboratory.real_model import (
    changed_heads,
    next_logits,
    streams_of,
    switched_off,
)

TWO = "My aunt has two boats, the {} {} and the {} {}."
WENT = " On Sunday we went sailing on the"
# fmt: off
FIRST = (
    "Purple", "Silver", "Copper", "Ginger", "Orange", "Crystal", "Golden", "Tiny",
    "Giant", "Silent", "Crazy", "Square", "Happy", "Quiet", "Royal", "Broken", "Flying",
    "Sleeping",
)
SECOND = (
    "Cow", "Hammer", "Moon", "Chicken", "Salt", "Pig", "Tiger", "Elephant", "Duck",
    "Turtle", "Owl", "Piano", "Mirror", "Potato", "Penguin", "Wolf", "Whale", "Frog",
)
# fmt: on
PAIRS = 12


def drawn_boats(tokenizer: object) -> list[tuple[str, str, str, str]]:
    """Draw pairs of boats from the names that are one token each, no noun twice."""

    def single(words: Iterable[str]) -> list[str]:
        return [word for word in words if len(tokenizer.encode(f" {word}")) == 1]

    chance = random.Random(0)
    boats = []
    for _ in range(PAIRS):
        first = chance.sample(single(FIRST), 2)
        second = chance.sample(single(SECOND), 2)
        boats.append((first[0], second[0], first[1], second[1]))
    return boats


def questions(tokenizer: object) -> list[tuple[str, str, str]]:
    """Return the prompts, then the same ones with the first names exchanged.

    All end in a first name, so the other half of the prompts asks for the other noun.
    Each comes with the noun that is right and the noun of the other boat.
    """
    boats = drawn_boats(tokenizer)
    told, retold = [], []
    for one, noun, two, other in boats:
        ending = f"{WENT} {one}"
        told.append((TWO.format(one, noun, two, other) + ending, noun, other))
        retold.append((TWO.format(two, noun, one, other) + ending, other, noun))
    return told + retold


def nouns(tokenizer: object) -> Int[Tensor, "prompts nouns"]:
    """Return the tokens of both nouns of each prompt, first the one that is right."""
    return torch.tensor(
        [
            [tokenizer.encode(f" {noun}")[0] for noun in both]
            for _, *both in questions(tokenizer)
        ]
    )


def exchanged(
    model: nn.Module, heads: Iterable[tuple[int, int]]
) -> AbstractContextManager[None]:
    """Let heads exchange what they gathered between the halves of a batch.

    Args:
        model: A decoder-only language model.
        heads: For each its layer and its number there, both from 1.
    """
    return changed_heads(model, heads, lambda each: each.roll(len(each) // 2, 0))


class Told(NamedTuple):
    """The probabilities of the two nouns, and how often each is the likeliest word."""

    right: float
    other: float
    names_right: int
    names_other: int


@lru_cache(maxsize=1)  # one model is asked again and again
def unchanged(
    model: nn.Module, tokenizer: object
) -> Float[Tensor, "depth texts time d_model"]:
    """Return the stream of all prompts as it enters the first layer, and after each."""
    asked = [tokenizer.encode(text) for text, *_ in questions(tokenizer)]
    return streams_of(model, torch.tensor(asked))


@torch.no_grad()
def answers(
    model: nn.Module,
    tokenizer: object,
    *,
    off: Collection[tuple[int, int]] = (),
    swapped: Collection[tuple[int, int]] = (),
) -> Told:
    """Ask for each drawn boat, with heads silent or with their outputs exchanged.

    What is below the lowest of these heads is computed once for all calls.

    Args:
        model: A decoder-only language model.
        tokenizer: Its tokenizer.
        off: Heads that are silent.
        swapped: Heads that get what they gathered with the first names exchanged.
    """
    depth = min((layer for layer, _ in (*off, *swapped)), default=1) - 1
    stream = unchanged(model, tokenizer)[depth]
    both = nouns(tokenizer)
    with switched_off(model, off), exchanged(model, swapped):
        chances = next_logits(model, stream, depth=depth).softmax(dim=-1)
    right, other = chances.gather(1, both).mean(dim=0).tolist()
    said = (chances.argmax(dim=-1, keepdim=True) == both).sum(dim=0).tolist()
    return Told(right, other, *said)


def random_teams(
    layers: Iterable[int],
    but: Iterable[tuple[int, int]],
    *,
    size: int = 4,
    count: int = 6,
) -> list[list[tuple[int, int]]]:
    """Draw teams of heads from some layers of nine, without those of another team."""
    pool = [(layer, head) for layer in layers for head in range(1, 10)]
    pool = [head for head in pool if head not in set(but)]
    chance = random.Random(0)
    return [chance.sample(pool, size) for _ in range(count)]
