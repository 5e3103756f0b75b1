"""Frequencies of rotary embeddings, and how they are slowed down for longer texts.

A model trained on texts of $L$ positions meets angles it has never seen beyond them.
Each scaling here slows the rotations down so that $s L$ positions fit.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from transformer.checks.doors import door
from transformer.checks.tensors import check_float_tensor
from transformer.checks.values import check_positive, check_size
from transformer.layers.positional import sinusoidal_frequencies


class ScaledFrequencies(NamedTuple):
    """What a scaling returns: new frequencies, and a factor on rotated vectors."""

    frequencies: Float[Tensor, " pairs"]
    magnitude: float


def rotary_frequencies(
    d_rotary: int, *, base: float = 10_000.0
) -> Float[Tensor, " pairs"]:
    r"""Return the angular frequency of each pair of features, fastest first.

    $$\omega_i = b^{-2i/d}, \qquad i = 0, \dots, d/2 - 1$$

    Source: Su et al. (2021), section 3.2.2, below equation (15), who count from 1.
    The formula is that of the sinusoidal encoding, for a head instead of a model.

    Args:
        d_rotary: Number of rotated features $d$ of a head, even.
        base: The number $b$ whose powers divide the positions, above 1.

    Returns:
        Frequencies in radians per position, float64, shape (d_rotary / 2,).
    """
    return sinusoidal_frequencies(d_rotary, base=base)


@door(lambda: check_unscaled)
def unscaled(
    frequencies: Float[Tensor, " pairs"],
    *,
    factor: float = 1.0,
    original_max_len: int | None = None,
) -> ScaledFrequencies:
    r"""Leave the frequencies as they are; refuse a factor that would have no effect.

    $$\omega'_i = \omega_i$$

    Source: Su et al. (2021), section 3.2.2, whose frequencies these are.

    Args:
        frequencies: Radians per position, fastest first.
        factor: 1, or left out.
        original_max_len: Not used; all scalings are called alike.

    Raises:
        ValueError: If `factor` is not 1.
    """
    return ScaledFrequencies(frequencies, 1.0)


@door(lambda: check_scaling)
def linear_scaling(
    frequencies: Float[Tensor, " pairs"],
    *,
    factor: float,
    original_max_len: int | None = None,
) -> ScaledFrequencies:
    r"""Slow all rotations down alike: position interpolation.

    $$\omega'_i = \omega_i / s$$

    Source: Chen et al. (2023), section 2.3, equation (4), which divides the positions.

    Args:
        frequencies: Radians per position, fastest first.
        factor: How many times longer the texts get: $s$, at least 1.
        original_max_len: Not used; all scalings are called alike.
    """
    return ScaledFrequencies(frequencies / factor, 1.0)


@door(lambda: check_scaling)
def ntk_scaling(
    frequencies: Float[Tensor, " pairs"],
    *,
    factor: float,
    original_max_len: int | None = None,
) -> ScaledFrequencies:
    r"""Slow the slowest rotation down by the factor and the fastest not at all.

    $$\omega'_i = \omega_i\, s^{-2i/(d - 2)}, \qquad
    \text{that is, base } b' = b\, s^{d/(d-2)}$$

    Source: first described in a public post by the user bloc97 (2023); the formula is
    given in Peng et al. (2023), section 3.1, definition 1.

    Args:
        frequencies: Radians per position, fastest first. A single pair stays as it is.
        factor: How many times longer the texts get: $s$, at least 1.
        original_max_len: Not used; all scalings are called alike.
    """
    pair = torch.arange(len(frequencies)).to(frequencies)
    share = pair / max(len(frequencies) - 1, 1)
    return ScaledFrequencies(frequencies * float(factor) ** -share, 1.0)


@door(lambda: check_yarn)
def yarn_scaling(
    frequencies: Float[Tensor, " pairs"],
    *,
    factor: float,
    original_max_len: int | None,
    rounded: bool = True,
) -> ScaledFrequencies:
    r"""Keep fast rotations, slow slow ones down, and lengthen the rotated vectors.

    $$\omega'_i = (1 - \gamma_i)\,\omega_i / s + \gamma_i\,\omega_i, \qquad
    \mathrm{magnitude} = 0.1 \ln s + 1$$

    where $\gamma_i$ falls from 1 for pairs that turn 32 times within $L$ positions to
    0 for pairs that turn once.

    Source: Peng et al. (2023), section 3.2, definition 2, and section 3.4. In the paper
    $\gamma$ is linear in the number of turns; in the released code it is linear in the
    index $i$, between borders rounded outwards to whole numbers, and so it is here. In
    gpt-oss (OpenAI, 2025, released code) the borders are not rounded; that is the
    scaling `"yarn_unrounded"`.

    Args:
        frequencies: Radians per position in a geometric series, at least two of them.
        factor: How many times longer the texts get: $s$, at least 1.
        original_max_len: Number of positions $L$ that the model was trained on.
        rounded: Whether the borders are rounded.
    """
    log_turns = (frequencies * original_max_len / (2 * math.pi)).log()
    step = log_turns[0] - log_turns[1]
    last_fast, first_slow = (log_turns[0] - math.log(32)) / step, log_turns[0] / step
    if rounded:
        last_fast, first_slow = last_fast.floor(), first_slow.ceil()
    last_fast = last_fast.clamp(min=0)
    first_slow = first_slow.clamp(max=2 * len(frequencies) - 1)
    width = (first_slow - last_fast).clamp(min=0.001)  # zero if L is below 7
    pair = torch.arange(len(frequencies)).to(frequencies)
    kept = 1 - ((pair - last_fast) / width).clamp(0, 1)
    mixed = (1 - kept) * frequencies / factor + kept * frequencies
    return ScaledFrequencies(mixed, 0.1 * math.log(factor) + 1)


@door(lambda: check_llama3)
def llama3_scaling(
    frequencies: Float[Tensor, " pairs"], *, factor: float, original_max_len: int | None
) -> ScaledFrequencies:
    r"""Keep fast rotations and slow slow ones down.

    $$\omega'_i = (1 - \gamma_i)\,\omega_i / s + \gamma_i\,\omega_i, \qquad
    \gamma_i = \mathrm{clip}\!\left(\frac{r_i - 1}{4 - 1}, 0, 1\right), \quad
    r_i = \frac{L\,\omega_i}{2\pi}$$

    where $r_i$ is how often pair $i$ turns within $L$ positions.

    Source: released code of Llama 3.1 (Grattafiori et al., 2024), with its constants 1
    and 4. It is the ramp of Peng et al. (2023), section 3.2, with 4 instead of 32.

    Args:
        frequencies: Radians per position.
        factor: How many times longer the texts get: $s$, at least 1 (8 in Llama 3.1).
        original_max_len: Number of positions $L$ that the model was trained on (8192).
    """
    turns = frequencies * original_max_len / (2 * math.pi)
    kept = ((turns - 1) / (4 - 1)).clamp(0, 1)
    mixed = (1 - kept) * frequencies / factor + kept * frequencies
    return ScaledFrequencies(mixed, 1.0)


SCALINGS: dict[str, Callable[..., ScaledFrequencies]] = {
    "none": unscaled,
    "linear": linear_scaling,
    "ntk": ntk_scaling,
    "yarn": yarn_scaling,
    "yarn_unrounded": partial(yarn_scaling, rounded=False),
    "llama3": llama3_scaling,
}


# Checks


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
