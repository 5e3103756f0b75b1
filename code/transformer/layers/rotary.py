"""Rotary position embedding: queries and keys turn by angles of their positions."""

from collections.abc import Sequence

import torch
from jaxtyping import Float, Integer
from torch import Tensor, nn

from transformer.checks.doors import doors, each
from transformer.checks.tensors import (
    broadcasts,
    check_features,
    check_float_dtype,
    check_positions,
)
from transformer.checks.values import check_choice, check_even, check_positive
from transformer.layers.rotary_scaling import SCALINGS, rotary_frequencies
from transformer.layers.rotation import (
    PARTNERS,
    Rotation,
    can_view_as_complex,
    rotate_pairs,
    rotate_phases,
    signed,
)


@doors(
    init=lambda: check_rotary,
    forward=lambda: check_placed_vectors,
    rotation=each(positions=check_positions, dtype=check_float_dtype),
    rotate=lambda: check_rotated,
)
class RotaryEmbedding(nn.Module):
    r"""Rotate pairs of features by angles proportional to the position.

    $$\begin{pmatrix} y_a \\ y_b \end{pmatrix} =
    \begin{pmatrix} \cos \omega_i t & -\sin \omega_i t \\
    \sin \omega_i t & \cos \omega_i t \end{pmatrix}
    \begin{pmatrix} x_a \\ x_b \end{pmatrix}$$

    for the pair $i$ of features $a$ and $b$ at position $t$. The dot product of a
    rotated query and a rotated key depends on the difference of their positions only.

    Source: Su et al. (2021), section 3.2.2, equations (14) to (16). Rotating a share of
    the features: Black et al. (2022), section 2.1. The angles are computed in float64
    at each call and their cosines and sines rounded once, to float32 at least, in which
    half-precision vectors are rotated; there is no table and no largest position.

    Args:
        d_head: Number of features of a head.
        base: The number whose powers divide the positions, above 1.
        fraction: Share of the features that are rotated, the first ones; the others
            pass as they are.
        layout: `"half"` pairs feature $i$ with $i + d/2$ (GPT-NeoX, and Llama in
            Hugging Face), `"interleaved"` pairs $2i$ with $2i + 1$ (the paper, GPT-J).
        scaling: How to slow the rotations down for longer texts, one of `SCALINGS`.
        factor: How many times longer the texts get, at least 1.
        original_max_len: Trained number of positions, for `"yarn"` and `"llama3"`.
        magnitude: Factor on the rotated vectors; that of the scaling when not given.

    Shape:
        x: (..., time, d_head), as a rule (batch, heads, time, d_head); the result has
        the same shape.
        positions: (time,), or whatever broadcasts to the leading axes of `x`, such as
        (batch, 1, time) when each sequence has positions of its own.

    Raises:
        ValueError: If the rotated share is not even, a name unknown, a number out of
            range, shapes do not fit, or turns are those of another module.
    """

    def __init__(
        self,
        d_head: int,
        *,
        base: float = 10_000.0,
        fraction: float = 1.0,
        layout: str = "half",
        scaling: str = "none",
        factor: float = 1.0,
        original_max_len: int | None = None,
        magnitude: float | None = None,
    ) -> None:
        super().__init__()
        self.d_head = d_head
        self.d_rotary = round(fraction * d_head)
        self.layout = layout
        # No buffer: .to(dtype) would round it, and the meta device would forget it.
        with torch.device("cpu"):
            frequencies, usual = SCALINGS[scaling](
                rotary_frequencies(self.d_rotary, base=base),
                factor=factor,
                original_max_len=original_max_len,
            )
            self.frequencies = signed(frequencies, layout)  # (d_rotary,), float64
        self.magnitude = usual if magnitude is None else magnitude

    def forward(
        self,
        x: Float[Tensor, "*batch time d_head"],
        positions: Integer[Tensor, "*#batch time"],
    ) -> Float[Tensor, "*batch time d_head"]:
        """Rotate the vectors `x` by the angles of their positions."""
        return self.rotate(x, self.rotation(positions, x.dtype))

    def rotation(
        self, positions: Integer[Tensor, "*batch time"], dtype: torch.dtype
    ) -> Rotation:
        """Return the turns of the positions, for `rotate` on vectors of a dtype."""
        angles = self.angles(positions)  # (..., time, d_rotary)
        cosine, sine = angles.cos(), angles.sin()
        if self.magnitude != 1:
            cosine, sine = self.magnitude * cosine, self.magnitude * sine
        dtype = torch.promote_types(dtype, torch.float32)
        cosine, sine, phase = cosine.to(dtype), sine.to(dtype), None
        if self.layout == "interleaved":
            phase = torch.complex(cosine[..., 1::2], sine[..., 1::2])
        return Rotation(cosine, sine, phase)

    def angles(
        self, positions: Integer[Tensor, "*batch time"]
    ) -> Float[Tensor, "*batch time d_rotary"]:
        """Return by which angle each feature turns, negative for the first of two."""
        return angles_of(positions, self.frequencies)

    def rotate(
        self, x: Float[Tensor, "*batch time d_head"], rotation: Rotation
    ) -> Float[Tensor, "*batch time d_head"]:
        """Rotate vectors by turns that `rotation` computed before."""
        rotated = x[..., : self.d_rotary].to(rotation.cosine.dtype)
        if rotation.phase is not None and can_view_as_complex(rotated):
            rotated = rotate_phases(rotated, rotation.phase)
        else:
            cosine, sine, _ = rotation
            rotated = rotate_pairs(rotated, cosine, sine, layout=self.layout)
        rotated = rotated.to(x.dtype)
        if self.d_rotary == self.d_head:
            return rotated
        return torch.cat((rotated, x[..., self.d_rotary :]), dim=-1)

    def extra_repr(self) -> str:
        """Name the settings when the module is printed."""
        return f"d_head={self.d_head}, d_rotary={self.d_rotary}, layout={self.layout!r}"


def angles_of(
    positions: Integer[Tensor, "*batch time"], frequencies: Float[Tensor, " d_rotary"]
) -> Float[Tensor, "*batch time d_rotary"]:
    """Return positions times frequencies, in the widest numbers of the device."""
    device = positions.device
    dtype = widest_float(device)
    frequencies = frequencies.to(device=device, dtype=dtype, non_blocking=True)
    return positions[..., None] * frequencies


def widest_float(device: torch.device) -> torch.dtype:
    """Return float64, or float32 where the device has nothing wider."""
    return torch.float32 if device.type == "mps" else torch.float64


# Checks


def check_rotary(
    d_head: object,
    fraction: object,
    layout: object,
    scaling: object,
    magnitude: object,
) -> None:
    """Check the settings of a rotary embedding."""
    if magnitude is not None:
        check_positive("magnitude", magnitude)
    check_positive("fraction", fraction)
    if fraction > 1:
        raise ValueError(
            f"fraction must be at most 1, got {fraction}; pass the share of the "
            "features to rotate."
        )
    check_choice("layout", layout, PARTNERS)
    check_choice("scaling", scaling, SCALINGS)
    check_even("round(fraction * d_head)", round(fraction * d_head))


def check_placed_vectors(rotary: nn.Module, x: object, positions: object) -> None:
    """Check that vectors can be rotated by their positions."""
    check_features("x", x, rotary.d_head, axis="d_head")
    check_positions("positions", positions)
    _check_steps(x, positions.shape)


def check_rotated(rotary: nn.Module, x: object, rotation: Rotation) -> None:
    """Check that turns were made for these vectors."""
    check_features("x", x, rotary.d_head, axis="d_head")
    cosine, layout = rotation.cosine, rotary.layout
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


def _check_steps(x: Tensor, steps: Sequence[int]) -> None:
    """Check that there is a position for each time step."""
    *leading, time = steps
    if time != x.size(-2) or not broadcasts(leading, x.shape[:-2]):
        raise ValueError(
            f"positions must broadcast to {tuple(x.shape[:-1])}, with a position for "
            f"each time step, got {tuple(steps)}; for positions of each sequence write "
            "positions[:, None]."
        )
