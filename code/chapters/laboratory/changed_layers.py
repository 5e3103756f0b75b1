"""Layers from which something is taken away, to see what it was worth."""

from collections.abc import Callable

from torch import Tensor, nn

from transformer.layers import ResidualConnection


class WithoutSkip(nn.Module):
    """What is left of a residual connection when nothing is carried past it."""

    def __init__(self, residual: ResidualConnection) -> None:
        super().__init__()
        self.residual = residual

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """Return the change alone."""
        return self.residual.change(x, sublayer)
