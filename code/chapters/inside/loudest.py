"""Where in a book a hidden unit has its largest numbers.

The notebook reads it from a file that `python -m chapters.inside.loudest` writes.
"""

import random

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from chapters.inside.reading import read
from chapters.laboratory import alice
from chapters.laboratory.measurements import Measurements
from chapters.laboratory.real_model import open_model
from transformer.zoo import LanguageModel

MEASUREMENTS = Measurements("inside", "loudest")
MODEL = "smollm2-135m"
LAYER, UNIT = 24, 73
SIZE, BEFORE, COUNT = 256, 7, 10  # of a window, shown before a token, kept
LOUD = 2.0  # the unit is silent at most words, and far above this at the loudest


def drawn_units(width: int = 1536, count: int = 2) -> list[int]:
    """Draw units of the layer, from 1."""
    return random.Random(0).sample(range(1, 1 + width), count)


@torch.no_grad()
def numbers_of(
    model: nn.Module, ids: Int[Tensor, "windows time"], units: list[int]
) -> tuple[Float[Tensor, "units windows time"], Int[Tensor, "windows time"]]:
    """Return the numbers of units at all tokens, and what the model guesses there.

    Args:
        model: A decoder-only language model.
        ids: What it reads, one window at a time.
        units: Their numbers in the layer, from 1.
    """
    chosen = [number - 1 for number in units]
    found, guesses = [], []
    for window in ids:
        seen = read(model, window[None])
        found.append(seen.units[LAYER - 1, 0][:, chosen].T)
        guesses.append(seen.logits[0].argmax(dim=-1))
    return torch.stack(found, dim=1), torch.stack(guesses)


def loudest(numbers: Float[Tensor, "windows time"], count: int) -> list[tuple]:
    """Return the window and the place of the largest sizes, the largest first.

    The first token of a window, where the giant is, and the last, whose next word is
    in no window, do not count.
    """
    inner = numbers[:, 1:-1]
    order = inner.abs().flatten().topk(count).indices.tolist()
    return [(i // inner.size(1), 1 + i % inner.size(1)) for i in order]


def every_unit(smollm: LanguageModel) -> list[dict]:
    """Return a row for the unit of the page and for each drawn one.

    Returns:
        unit: its number; loudest: where it has the largest numbers, with what stands
        before, what the model guesses and what comes; loud: at how many tokens the
        number is above `LOUD`; ands: before how many *and* there are, and before how
        many of these it is loud.
    """
    model, tokenizer = smollm
    ids = alice.windows(tokenizer, size=SIZE)
    units = [UNIT, *drawn_units()]
    found, guesses = numbers_of(model, ids, units)
    ends = ids[:, 2:] == tokenizer.encode(" and")[0]
    rows = []
    for unit, numbers in zip(units, found, strict=True):
        places = [
            {
                "number": numbers[window, place].item(),
                "text": tokenizer.decode(
                    ids[window, max(0, place - BEFORE) : place + 1].tolist()
                ),
                "guess": tokenizer.decode([guesses[window, place].item()]),
                "next": tokenizer.decode([ids[window, place + 1].item()]),
            }
            for window, place in loudest(numbers, COUNT)
        ]
        loud = numbers[:, 1:-1] > LOUD
        ands = [ends.sum().item(), (loud & ends).sum().item()]
        row = {"unit": unit, "loudest": places, "loud": loud.sum().item(), "ands": ands}
        rows.append(row)
    return rows


if __name__ == "__main__":
    MEASUREMENTS.write(
        every_unit(open_model(MODEL)), model=MODEL, layer=LAYER, size=SIZE, loud=LOUD
    )
