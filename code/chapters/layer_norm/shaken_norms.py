"""Plain deep networks whose norms are shaken: does less shift mean more learning?

After Santurkar et al. (2018), section 2, in small.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from chapters.laboratory.fit import same_numbers

KINDS = ("none", "batch", "layer", "batch, shaken", "layer, shaken")
DEEP = 10  # layers of the network
WATCHED = 5  # the layer that is watched, counted from 1


class Shaken(nn.Module):
    """A norm whose output is shifted and scaled differently at every training step."""

    def __init__(self, norm: nn.Module) -> None:
        super().__init__()
        self.norm = norm

    def forward(self, x: Tensor) -> Tensor:
        """Normalize, then spoil mean and scale of each feature."""
        y = self.norm(x)
        if not self.training:
            return y
        scale = 1 + 0.3 * torch.randn(y.size(-1)).clamp(-2, 2)
        return y * scale + 0.3 * torch.randn(y.size(-1))


def plain_network(kind: str, *, inputs: int = 16, width: int = 64) -> nn.Sequential:
    """Return a deep network without skips; the norm stands before each ReLU."""
    make = {
        "none": lambda: nn.Identity(),
        "batch": lambda: nn.BatchNorm1d(width),
        "layer": lambda: nn.LayerNorm(width),
        "batch, shaken": lambda: Shaken(nn.BatchNorm1d(width)),
        "layer, shaken": lambda: Shaken(nn.LayerNorm(width)),
    }[kind]
    sizes = [inputs] + [width] * (DEEP - 1)
    layers = [(nn.Linear(size, width), make(), nn.ReLU()) for size in sizes]
    return nn.Sequential(
        *(part for layer in layers for part in layer), nn.Linear(width, 4)
    )


def teacher_task() -> tuple[Tensor, Tensor]:
    """Return inputs, and the classes that a random teacher network gives them."""
    with same_numbers(99):
        teacher = nn.Sequential(nn.Linear(16, 64), nn.Tanh(), nn.Linear(64, 4))
        x = torch.randn(4096, 16)
        return x, (3 * teacher(x)).argmax(dim=-1)


def train_watched(
    kind: str, *, learning_rate: float, seed: int, steps: int = 300
) -> dict[str, float]:
    """Train a plain network and watch how far one layer's statistics move.

    Args:
        kind: One of `KINDS`.
        learning_rate: Of plain gradient descent.
        seed: Seed of the parameters, the batches and the shaking.
        steps: Number of training steps.

    Returns:
        The mean training loss of the last tenth, and the drift: how far mean and
        deviation of a feature move in five steps, as they are and next to the mean
        deviation of that layer.
    """
    x, labels = teacher_task()
    with same_numbers(seed):
        model = plain_network(kind)
        watched = model[: 3 * (WATCHED - 1) + 2]  # up to the norm of that layer
        optimizer = torch.optim.SGD(model.parameters(), learning_rate)
        losses, moments = [], []
        for step in range(steps):
            rows = torch.randint(len(x), (128,))
            loss = F.cross_entropy(model(x[rows]), labels[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            if step % 5 == 0 and step > steps // 10:
                with torch.no_grad():
                    seen = watched(x[:256])
                moments.append(torch.stack([seen.mean(0), seen.std(0)]))
    drift = torch.stack(moments).diff(dim=0).abs().mean(dim=(0, 2)).sum().item()
    scale = torch.stack(moments)[:, 1].mean().item()
    tail = losses[-steps // 10 :]
    return {
        "loss": sum(tail) / len(tail),
        "drift": drift,
        "relative_drift": drift / scale,
    }
