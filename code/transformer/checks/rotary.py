"""Checks at the doors of rotary position embeddings."""

from collections.abc import Collection, Sequence

import torch
from torch import Tensor, nn

from transformer.checks.tensors import (
    check_features,
    check_float_tensor,
    check_positions,
    check_same_kind,
)
from transformer.checks.values import (
    check_choice,
    check_even,
    check_kind,
    check_positive,
    check_size,
)

PHASE_DTYPES = {torch.float32: torch.complex64, torch.float64: torch.complex128}


def check_rotated_pairs(
    layouts: Collection[str], x: object, cosine: object, sine: object, layout: object
) -> None:
    """Check the arguments of `rotate_pairs`."""
    check_choice("layout", layout, layouts)
    _check_pairs(x)
    for name, turns in (("cosine", cosine), ("sine", sine)):
        check_float_tensor(name, turns)
        check_same_kind(**{"x": x, name: turns})
        _check_fit(name, turns.shape, x.shape)


def check_rotated_phases(x: object, phase: object) -> None:
    """Check the arguments of `rotate_phases`."""
    _check_pairs(x)
    check_kind("phase", phase, Tensor)
    if phase.dtype != PHASE_DTYPES.get(x.dtype):
        raise TypeError(
            "x and phase must be float32 and complex64, or float64 and complex128, got "
            f"{x.dtype} and {phase.dtype}; convert one with .to(dtype)."
        )
    if phase.device != x.device:
        raise ValueError(
            f"x and phase must be on one device, got {x.device} and {phase.device}; "
            "move one with .to(device)."
        )
    _check_fit("phase", phase.shape, (*x.shape[:-1], x.size(-1) // 2))


def _check_pairs(x: object) -> None:
    """Check for a float tensor of shape (..., time, pairs of features)."""
    check_float_tensor("x", x)
    if x.dim() < 2:
        raise ValueError(
            f"x must have shape (..., time, d_rotary), got {tuple(x.shape)}; put the "
            "features on the last axis."
        )
    check_even("d_rotary", x.size(-1))


def _check_fit(name: str, came: Sequence[int], want: Sequence[int]) -> None:
    """Check that a shape has the time steps and features, and broadcasts."""
    if tuple(came[-2:]) != tuple(want[-2:]) or not _broadcasts(came[:-2], want[:-2]):
        raise ValueError(
            f"{name} must broadcast to {tuple(want)}, with a row for each time step, "
            f"got {tuple(came)}; for turns of each sequence write {name}[:, None]."
        )


def _broadcasts(came: Sequence[int], want: Sequence[int]) -> bool:
    """Return whether leading axes can be repeated to others."""
    sizes = zip(reversed(came), reversed(want), strict=False)
    return len(came) <= len(want) and all(size in (1, full) for size, full in sizes)


def check_rotary(
    layouts: Collection[str],
    scalings: Collection[str],
    d_head: object,
    fraction: object,
    layout: object,
    scaling: object,
    magnitude: object,
) -> None:
    """Check the settings of a rotary embedding."""
    check_size("d_head", d_head)
    if magnitude is not None:
        check_positive("magnitude", magnitude)
    check_positive("fraction", fraction)
    if fraction > 1:
        raise ValueError(
            f"fraction must be at most 1, got {fraction}; pass the share of the "
            "features to rotate."
        )
    check_choice("layout", layout, layouts)
    check_choice("scaling", scaling, scalings)
    check_even("round(fraction * d_head)", round(fraction * d_head))


def check_placed_vectors(rotary: nn.Module, x: object, positions: object) -> None:
    """Check that vectors can be rotated by their positions."""
    check_features("x", x, rotary.d_head, axis="d_head")
    check_positions("positions", positions)
    _check_device(x, positions.device)
    _check_steps(x, positions.shape)


def check_rotated(kind: type, rotary: nn.Module, x: object, rotation: object) -> None:
    """Check that turns were made for these vectors."""
    check_features("x", x, rotary.d_head, axis="d_head")
    check_kind("rotation", rotation, kind)
    cosine, layout = rotation.cosine, rotary.layout
    _check_device(x, cosine.device)
    if cosine.dtype != torch.promote_types(x.dtype, torch.float32):
        raise TypeError(
            f"x and the rotation must have one dtype, got {x.dtype} and "
            f"{cosine.dtype}; make the rotation with dtype={x.dtype}."
        )
    made_for = "half" if rotation.phase is None else "interleaved"
    if cosine.size(-1) != rotary.d_rotary or made_for != layout:
        raise ValueError(
            f"rotation must turn d_rotary={rotary.d_rotary} features in the {layout} "
            f"layout, got {cosine.size(-1)} in the {made_for} layout; make it with the "
            "method rotation of the same RotaryEmbedding."
        )
    _check_steps(x, cosine.shape[:-1])


def _check_device(x: Tensor, device: torch.device) -> None:
    """Check that vectors and their positions are on one device."""
    if device != x.device:
        raise ValueError(
            f"x and positions must be on one device, got {x.device} and {device}; "
            "move one with .to(device)."
        )


def _check_steps(x: Tensor, steps: Sequence[int]) -> None:
    """Check that there is a position for each time step."""
    *leading, time = steps
    if time != x.size(-2) or not _broadcasts(leading, x.shape[:-2]):
        raise ValueError(
            f"positions must broadcast to {tuple(x.shape[:-1])}, with a position for "
            f"each time step, got {tuple(steps)}; for positions of each sequence write "
            "positions[:, None]."
        )


def check_unscaled(frequencies: object, factor: object) -> None:
    """Check the arguments of `unscaled`."""
    check_scaling(frequencies, factor)
    if factor != 1:
        raise ValueError(
            f"factor must be 1 without scaling, got {factor}; choose a scaling."
        )


def check_scaling(frequencies: object, factor: object) -> None:
    """Check that frequencies are a row of floats and the factor is at least 1."""
    check_float_tensor("frequencies", frequencies)
    if frequencies.dim() != 1 or len(frequencies) == 0:
        raise ValueError(
            f"frequencies must have shape (pairs,), got {tuple(frequencies.shape)}; "
            "make them with rotary_frequencies."
        )
    check_positive("factor", factor)
    if factor < 1:
        raise ValueError(
            f"factor must be at least 1, got {factor}; pass how many times longer "
            "the texts get."
        )


def check_llama3(frequencies: object, factor: object, original_max_len: object) -> None:
    """Check the arguments of `llama3_scaling`."""
    check_scaling(frequencies, factor)
    check_size("original_max_len", original_max_len)


def check_yarn(frequencies: object, factor: object, original_max_len: object) -> None:
    """Check the arguments of `yarn_scaling`."""
    check_llama3(frequencies, factor, original_max_len)
    check_size("the number of frequencies", len(frequencies), minimum=2)
