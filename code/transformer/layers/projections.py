"""Projections: how the linear maps of all layers start."""

from torch import nn


def start_projections(*projections: nn.Linear) -> None:
    """Draw the weights after Glorot and Bengio (2010) and set biases to zero."""
    for projection in projections:
        nn.init.xavier_uniform_(projection.weight)
        if projection.bias is not None:
            nn.init.zeros_(projection.bias)
