"""Triangular systems with ones on the diagonal, also in programs that are exported."""

import torch
from jaxtyping import Float
from torch import Tensor

# Halvings for a length that a program leaves open. More than 65,536 rows would take 16
# GiB for each system in float32.
HALVINGS = 16


def solve_unit_triangular(
    system: Float[Tensor, "*batch rows rows"],
    right: Float[Tensor, "*batch rows columns"],
) -> Float[Tensor, "*batch rows columns"]:
    r"""Return $X$ with $(I + N) X = R$, where $N$ is the part below the diagonal.

    ONNX knows no such system, so an exported program has the inverse, from halves:

    $$\begin{pmatrix} A & 0 \\ C & B \end{pmatrix}^{-1} =
    \begin{pmatrix} A^{-1} & 0 \\ -B^{-1} C A^{-1} & B^{-1} \end{pmatrix}$$

    first for all blocks of two rows, then of four, and so on. The shorter product
    $(I - N)(I + N^2)(I + N^4) \cdots$ is the same on paper, and loses all digits
    where keys repeat: entries of $N^{32}$ reach $10^{17}$ there.

    Args:
        system: Of which nothing is read but what lies below the diagonal.
        right: $R$.
    """
    if torch.compiler.is_exporting():
        return _inverse(system) @ right
    return torch.linalg.solve_triangular(system, right, upper=False, unitriangular=True)


def _inverse(
    system: Float[Tensor, "*batch rows rows"],
) -> Float[Tensor, "*batch rows rows"]:
    """Return the inverse of the unit triangular matrix below the diagonal."""
    rows = system.size(-1)
    halvings = (rows - 1).bit_length() if isinstance(rows, int) else HALVINGS
    place = torch.arange(rows, device=system.device)
    inverse = torch.eye(rows, dtype=system.dtype, device=system.device)
    for halving in range(halvings):
        half = place // 2**halving  # the number of the block that a row lies in
        row, column = half[:, None], half[None, :]
        corner = (row % 2 == 1) & (column == row - 1)  # C of each pair of blocks
        inverse = inverse - inverse @ system.masked_fill(~corner, 0.0) @ inverse
    return inverse
