"""In how many of ten texts a language model falls into a loop, by the way it writes.

A text is in a loop when it ends in one group of at least four tokens, three times in a
row. What stands behind an end token does not count. `python -m chapters.decoding.loops`
lets SmolLM2 go on with each of the ten beginnings, and keeps what came out.
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from chapters.decoding.continuations import repeated, write
from chapters.decoding.real_texts import chances, draws
from chapters.decoding.ten_texts import TEXTS, Text
from chapters.laboratory.measurements import Measurements
from chapters.laboratory.real_model import as_ids, open_model
from transformer.zoo import LanguageModel

MEASUREMENTS = Measurements("decoding", "loops")
MODEL = "smollm2-135m"
GROUP, TIMES = 4, 3  # tokens of a group at least, how often it stands in a row
BUDGETS = (100, 200)  # tokens that are written
SEARCHES = {
    "greedy": {},
    "beam of 2": {"beam_width": 2},
    "beam of 5": {"beam_width": 5},
}
TEMPERATURES = (0.3, 0.7, 1.0, 1.3)
SEEDS = range(5)


class Loop(NamedTuple):
    """Where a text goes in circles.

    Args:
        start: How many tokens stand before its first round.
        size: Tokens of a round.
    """

    start: int
    size: int


def loop_of(text: Sequence[int]) -> Loop | None:
    """Return the loop in which a text ends, the one of the shortest rounds.

    Args:
        text: The ids of the text.
    """
    for size in range(GROUP, len(text) // TIMES + 1):
        start = len(text) - size
        while start and text[start - 1] == text[start - 1 + size]:
            start -= 1
        if len(text) - start >= TIMES * size:
            return Loop(start, size)
    return None


def rounds_of(loop: Loop, chances: Tensor) -> list[float]:
    """Return how probable each whole round of a loop was, the product of its tokens.

    Args:
        loop: The loop.
        chances: The probability of each token of the text.
    """
    whole = (len(chances) - loop.start) // loop.size
    return (
        chances[loop.start :][: whole * loop.size].view(whole, -1).prod(dim=1).tolist()
    )


def until(text: Sequence[int], end: int) -> list[int]:
    """Return a text as far as its first end token.

    Args:
        text: The ids of the text.
        end: The end token.
    """
    text = list(text)
    return text[: text.index(end)] if end in text else text


def again(text: Sequence[int]) -> float:
    """Return the share of groups of four tokens that a text has held before.

    Args:
        text: The ids of the text, at least four.
    """
    return repeated(torch.tensor([text]), size=GROUP)


def searched(smollm: LanguageModel, beginning: str, way: str, new: int) -> dict:
    """Search for a text that goes on, and tell whether it ends in a loop.

    Args:
        smollm: The model and its tokenizer.
        beginning: What it goes on with.
        way: One of `SEARCHES`.
        new: How many tokens to write.

    Returns:
        tokens: those before the first end token; again: what `again` returns; start,
        size and rounds: of the loop, where there is one; nats: of all tokens, the
        sum of their negative logarithms; written: the text.
    """
    model, tokenizer = smollm
    prompt = as_ids(tokenizer, beginning)
    ids = write(model, prompt, max_new_tokens=new, **SEARCHES[way])[0].tolist()
    text = until(ids, tokenizer.end_id)
    told = {"tokens": len(text), "again": again(text)}
    each = chances(model, prompt, text)
    if loop := loop_of(text):
        told |= loop._asdict() | {"rounds": rounds_of(loop, each)}
    told["nats"] = -each.log().sum().item()
    return told | {"written": tokenizer.decode(text)}


def drawn(smollm: LanguageModel, beginning: str, temperature: float) -> dict:
    """Draw a text for each seed.

    Args:
        smollm: The model and its tokenizer.
        beginning: What they go on with.
        temperature: What the logits are divided by.

    Returns:
        again: what `again` returns for each; loops: how many end in a loop.
    """
    model, tokenizer = smollm
    texts = draws(
        model,
        tokenizer,
        [temperature] * len(SEEDS),
        SEEDS,
        beginning=beginning,
        steps=BUDGETS[0],
    )
    texts = [until(text, tokenizer.end_id) for text in texts]
    return {
        "again": [again(text) for text in texts if len(text) >= GROUP],
        "loops": sum(loop_of(text) is not None for text in texts),
    }


def itself(smollm: LanguageModel, text: Text) -> dict:
    """Return what `again` returns for how a text goes on by itself.

    Args:
        smollm: The model and its tokenizer.
        text: The text.
    """
    return {"again": again(smollm.tokenizer.encode(text.rest)[: BUDGETS[0]])}


def every_text(smollm: LanguageModel) -> list[dict]:
    """Return a row for each text and each way to go on with it."""
    rows = []
    for kind, text in TEXTS.items():
        rows.append({"text": kind, "way": "itself"} | itself(smollm, text))
        for new in BUDGETS:
            for way in SEARCHES:
                told = searched(smollm, text.beginning, way, new)
                rows.append({"text": kind, "way": way, "new": new} | told)
        for temperature in TEMPERATURES:
            told = drawn(smollm, text.beginning, temperature)
            rows.append({"text": kind, "way": f"T = {temperature}"} | told)
    return rows


if __name__ == "__main__":
    MEASUREMENTS.write(every_text(open_model(MODEL)), model=MODEL, seeds=len(SEEDS))
