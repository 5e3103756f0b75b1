"""In how many of ten texts a language model falls into a loop, by the way it writes.

A text is in a loop when it ends in one group of at least four tokens, three times in a
row. What stands behind an end token does not count. `python -m chapters.decoding.loops`
lets SmolLM2 go on with each of the ten beginnings, and keeps what came out.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from chapters.decoding.continuations import repeated, write
from chapters.decoding.real_texts import chances
from chapters.decoding.ten_texts import TEXTS
from chapters.laboratory.measurements import Measurements
from chapters.laboratory.real_model import as_ids, open_model
from transformer.zoo import LanguageModel

MEASUREMENTS = Measurements("decoding", "loops")
MODEL = "smollm2-135m"
GROUP, TIMES = 4, 3  # tokens of a group at least, how often it stands in a row
NEW, LONGER = 100, 200  # tokens that are written; the second number by greed alone
SEARCHES = {
    "greedy": {},
    "beam of 2": {"beam_width": 2},
    "beam of 5": {"beam_width": 5},
}
TEMPERATURES = (0.3, 0.7, 1.0, 1.3)
SEEDS = (0, 1, 2)  # of the draws


class Loop(NamedTuple):
    """Where a text goes in circles.

    Args:
        start: How many tokens stand before its first round.
        size: Tokens of a round.
    """

    start: int
    size: int


class Totals(NamedTuple):
    """What all texts of one way come to.

    Args:
        texts: How many there are.
        loops: How many of them end in a loop.
        again: The mean of what `again` returns.
    """

    texts: int
    loops: int
    again: float


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


def rounds_of(loop: Loop, chances: Float[Tensor, " new"]) -> list[float]:
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
        text: The ids of the text; without groups there is none to hold, and 0 comes.
    """
    if len(text) < GROUP:
        return 0.0
    return repeated(torch.tensor([text]), size=GROUP)


def go_on(
    smollm: LanguageModel, beginnings: Sequence[str], *, new: int, **choices: object
) -> list[list[int]]:
    """Return how a model goes on with beginnings, as far as an end token.

    Args:
        smollm: The model and its tokenizer.
        beginnings: What it goes on with.
        new: How many tokens to write.
        **choices: What `write` takes.
    """
    model, tokenizer = smollm
    prompts = [as_ids(tokenizer, beginning)[0] for beginning in beginnings]
    rows = pad_sequence(prompts, batch_first=True)
    real = pad_sequence([torch.ones_like(ids) for ids in prompts], batch_first=True)
    found = write(model, rows, mask=real.bool(), max_new_tokens=new, **choices)
    return [until(ids, tokenizer.end_id) for ids in found.tolist()]


def search(
    smollm: LanguageModel, beginnings: Sequence[str], way: str, *, new: int
) -> list[dict]:
    """Search for texts that go on, and tell of each whether it ends in a loop.

    Args:
        smollm: The model and its tokenizer.
        beginnings: What they go on with.
        way: One of `SEARCHES`.
        new: How many tokens to write.

    Returns:
        For each what `look` returns; rounds: how probable they were; nats: the sum of
        the negative logarithms of all tokens; written: the text.
    """
    model, tokenizer = smollm
    told = []
    texts = go_on(smollm, beginnings, new=new, **SEARCHES[way])
    for beginning, text in zip(beginnings, texts, strict=True):
        prompt = as_ids(tokenizer, beginning)
        each = chances(model, prompt, text) if text else torch.ones(0)
        row = look(text) | {"nats": -each.log().sum().item()}
        if loop := loop_of(text):
            row["rounds"] = rounds_of(loop, each)
        told.append(row | {"written": tokenizer.decode(text)})
    return told


def look(text: Sequence[int]) -> dict:
    """Tell whether a text ends in a loop.

    Args:
        text: The ids of the text.

    Returns:
        tokens: how many; again: what `again` returns; start and size: of the loop,
        where there is one.
    """
    loop = loop_of(text)
    told = {"tokens": len(text), "again": again(text)}
    return told | (loop._asdict() if loop else {})


def every_text(smollm: LanguageModel) -> list[dict]:
    """Return a row for each text and each way to go on with it."""
    beginnings = [text.beginning for text in TEXTS.values()]
    rows = []
    for kind, text in TEXTS.items():
        itself = smollm.tokenizer.encode(text.rest)[:NEW]
        rows.append({"text": kind, "way": "itself", "again": again(itself)})
    for way, new in (*((way, NEW) for way in SEARCHES), ("greedy", LONGER)):
        found = zip(TEXTS, search(smollm, beginnings, way, new=new), strict=True)
        rows += [{"text": kind, "way": way, "new": new} | told for kind, told in found]
    for temperature, seed in product(TEMPERATURES, SEEDS):
        dice = {"temperature": temperature, "seed": seed}
        texts = zip(TEXTS, go_on(smollm, beginnings, new=NEW, **dice), strict=True)
        way = f"T = {temperature}"
        rows += [{"text": kind, "way": way} | look(text) for kind, text in texts]
    return rows


def totals(rows: Iterable[Mapping], way: str, *, new: int = NEW) -> Totals:
    """Add up what is stored of a way, over all texts.

    Args:
        rows: The rows of `MEASUREMENTS`.
        way: One of `SEARCHES`, a temperature such as "T = 0.7", or "itself".
        new: How many tokens were written.
    """
    found = [row for row in rows if row["way"] == way and row.get("new", new) == new]
    loops = sum("size" in row for row in found)
    return Totals(len(found), loops, sum(row["again"] for row in found) / len(found))


if __name__ == "__main__":
    facts = {"model": MODEL, "tokens": NEW, "seeds": len(SEEDS)}
    MEASUREMENTS.write(every_text(open_model(MODEL)), **facts)
