"""The training loop that all measurements share.

Parameters and data are drawn on the CPU, so that every device sees the same numbers.
"""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

IGNORED = -100  # a target with this value does not count


def fit(
    model: nn.Module,
    draw_batch: Callable[[], tuple[tuple[Tensor, ...], Tensor]],
    *,
    steps: int,
    learning_rate: float,
    warm_up: int = 1,
) -> list[float]:
    """Train with Adam on fresh batches and return the loss of each step.

    Args:
        model: Returns one score for each class on its last axis.
        draw_batch: Returns the model's inputs and the right classes.
        steps: Number of training steps.
        learning_rate: Learning rate after the warm-up.
        warm_up: Steps over which the learning rate rises to its full size.

    Returns:
        The cross-entropy of each step in nats.
    """
    device = torch.get_default_device()
    model.to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate)
    losses = []
    for step in range(1, steps + 1):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate * min(1.0, step / warm_up)
        with torch.device("cpu"):
            inputs, targets = draw_batch()
        scores = model(*(x.to(device) for x in inputs)).flatten(end_dim=-2)
        targets = targets.flatten().to(device)
        loss = F.cross_entropy(scores, targets, ignore_index=IGNORED)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
