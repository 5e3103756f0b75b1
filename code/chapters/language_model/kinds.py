"""What a model learns when: the price of line ends, names, words and their endings.

`python -m chapters.language_model.kinds` measures the models that the long training
kept on its way, and needs the folder that it left.
"""

import itertools
from collections.abc import Sequence
from math import log
from pathlib import Path

import torch
from jaxtyping import Float, Integer
from torch import Tensor

from chapters.laboratory import king_james
from chapters.laboratory.measurements import Measurements
from chapters.language_model.own_model import FOLDER
from chapters.language_model.recipe import LINE_END, tokenizer, tokens
from transformer.models import load_model
from transformer.training import score_text

MEASUREMENTS = Measurements("language_model", "kinds")
KINDS = ("ends of lines", "starts of words", "rest of words", "names")
VOCABULARY, WIDTH, LETTERS = 2048, 256, 20_000
STEPS = (10, 20, 50, 100, 200, 400, 1000, 2000, 4800)


def kind_of(before: str, piece: str) -> str | None:
    """Return which of `KINDS` a piece is, and nothing for a mark.

    A name is a capital within a verse, and not after a mark, where speech may begin.

    Args:
        before: The piece before it.
        piece: The piece.
    """
    if LINE_END in piece:
        return "ends of lines"
    if not any(letter.isalpha() for letter in piece):
        return None
    if not piece.startswith(" ") and before[-1:].isalpha():
        return "rest of words"
    if not piece.strip()[0].isupper():
        return "starts of words"
    return "names" if before[-1:].isalpha() else None


def by_kind(
    bits: Float[Tensor, " tokens"], kinds: Sequence[str | None]
) -> dict[str, float]:
    """Return the mean bits of the pieces of each kind.

    Args:
        bits: What each piece costs.
        kinds: Which kind each piece is.
    """
    found = {}
    for kind in KINDS:
        chosen = torch.tensor([k == kind for k in kinds])
        found[kind] = float(bits[chosen].mean())
    return found


def counted_alone(ids: Integer[Tensor, " tokens"]) -> Float[Tensor, " tokens"]:
    """Return the bits of pieces for who only counts how often each one comes."""
    counts = torch.bincount(tokens("train", VOCABULARY), minlength=VOCABULARY) + 1
    return -(counts / counts.sum()).log2()[ids]


def measure(folder: Path = FOLDER) -> list[dict]:
    """Return the mean bits of each kind at each moment that was kept."""
    ours = tokenizer(VOCABULARY)
    text = king_james.split_text("validation")[:LETTERS]
    ids = torch.tensor(ours.encode(LINE_END + text))
    pieces = [ours.decode([i]) for i in ids.tolist()]
    kinds = [kind_of(a, b) for a, b in itertools.pairwise(pieces)]
    rows = [{"step": 0, **by_kind(counted_alone(ids)[1:], kinds)}]
    for step in STEPS:
        model = load_model(folder / "moments" / f"{step:05d}")
        nats = score_text(model, ids, width=WIDTH, stride=WIDTH // 2)
        rows.append({"step": step, **by_kind(nats / log(2), kinds)})
        print(rows[-1], flush=True)
    return rows


if __name__ == "__main__":
    torch.set_num_threads(1)
    MEASUREMENTS.write(measure(), letters=LETTERS)
