"""An encoder-decoder without one of its parts: what its loss says, what it writes."""

from collections.abc import Mapping
from math import isfinite

from chapters.laboratory.reversal import (
    EXTRA,
    Reverser,
    exact_match,
    halves,
    held_out_loss,
    rows,
    shifted,
    train,
    write,
)
from chapters.laboratory.study import Study
from transformer.data import IGNORED, Batch

WINDOW = 20  # steps that make one point of a curve
# By name what the model lacks, and the layers of each stack.
VARIANTS: Mapping[str, tuple[str, int]] = {
    "whole": ("none", 1),
    "no causal mask": ("causal", 1),
    "no shift": ("shift", 1),
    "no cross-attention": ("cross-attention", 1),
    "no padding mask": ("padding", 1),
    "no residuals": ("residual", 1),
    "whole, 2 + 2 layers": ("none", 2),
    "no residuals, 2 + 2 layers": ("residual", 2),
}


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


def measured(variant: str, learning_rate: float, steps: int, seed: int) -> dict:
    """Train a model without a part, and let it write.

    Returns:
        "validation", the loss that chooses the rate, and "loss", that of the rows that
        test, both fed as in training, in nats per token; "0", "2" and so on, the share
        of these that the model writes right by itself behind so many added columns
        of padding, as in `EXTRA`; "curve", the mean training loss of each `WINDOW`
        steps.
    """
    missing, layers = VARIANTS[variant]
    options = {"learning_rate": learning_rate, "steps": steps, "seed": seed}
    model, losses, held_out = train(missing=missing, layers=layers, **options)
    chooses, tests = halves(held_out)
    row = {"validation": held_out_loss(model, chooses)}
    if not isfinite(row["validation"]):
        return row
    starts = range(0, steps - WINDOW + 1, WINDOW)
    return row | {
        "loss": held_out_loss(model, tests),
        **{str(extra): exact_match(model, tests, extra) for extra in EXTRA},
        "curve": [sum(losses[i : i + WINDOW]) / WINDOW for i in starts],
    }


STUDY = Study(
    "encoder_decoder",
    "missing_parts",
    train=measured,
    variants=tuple(VARIANTS),
    seeds=(0, 1, 2, 3, 4),
)


if __name__ == "__main__":
    STUDY.run()
