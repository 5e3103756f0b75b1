"""The training loop that all measurements share."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from transformer.data import IGNORED


@contextmanager
def same_numbers(seed: int) -> Iterator[None]:
    """Draw parameters and data on the CPU in float64 from a seed, then go back.

    What is drawn inside depends on the seed alone: not on the device, on the default
    dtype or on what was drawn before.
    """
    dtype = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with torch.random.fork_rng(devices=[]), torch.device("cpu"):
            torch.manual_seed(seed)
            yield
    finally:
        torch.set_default_dtype(dtype)


def fit(
    model: nn.Module,
    draw_batch: Callable[[], tuple[tuple[Tensor, ...], Tensor]],
    *,
    steps: int,
    learning_rate: float,
    warm_up: int = 1,
    device: torch.device | str = "cpu",
) -> list[float]:
    """Train with Adam on fresh batches and return the loss of each step.

    Args:
        model: Returns one score for each class on its last axis.
        draw_batch: Returns the model's inputs and the right classes.
        steps: Number of training steps.
        learning_rate: Learning rate after the warm-up.
        warm_up: Steps over which the learning rate rises to its full size.
        device: Where to compute.

    Returns:
        The cross-entropy of each step in nats.
    """
    model.to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate)
    losses = []
    for step in range(1, steps + 1):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate * min(1.0, step / warm_up)
        inputs, targets = draw_batch()
        scores = model(*(x.to(device) for x in inputs)).flatten(end_dim=-2)
        targets = targets.flatten().to(device)
        loss = F.cross_entropy(scores, targets, ignore_index=IGNORED)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
