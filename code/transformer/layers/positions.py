"""The positions of one call of a stack, and the turns that its layers share."""

import torch
from torch import nn

from transformer.layers.rotation import Rotation


class Positions:
    """Number the positions of a call, and compute what follows from them once.

    A stack makes them and hands them down. Layers that rotate by one and the same
    `RotaryEmbedding` share its turns; a layer with another one has turns of its own.

    Args:
        start: How many positions were there before.
        time: How many come with this call.
        device: Where to number them; the default device when not given.
    """

    def __init__(
        self, start: int, time: int, *, device: torch.device | None = None
    ) -> None:
        self.all = torch.arange(start + time, device=device)
        self.new = self.all[start:]
        self._turns: dict[tuple[nn.Module, torch.dtype], Rotation] = {}

    def rotation(self, rotary: nn.Module, dtype: torch.dtype) -> Rotation:
        """Return the turns of the new positions, for `rotary.rotate`."""
        known = (rotary, dtype)
        if known not in self._turns:
            self._turns[known] = rotary.rotation(self.new, dtype)
        return self._turns[known]
