"""Modes: how a model behaves while it is used and not trained."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import nn


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Turn dropout and gradients off inside a `with` block, and back afterwards.

    Each submodule is left as it came, also when parts of a model were in different
    modes, and also when an error ends the block.

    Source: ours; dropout is for training only: Srivastava et al. (2014), section 4.

    Args:
        model: Any module.
    """
    modes = [(module, module.training) for module in model.modules()]
    try:
        model.eval()
        with torch.no_grad():
            yield
    finally:
        for module, training in modes:
            module.training = training
