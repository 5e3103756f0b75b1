"""Checks of masks that tell real positions from padding."""

import torch
from torch import Tensor


def check_real(
    name: str, mask: object, shape: tuple[int, ...], device: torch.device
) -> None:
    """Refuse what does not say of each position whether it is real."""
    if not isinstance(mask, Tensor) or mask.dtype != torch.bool:
        came = mask.dtype if isinstance(mask, Tensor) else type(mask).__name__
        raise TypeError(
            f"{name} must be a Boolean tensor in which True means a real position, "
            f"got {came}; write for example tokens != pad_id."
        )
    if mask.shape != shape or mask.device != device:
        raise ValueError(
            f"{name} must have shape {tuple(shape)} on {device}, got "
            f"{tuple(mask.shape)} on {mask.device}; pass one True or False for each "
            "position."
        )
