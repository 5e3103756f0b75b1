"""Turning pairs of features: the arithmetic of rotary position embeddings."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Complex, Float, Integer
from torch import Tensor

from transformer.validation import check_even


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


def interleaved_to_half(d_rotary: int) -> Integer[Tensor, " d_rotary"]:
    r"""Return the order that turns interleaved features into the half layout.

    If `x` is interleaved, `x[..., interleaved_to_half(d_rotary)]` holds the same pairs
    in the half layout. Rows of a head's query and key projection, reordered alike,
    give the same scores: weights can move between the layouts.

    $$\sigma(j) = 2j \;\text{ for } j < d/2, \qquad \sigma(j) = 2j - d + 1
    \;\text{ otherwise}$$

    Source: ours.

    Args:
        d_rotary: Number of rotated features $d$, even.

    Returns:
        Indices, shape (d_rotary,).

    Raises:
        TypeError: If `d_rotary` is not an int.
        ValueError: If `d_rotary` is odd or below 2.
    """
    check_even("d_rotary", d_rotary)
    return torch.arange(d_rotary).unflatten(0, (-1, 2)).T.flatten()


def signed(
    frequencies: Float[Tensor, " pairs"], layout: str
) -> Float[Tensor, " d_rotary"]:
    """Return the frequency of each feature, negative for the first of a pair."""
    pair = (-frequencies, frequencies)
    return torch.stack(pair, dim=0 if layout == "half" else 1).flatten()


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
    """
    partners = PARTNERS[layout](x)
    return torch.addcmul(x * cosine, partners, sine)  # x * cosine + partners * sine


def rotate_phases(
    x: Float[Tensor, "*batch time d_rotary"],
    phase: Complex[Tensor, "*#batch time pairs"],
) -> Float[Tensor, "*batch time d_rotary"]:
    r"""Rotate interleaved pairs as complex numbers, which is several times faster.

    $$y_{2i} + \mathrm{i}\,y_{2i+1} = (x_{2i} + \mathrm{i}\,x_{2i+1})\,
    e^{\mathrm{i} \omega_i t}$$

    Source: Su et al. (2021), section 3.2.1, equation (12).
    """
    numbers = torch.view_as_complex(x.unflatten(-1, (-1, 2)))  # (..., time, pairs)
    return torch.view_as_real(numbers * phase).flatten(start_dim=-2)


def can_view_as_complex(x: Float[Tensor, "*batch d_rotary"]) -> bool:
    """Tell whether neighbors lie in memory so that they can be read as one number."""
    if torch.compiler.is_compiling():  # it has no complex kernels of its own
        return False
    *steps, last = x.stride()
    return last == 1 and all(step % 2 == 0 for step in (*steps, x.storage_offset()))


def check_rotation(cosine: Tensor, x: Tensor) -> None:
    """Refuse turns of other positions, another dtype or another device."""
    if cosine.device != x.device:
        raise ValueError(
            f"x and positions must be on one device, got {x.device} and "
            f"{cosine.device}; move one with .to(device)."
        )
    if cosine.dtype != torch.promote_types(x.dtype, torch.float32):
        raise TypeError(
            f"x and the rotation must have one dtype, got {x.dtype} and "
            f"{cosine.dtype}; make the rotation with dtype={x.dtype}."
        )
    *leading, time = cosine.shape[:-1]
    sizes = zip(reversed(leading), reversed(x.shape[:-2]), strict=False)
    fits = len(leading) <= x.dim() - 2 and all(
        came in (1, want) for came, want in sizes
    )
    if time != x.size(-2) or not fits:
        raise ValueError(
            f"positions must broadcast to {tuple(x.shape[:-1])}, with a position for "
            f"each time step, got {tuple(cosine.shape[:-1])}; for positions of each "
            "sequence write positions[:, None]."
        )
