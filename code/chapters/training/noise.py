"""How far the gradients of a few sentences are from that of many, as a model learns.

The three measurements take many gradients, so the chapter reads them from a file that
`python -m chapters.training.noise` writes.
"""

from collections.abc import Sequence
from functools import partial

import torch
from torch import nn

from chapters.laboratory.measurements import Measurements
from chapters.laboratory.translator import new_translator, numbers
from transformer.data import Batch, Example, TrainingBatches
from transformer.training import (
    LabelSmoothingLoss,
    Trainer,
    adam,
    cosine_schedule,
)

MEASUREMENTS = Measurements("training", "noise")
STEPS = (0, 60, 200)  # after which we measure
loss_of = LabelSmoothingLoss(smoothing=0.0)


def noise_scale(
    model: nn.Module, learned: Sequence[Example], groups: int = 60, size: int = 16
) -> float:
    """Return how many sentences make the noise of a gradient as large as its signal."""
    found = []
    for n in range(groups):
        part = Batch.of(learned[size * n : size * (n + 1)])
        model.zero_grad()
        loss_of(model(*part.inputs), part.labels).backward()
        found.append(torch.cat([p.grad.flatten() for p in model.parameters()]))
    all_of_them = torch.stack(found)
    small = all_of_them.square().sum(dim=1).mean()
    large = all_of_them.mean(dim=0).square().sum()
    noise = (small - large) / (1 / size - 1 / (size * groups))
    return (noise / (small - noise / size)).item()


def measured(steps: Sequence[int] = STEPS) -> list[dict]:
    """Train the translator of the chapter, and measure after each of some steps."""
    learned = numbers().learned
    batches = TrainingBatches(learned, batch_size=32, seed=0)
    model = new_translator(seed=0).double()
    trainer = Trainer(
        model,
        loss=loss_of,
        optimizer=adam(model),
        schedule=partial(cosine_schedule, peak=5e-3, warmup=50, steps=600),
    )
    rows = []
    for goal in steps:
        while trainer.steps < goal:
            trainer.step(batches[trainer.steps])
        rows.append({"steps": goal, "sentences": noise_scale(model, learned)})
    return rows


if __name__ == "__main__":
    torch.set_num_threads(1)
    MEASUREMENTS.write(measured())
