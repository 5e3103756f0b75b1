"""Rotary positions on a grid: some pairs turn by the row, the others by the column."""

import torch
from jaxtyping import Float, Integer
from torch import Tensor

from transformer.checks.doors import doors
from transformer.checks.values import check_choice, check_divisible, check_size
from transformer.layers.rotary import RotaryEmbedding, angles_of
from transformer.layers.rotary_scaling import rotary_frequencies
from transformer.layers.rotation import PARTNERS, signed


@doors(init=lambda: check_grid)
class GridRotaryEmbedding(RotaryEmbedding):
    r"""Rotate half of the pairs of features by the row, and the others by the column.

    $$\alpha_i = \omega_i\, r, \qquad \alpha_{i + d/4} = \omega_i\, c, \qquad
    \omega_i = b^{-4i/d}, \qquad i = 0, \dots, d/4 - 1$$

    for a patch in row $r$ and column $c$. The dot product of a rotated query and a
    rotated key depends on how many rows and columns lie between them, and on no more.

    Source: Heo et al. (2024), section 3.2, "axial frequency", with $b = 100$; there
    pairs turn by the column and by the row in turn, here by halves.

    Args:
        d_head: Number of features of a head, a multiple of 4.
        columns: How many patches stand side by side.
        first: How many positions come before the patches, such as that of a class
            token; they are not turned.
        base: The number $b$ whose powers divide rows and columns, above 1.
        layout: Which features pair, as in `RotaryEmbedding`.

    Shape:
        x: (..., time, d_head); the result has the same shape.
        positions: (time,), those of the patches row after row, from `first` on.

    Raises:
        ValueError: If `d_head` is no multiple of 4, a number is out of range, the
            layout is unknown, or shapes do not fit.
    """

    def __init__(
        self,
        d_head: int,
        *,
        columns: int,
        first: int = 0,
        base: float = 100.0,
        layout: str = "half",
    ) -> None:
        super().__init__(d_head, base=base, layout=layout)
        self.columns, self.first = columns, first
        with torch.device("cpu"):
            own = rotary_frequencies(d_head // 2, base=base)  # (d_head / 4,)
            none = torch.zeros_like(own)
            self.row_frequencies = signed(torch.cat((own, none)), layout)
            self.column_frequencies = signed(torch.cat((none, own)), layout)

    def angles(
        self, positions: Integer[Tensor, "*batch time"]
    ) -> Float[Tensor, "*batch time d_head"]:
        """Return by which angle each feature turns, negative for the first of two."""
        patch = (positions - self.first).clamp(min=0)
        rows = patch.div(self.columns, rounding_mode="floor")
        columns = patch % self.columns
        return angles_of(rows, self.row_frequencies) + angles_of(
            columns, self.column_frequencies
        )


# Checks


def check_grid(d_head: object, columns: object, first: object, layout: object) -> None:
    """Check the settings of a rotation on a grid."""
    check_size("d_head", d_head)
    check_divisible("d_head", d_head, "the four parts of two pairs", 4)
    check_size("columns", columns)
    check_size("first", first, minimum=0)
    check_choice("layout", layout, PARTNERS)
