"""Where all heads of a language model look in a few short texts.

The explorer of the chapter reads them from a file that
`python -m chapters.inside.all_heads` writes.
"""

from functools import cache

import torch

from chapters.inside import boats
from chapters.inside.packed import PARTS, Head, in_parts, pack, unpack
from chapters.inside.reading import read
from chapters.laboratory.measurements import Measurements
from chapters.laboratory.real_model import open_model
from transformer.zoo import LanguageModel

MEASUREMENTS = Measurements("inside", "all_heads")
MODEL = "smollm2-135m"
LAYERS, HEADS = 30, 9
RANDOM = ("apple", "river", "seven", "music", "paper")
MIXED = (1, 3, 0, 4, 2)  # no word in its place, none behind the one that it followed


def _spaced(*words: str) -> str:
    """Write words with a space before each, so that all are tokens of one kind."""
    return "".join(f" {word}" for word in words)


TEXTS = {
    "boats": boats.TWO.format("Happy", "Piano", "Tiny", "Elephant")
    + f"{boats.WENT} Happy",
    "names": "When Anna and Tom met, Tom smiled at",
    "code": "def add(a, b): return a +",
    "twice": _spaced(*RANDOM, *RANDOM),
    "mixed": _spaced(*RANDOM, *(RANDOM[i] for i in MIXED)),
}


def measured(model: torch.nn.Module, tokenizer: object, text: str) -> dict:
    """Return the words of a text, and where each head looks from each of them.

    Args:
        model: A decoder-only language model.
        tokenizer: Its tokenizer.
        text: What it reads.

    Returns:
        words: one for each token; weights: those of all heads, one layer after the
        other, packed.
    """
    ids = tokenizer.encode(text)
    weights = read(model, torch.tensor([ids])).weights[:, 0].flatten(end_dim=1)
    heads = [
        [in_parts(row[: i + 1]) for i, row in enumerate(head)] for head in weights.cpu()
    ]
    words = [tokenizer.decode([token]).strip() for token in ids]
    return {"words": words, "weights": pack(heads)}


def every_text(smollm: LanguageModel) -> list[dict]:
    """Return a row for each text."""
    return [{"text": name} | measured(*smollm, text) for name, text in TEXTS.items()]


@cache
def find_rows() -> dict[str, dict]:
    """Return what the file holds, by text."""
    return {row["text"]: row for row in MEASUREMENTS.read()}


def find_words(text: str) -> list[str]:
    """Return the stored words of a text, one for each token."""
    return find_rows()[text]["words"]


@cache
def find_heads(text: str) -> list[Head]:
    """Return where all heads look in a text, one layer after the other."""
    words, packed = find_words(text), find_rows()[text]["weights"]
    return unpack(packed, heads=LAYERS * HEADS, words=len(words))


if __name__ == "__main__":
    MEASUREMENTS.write(every_text(open_model(MODEL)), model=MODEL, parts=PARTS)
