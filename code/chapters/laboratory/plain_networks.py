"""Plain deep networks, with a norm or without, whose norms can be shaken."""

from collections.abc import Mapping

import torch
from torch import Tensor, nn

INPUTS, WIDTH, CLASSES = 16, 64, 4
DEEP = 10  # layers of the network
SHAKING = 0.3
NORMS = {"none": lambda width: nn.Identity(), "batch": nn.BatchNorm1d}
NORMS["layer"] = nn.LayerNorm
# A norm, whether it is shaken, and whether the weights start as ReLU wants them.
KINDS: Mapping[str, tuple[str, bool, bool]] = {
    "none": ("none", False, True),
    "batch": ("batch", False, True),
    "layer": ("layer", False, True),
    "batch, shaken": ("batch", True, True),
    "layer, shaken": ("layer", True, True),
    "none, small start": ("none", False, False),
    "batch, shaken, small start": ("batch", True, False),
    "layer, shaken, small start": ("layer", True, False),
}


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
        scale = 1 + SHAKING * torch.randn(y.size(-1)).clamp(-2, 2)
        return y * scale + SHAKING * torch.randn(y.size(-1))


def plain_network(kind: str) -> nn.Sequential:
    """Return a deep network without skips; the norm stands before each ReLU.

    Args:
        kind: A name of `KINDS`. With a small start the weights are PyTorch's default;
            else those of He et al. (2015), with which ReLU keeps the mean square.
    """
    norm, shaken, wide = KINDS[kind]
    network = nn.Sequential()
    for size in [INPUTS] + [WIDTH] * (DEEP - 1):
        part = NORMS[norm](WIDTH)
        linear = nn.Linear(size, WIDTH)
        network.extend([linear, Shaken(part) if shaken else part, nn.ReLU()])
        if wide:
            nn.init.kaiming_normal_(linear.weight, nonlinearity="relu")
            nn.init.zeros_(linear.bias)
    return network.append(nn.Linear(WIDTH, CLASSES))
