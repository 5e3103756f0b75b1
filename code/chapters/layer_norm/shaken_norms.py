"""Plain deep networks whose norms are shaken: does less shift mean more learning?

After Santurkar et al. (2018), section 2, in small. The trainings take minutes, so the
chapter reads their results from a file that
`python -m chapters.layer_norm.shaken_norms` writes.
"""

from collections.abc import Iterator
from math import inf, isfinite

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from chapters.laboratory.fit import same_numbers
from chapters.laboratory.plain_networks import (
    CLASSES,
    INPUTS,
    KINDS,
    Shaken,
    plain_network,
)
from chapters.laboratory.study import Study

WATCHED = 5  # the layer that is watched, counted from 1
BATCH = 128
TEST_BATCHES = 32


def examples(seed: int) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield batches of inputs, each with the classes that a random teacher gives it.

    No input comes twice, so that a training loss is one on unseen examples.
    """
    with same_numbers(99):
        teacher = nn.Sequential(
            nn.Linear(INPUTS, 64), nn.Tanh(), nn.Linear(64, CLASSES)
        ).requires_grad_(False)
    generator = torch.Generator("cpu").manual_seed(seed)
    while True:
        x = torch.randn(
            BATCH, INPUTS, generator=generator, dtype=torch.float64, device="cpu"
        )
        yield x, teacher(x).argmax(dim=-1)


def train_watched(
    kind: str, *, learning_rate: float, seed: int, steps: int = 300
) -> dict[str, float]:
    """Train a plain network and watch how far one layer's statistics move.

    Args:
        kind: A name of `KINDS`.
        learning_rate: Of plain gradient descent.
        seed: Seed of the parameters, the batches and the shaking.
        steps: Number of training steps.

    Returns:
        "validation", the loss on other batches, which chooses the rate; "loss", the
        mean training loss of the last tenth; "quiet", the loss on test batches when
        nothing is shaken; and "drift", how far mean and deviation of a feature move in
        five steps, next to the mean deviation of that layer. The first alone if the
        loss was not finite.
    """
    (probe, _), batches = next(examples(103)), examples(seed)
    with same_numbers(seed):
        model = plain_network(kind)
        watched = model[: 3 * (WATCHED - 1) + 2]  # up to the norm of that layer
        optimizer = torch.optim.SGD(model.parameters(), learning_rate)
        losses, moments = [], []
        for step in range(steps):
            x, labels = next(batches)
            loss = F.cross_entropy(model(x), labels)
            if not isfinite(loss.item()):
                return {"validation": inf}
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            if step % 5 == 0 and step > steps // 10:
                with torch.no_grad():
                    seen = watched(probe)
                moments.append(torch.stack([seen.mean(0), seen.std(0)]))
        validation = mean_loss(model, seed=101)
        for part in model:
            if isinstance(part, Shaken):
                part.training = False
        quiet = mean_loss(model, seed=102)
    moved = torch.stack(moments)
    drift = moved.diff(dim=0).abs().mean(dim=(0, 2)).sum() / moved[:, 1].mean()
    tail = losses[-steps // 10 :]
    return {
        "validation": validation,
        "loss": sum(tail) / len(tail),
        "quiet": quiet,
        "drift": drift.item(),
    }


@torch.no_grad()
def mean_loss(model: nn.Module, *, seed: int) -> float:
    """Return the loss on some batches, each normalized and shaken as in training."""
    batches = examples(seed)
    losses = [
        F.cross_entropy(model(x), labels).item()
        for _, (x, labels) in zip(range(TEST_BATCHES), batches, strict=False)
    ]
    return sum(losses) / len(losses)


def measured(variant: str, **setting: float) -> dict[str, float]:
    """Make one training of the study."""
    return train_watched(variant, **setting)


STUDY = Study(
    "layer_norm",
    "shaken_norms",
    train=measured,
    variants=tuple(KINDS),
    rates=(3e-2, 1e-1, 3e-1),
    budgets=(300, 1200),
)


if __name__ == "__main__":
    STUDY.run()
