"""Layers from which something is taken away, to see what it was worth."""

from collections.abc import Callable

from torch import Tensor, nn

from transformer.blocks import Decoder
from transformer.layers import ResidualConnection


class WithoutSkip(nn.Module):
    """What is left of a residual connection when nothing is carried past it."""

    def __init__(self, residual: ResidualConnection) -> None:
        super().__init__()
        self.residual = residual

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """Return the change alone."""
        return self.residual.change(x, sublayer)


class WithoutCausalMask(nn.Module):
    """What is left of a decoder when each position sees the later ones, too.

    What it wrote before has to be read again with each new token, so it has no cache.
    """

    def __init__(self, decoder: Decoder) -> None:
        super().__init__()
        self.layers = decoder.layers
        self.norm = decoder.norm

    def forward(
        self, x: Tensor, memory: Tensor, *, cache: None = None, **masks: Tensor | None
    ) -> Tensor:
        """Return what each position has become; the masks hide padding alone."""
        for layer in self.layers:
            x = layer(x, memory, **masks)
        return self.norm(x)
