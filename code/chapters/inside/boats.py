"""Two boats with unlikely names: whose second half does a model say?"""

import random
from collections.abc import Iterable

import torch
from torch import Tensor, nn

from chapters.laboratory.real_model import switched_off

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
PAIRS = 24


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


@torch.no_grad()
def losses(
    model: nn.Module, tokenizer: object, *, off: Iterable[tuple[int, int]] = ()
) -> Tensor:
    """Return the loss of the right noun, in nats, for each drawn pair of boats.

    Args:
        model: A decoder-only language model.
        tokenizer: Its tokenizer.
        off: Heads that are silent, by layer and number, from 1.
    """
    boats = drawn_boats(tokenizer)
    texts = [TWO.format(*names) + f"{WENT} {names[0]}" for names in boats]
    ids = torch.tensor([tokenizer.encode(text) for text in texts])
    right = torch.tensor([tokenizer.encode(f" {names[1]}")[0] for names in boats])
    with switched_off(model, off):
        logs = model(ids)[:, -1].log_softmax(dim=-1)
    return -logs[torch.arange(len(boats)), right]


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
