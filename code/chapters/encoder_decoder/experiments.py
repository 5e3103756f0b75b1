"""An encoder-decoder without one of its parts: what its loss says, what it writes."""

from itertools import product

import torch
import torch.nn.functional as F

from chapters.laboratory.measurements import Measurements, measure_all
from chapters.laboratory.reversal import (
    EXTRA,
    MISSING,
    Reverser,
    exact_match,
    rows,
    shifted,
    train,
    unshifted,
    write,
)
from transformer.data import IGNORED, Batch

MEASUREMENTS = Measurements("encoder_decoder")
SEEDS = (0, 1, 2)
STEPS = 800
WINDOW = 20  # steps that make one point of a curve


@torch.no_grad()
def held_out_loss(model: Reverser, test: Batch) -> float:
    """Return the loss on held-out rows, fed as in training, in nats per token."""
    inputs, labels = (unshifted if model.missing == "shift" else shifted)(test)
    logits = model(*inputs).double().flatten(end_dim=-2)
    return F.cross_entropy(logits, labels.flatten(), ignore_index=IGNORED).item()


def position_guess() -> float:
    """Return what the rows to learn from cost if only the position is known.

    Each token is guessed with its share among the tokens at its position; the result
    is the mean cost in nats per token.
    """
    _, labels = shifted(Batch.of(rows()[0]))
    total = 0.0
    for column in labels.T:
        counts = column[column != IGNORED].bincount().double()
        shares = counts[counts > 0] / counts.sum()
        total -= counts.sum().item() * (shares * shares.log()).sum().item()
    return total / (labels != IGNORED).sum().item()


def written(model: Reverser, test: Batch, *, row: int, length: int) -> list[int]:
    """Return the ids that a model writes for one row, each read again."""
    return write(model, test.source[row : row + 1], length)[0].tolist()


def measured(*, missing: str, seed: int, layers: int = 1, steps: int = STEPS) -> dict:
    """Return how a model without a part learns, and what it can do.

    Args:
        missing: What it lacks, one of `reversal.MISSING`.
        seed: Seed of the parameters and of the order of the data.
        layers: Layers of each stack.
        steps: Training steps.

    Returns:
        "curve", the mean loss of each `WINDOW` steps in nats per token; "loss", that of
        the last 50 steps; "held_out", that of rows held out, fed as in training; and
        "exact", the share of held-out rows written right by itself, for each number
        of added columns of padding in `EXTRA`.
    """
    model, losses, test = train(missing=missing, seed=seed, steps=steps, layers=layers)
    windows = range(0, steps - WINDOW + 1, WINDOW)
    return {
        "loss": sum(losses[-50:]) / 50,
        "held_out": held_out_loss(model, test),
        "exact": [exact_match(model, test, extra) for extra in EXTRA],
        "curve": [sum(losses[i : i + WINDOW]) / WINDOW for i in windows],
    }


def grid() -> list[dict]:
    """Return the settings of every training that the file holds."""
    shallow = [
        {"missing": missing, "layers": 1, "seed": seed}
        for missing, seed in product(MISSING, SEEDS)
    ]
    deeper = [
        {"missing": missing, "layers": layers, "seed": seed}
        for layers, missing, seed in product((2,), ("none", "residual"), SEEDS)
    ]
    return shallow + deeper


if __name__ == "__main__":
    MEASUREMENTS.write(measure_all(measured, grid()), steps=STEPS)
