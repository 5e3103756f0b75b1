"""Parameters in a quarter of their bytes: as they are written, and read again."""

from collections.abc import Mapping

from torch import Tensor

from transformer.layers.int8 import quantize_rows

SCALE = ".row_scale"  # ends the name of the scales of a matrix


def pack(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return parameters with each matrix as bytes, and a scale for each of its rows.

    Gains and biases stay as they are. The equation and its source are those of
    `layers.int8.Int8Linear`.

    Raises:
        ValueError: If a number of a matrix is not finite.
    """
    packed = {}
    for name, x in tensors.items():
        if x.dim() != 2:
            packed[name] = x
            continue
        packed[name], packed[name + SCALE] = quantize_rows(x)
    return packed


def unpack(packed: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the parameters that `pack` has packed, each entry near what it was.

    Packed again they give the same bytes.
    """
    return {
        name: x.to(packed[name + SCALE].dtype) * packed[name + SCALE]
        if name + SCALE in packed
        else x
        for name, x in packed.items()
        if not name.endswith(SCALE)
    }
