"""Checks at the doors of masks."""

import torch
from torch import Tensor

from transformer.checks.tensors import check_device, check_tokens
from transformer.checks.values import check_size


def check_causal(target: object, source: object, device: object) -> None:
    """Check the arguments of `causal_mask`."""
    source = target if source is None else source
    check_size("target", target)
    check_size("source", source)
    if device is not None:
        check_device("device", device)
    if source < target:
        raise ValueError(
            f"source must be at least target, got source={source} and "
            f"target={target}; the first queries would see nothing."
        )


def check_padding(tokens: object, pad_id: object) -> None:
    """Check the arguments of `padding_mask`."""
    check_tokens(tokens)
    if isinstance(pad_id, bool) or not isinstance(pad_id, int):
        raise TypeError(
            f"pad_id must be a token id, got {pad_id!r} ({type(pad_id).__name__}); "
            "pass the int that the tokenizer pads with."
        )
    if tokens.dim() != 2:
        raise ValueError(
            f"tokens must have shape (batch, source), got {tuple(tokens.shape)}; "
            "add the missing axis with .unsqueeze(0)."
        )
    if not -(2**63) <= pad_id < 2**63:
        raise ValueError(
            f"pad_id must fit into 64 bits, got {pad_id}; pass the id that the "
            "tokenizer pads with."
        )


def check_real(
    name: str, mask: object, shape: tuple[int, ...], device: torch.device
) -> None:
    """Check that a mask tells for each position whether it is real."""
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
