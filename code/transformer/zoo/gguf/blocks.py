r"""Blocks: how GGUF packs 32 weights into a few bytes, and how to unpack them.

Weights of a row that lie side by side form a block. A block stores one number, the
scale, in half precision, and for each weight a small whole number. What is lost is
bounded: half a scale for each weight.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
import torch
from jaxtyping import Float, UInt8
from torch import Tensor

from transformer.checks.doors import door
from transformer.packages import need

BLOCK = 32


@dataclass(frozen=True)
class BlockFormat:
    """How the weights of a tensor are packed.

    Args:
        name: The name in the specification.
        length: Number of weights in a block.
        size: Number of bytes of a block.
    """

    name: str
    length: int
    size: int


# By the number of the type in a file; all that is unpacked here.
FORMATS = {
    0: BlockFormat("F32", 1, 4),
    1: BlockFormat("F16", 1, 2),
    3: BlockFormat("Q4_1", BLOCK, 20),
    8: BlockFormat("Q8_0", BLOCK, 34),
    28: BlockFormat("F64", 1, 8),
    30: BlockFormat("BF16", 1, 2),
}


@cache
def find_format(kind: int) -> BlockFormat | None:
    """Return how the weights of a type are packed; None if there is no such type.

    Args:
        kind: Its number. What is not in `FORMATS` the package `gguf` is asked for.

    Raises:
        ValueError: If it knows the type, but not how to unpack it.
    """
    if kind in FORMATS:
        return FORMATS[kind]
    gguf = need("gguf", what=f"weights of type {kind} need", extra="gguf")
    try:
        known = gguf.GGMLQuantizationType(kind)
    except ValueError:
        return None
    length, size = gguf.GGML_QUANT_SIZES[known]
    try:
        gguf.dequantize(np.zeros((1, size), np.uint8), known)
    except NotImplementedError as error:
        raise ValueError(
            "the weights of a file must be of a type that the package gguf can unpack, "
            f"got {known.name}; get the file in another, such as Q4_K."
        ) from error
    return BlockFormat(known.name, length, size)


@door(lambda blocks: check_blocks(blocks, 34))
def unpack_q8_0(blocks: UInt8[Tensor, "blocks 34"]) -> Float[Tensor, "blocks 32"]:
    r"""Return the weights of blocks of 8 bits for each weight.

    $$w(q) = s\, q, \qquad q = -128, \dots, 127$$

    Source: the specification of GGUF (Gerganov and others, 2023), type Q8_0.

    Args:
        blocks: The scale $s$ in half precision, 2 bytes, then 32 whole numbers.
    """
    scale = blocks[:, :2].contiguous().view(torch.float16).float()  # (blocks, 1)
    return scale * blocks[:, 2:].view(torch.int8)


@door(lambda blocks: check_blocks(blocks, 20))
def unpack_q4_1(blocks: UInt8[Tensor, "blocks 20"]) -> Float[Tensor, "blocks 32"]:
    r"""Return the weights of blocks of 4 bits for each weight, and a smallest weight.

    $$w(q) = m + s\, q, \qquad q = 0, \dots, 15$$

    Source: the specification of GGUF (Gerganov and others, 2023), type Q4_1.

    Args:
        blocks: The scale $s$ and the smallest weight $m$ in half precision, 4 bytes,
            then 16 bytes: the low halves are the first 16 numbers, the high halves
            the last 16.
    """
    scale, smallest = blocks[:, :4].contiguous().view(torch.float16).float().T
    pairs = blocks[:, 4:]
    numbers = torch.cat([pairs & 0b1111, pairs >> 4], dim=1)  # (blocks, 32)
    return smallest[:, None] + scale[:, None] * numbers


def check_blocks(blocks: object, size: int) -> None:
    """Check that blocks are rows of so many bytes."""
    is_tensor = isinstance(blocks, Tensor)
    if not is_tensor or blocks.dtype != torch.uint8 or blocks.shape[1:] != (size,):
        came = f"{blocks.dtype} of shape {tuple(blocks.shape)}" if is_tensor else ""
        raise TypeError(
            f"blocks must be a torch.uint8 tensor of shape (blocks, {size}), got "
            f"{came or type(blocks).__name__}; pass the bytes as they stand in a file."
        )


UNPACK = {"Q8_0": unpack_q8_0, "Q4_1": unpack_q4_1}
PLAIN = {
    "F64": torch.float64,
    "F32": torch.float32,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
}


def unpack(packed: np.ndarray, format: BlockFormat) -> Float[Tensor, " weights"]:
    """Return the weights of a tensor, float32, in one row.

    Args:
        packed: The bytes, one row for each block.
        format: How they are packed. What is not written out here, the package `gguf`
            unpacks.
    """
    data = torch.from_numpy(packed.copy())
    if format.name in PLAIN:
        return data.flatten().view(PLAIN[format.name]).float()
    if format.name in UNPACK:
        return UNPACK[format.name](data).flatten()
    gguf = need("gguf", what=f"weights of type {format.name} need", extra="gguf")
    kind = gguf.GGMLQuantizationType[format.name]
    weights = gguf.dequantize(packed.reshape(1, -1), kind)
    return torch.from_numpy(weights.astype(np.float32)).flatten()
