"""Turning pairs of features: the arithmetic of rotary position embeddings."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from jaxtyping import Complex, Float, Integer
from torch import Tensor

from transformer.checks.doors import door, each
from transformer.checks.tensors import broadcasts, check_float_tensor
from transformer.checks.values import check_choice, check_even


class Rotation(NamedTuple):
    """The turns of a row of positions, which queries and keys share."""

    cosine: Float[Tensor, "*batch time d_rotary"]
    sine: Float[Tensor, "*batch time d_rotary"]  # negative for the first of a pair
    phase: Complex[Tensor, "*batch time pairs"] | None  # the same, if neighbors pair up


def opposite(x: Float[Tensor, "*batch d_rotary"]) -> Float[Tensor, "*batch d_rotary"]:
    """Put each feature where its partner half a vector away was."""
    return x.roll(x.size(-1) // 2, dims=-1)


def neighbor(x: Float[Tensor, "*batch d_rotary"]) -> Float[Tensor, "*batch d_rotary"]:
    """Put each feature where its partner next to it was."""
    return x.unflatten(-1, (-1, 2)).flip(-1).flatten(start_dim=-2)


PARTNERS: dict[str, Callable[[Tensor], Tensor]] = {
    "half": opposite,
    "interleaved": neighbor,
}


@door(each(d_rotary=check_even))
def interleaved_to_half(d_rotary: int) -> Integer[Tensor, " d_rotary"]:
    r"""Return the order that turns interleaved features into the half layout.

    If `x` is interleaved, `x[..., interleaved_to_half(d_rotary)]` holds the same pairs
    in the half layout. Rows of a head's query and key projection, reordered alike,
    give the same scores: weights can move between the layouts.

    $$\sigma(j) = \begin{cases} 2j & j < d/2 \\
    2j - d + 1 & \text{otherwise} \end{cases}$$

    Source: ours.

    Args:
        d_rotary: Number of rotated features $d$, even.
    """
    return torch.arange(d_rotary).unflatten(0, (-1, 2)).T.flatten()


def signed(
    frequencies: Float[Tensor, " pairs"], layout: str
) -> Float[Tensor, " d_rotary"]:
    """Return the frequency of each feature, negative for the first of a pair."""
    pair = (-frequencies, frequencies)
    return torch.stack(pair, dim=0 if layout == "half" else 1).flatten()


@door(lambda: check_rotated_pairs)
def rotate_pairs(
    x: Float[Tensor, "*batch time d_rotary"],
    cosine: Float[Tensor, "*#batch time d_rotary"],
    sine: Float[Tensor, "*#batch time d_rotary"],
    *,
    layout: str,
) -> Float[Tensor, "*batch time d_rotary"]:
    r"""Rotate each pair of features, feature by feature.

    $$y_j = x_j \cos\alpha_j + x_{p(j)} \sin\alpha_j$$

    where $p(j)$ is the partner of feature $j$, and $\alpha_j$ the angle of the pair,
    negative for the first of the two.

    Source: Su et al. (2021), section 3.4.2, equation (34).

    Args:
        x: Vectors with an even number of features.
        cosine: $\cos\alpha_j$ of each feature, for each time step.
        sine: $\sin\alpha_j$, so negative where $\alpha_j$ is.
        layout: `"half"` pairs feature $i$ with $i + d/2$, `"interleaved"` pairs $2i$
            with $2i + 1$.
    """
    partners = PARTNERS[layout](x)
    return torch.addcmul(x * cosine, partners, sine)  # x * cosine + partners * sine


@door(lambda: check_rotated_phases)
def rotate_phases(
    x: Float[Tensor, "*batch time d_rotary"],
    phase: Complex[Tensor, "*#batch time pairs"],
) -> Float[Tensor, "*batch time d_rotary"]:
    r"""Rotate interleaved pairs as complex numbers, which is several times faster.

    $$y_{2j} + \mathrm{i}\,y_{2j+1} = (x_{2j} + \mathrm{i}\,x_{2j+1})\,
    e^{\mathrm{i} \omega_j t}$$

    Source: Su et al. (2021), section 3.2.1, equation (12).

    Args:
        x: Vectors with an even number of features, float32 or float64.
        phase: $e^{\mathrm{i} \omega_j t}$ of each pair, for each time step, complex64
            or complex128 like `x`.
    """
    if not can_view_as_complex(x):
        x = x.clone(memory_format=torch.contiguous_format)
    numbers = torch.view_as_complex(x.unflatten(-1, (-1, 2)))  # (*batch, time, pairs)
    return torch.view_as_real(numbers * phase).flatten(start_dim=-2)


def can_view_as_complex(x: Float[Tensor, "*batch d_rotary"]) -> bool:
    """Return whether neighbors lie in memory so that both are one complex number."""
    if torch.compiler.is_compiling():  # it has no complex kernels of its own
        return False
    *steps, last = x.stride()
    return last == 1 and all(step % 2 == 0 for step in (*steps, x.storage_offset()))


# Checks

PHASE_DTYPES = {torch.float32: torch.complex64, torch.float64: torch.complex128}


def check_rotated_pairs(
    x: object, cosine: object, sine: object, layout: object
) -> None:
    """Check the arguments of `rotate_pairs`."""
    check_choice("layout", layout, PARTNERS)
    _check_pairs(x)
    for name, turns in (("cosine", cosine), ("sine", sine)):
        check_float_tensor(name, turns)
        _check_fit(name, turns.shape, x.shape)


def check_rotated_phases(x: object, phase: Tensor) -> None:
    """Check the arguments of `rotate_phases`."""
    _check_pairs(x)
    if phase.dtype != PHASE_DTYPES.get(x.dtype):
        raise TypeError(
            "x and phase must be float32 and complex64, or float64 and complex128, got "
            f"{x.dtype} and {phase.dtype}; convert one with .to(dtype)."
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
    if tuple(came[-2:]) != tuple(want[-2:]) or not broadcasts(came[:-2], want[:-2]):
        raise ValueError(
            f"{name} must broadcast to {tuple(want)}, with a row for each time step, "
            f"got {tuple(came)}; for turns of each sequence write {name}[:, None]."
        )
