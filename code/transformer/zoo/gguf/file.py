"""Read a GGUF file: what it says of a model, and where its tensors lie.

Source: the specification of GGUF (Gerganov and others, 2023), version 3:
https://github.com/ggml-org/ggml/blob/master/docs/gguf.md

The file may come from anybody. So nothing is read beyond its end, no count is believed
before there is room for what it counts, and the tensors must lie side by side. (The
reader of the package `gguf` believes what the file says.)
"""

import mmap
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float
from torch import Tensor

from transformer.zoo.gguf.blocks import BlockFormat, find_format, unpack

MAGIC = b"GGUF"
VERSIONS = (2, 3)
# Numbers of a field, by the number of their type.
NUMBERS = {
    0: "<u1",
    1: "<i1",
    2: "<u2",
    3: "<i2",
    4: "<u4",
    5: "<i4",
    6: "<f4",
    7: "?",
    10: "<u8",
    11: "<i8",
    12: "<f8",
}
TEXT, ARRAY = 8, 9
MOST_AXES = 4
ALIGNMENT = 32
# The fewest bytes of what is counted: a field, a tensor, a text.
LEAST_FIELD, LEAST_TENSOR, LEAST_TEXT = 13, 24, 8


@dataclass(frozen=True)
class StoredTensor:
    """Where a tensor lies in a file.

    Args:
        name: Its name.
        shape: Its shape, rows first, as PyTorch has it.
        format: How its numbers are packed.
        start: The byte at which it begins.
    """

    name: str
    shape: tuple[int, ...]
    format: BlockFormat
    start: int

    @property
    def size(self) -> int:
        """Number of its bytes."""
        return prod(self.shape) // self.format.length * self.format.size


@dataclass(frozen=True)
class GGUFFile:
    """What a file holds.

    Args:
        path: The file.
        fields: What it says of the model, by name.
        tensors: Where its tensors lie, by name.
    """

    path: Path
    fields: Mapping[str, Any]
    tensors: Mapping[str, StoredTensor]

    def fields_of(self, prefix: str) -> dict[str, Any]:
        """Return the fields whose names begin so, without that begin."""
        return {
            name.removeprefix(prefix): value
            for name, value in self.fields.items()
            if name.startswith(prefix)
        }

    def weights(self, name: str) -> Float[Tensor, "..."]:
        """Return a tensor, unpacked to float32; see `unpack`."""
        tensor = self.tensors[name]
        return unpack(self.packed(name), tensor.format).view(tensor.shape)

    def packed(self, name: str) -> np.ndarray:
        """Return the bytes of a tensor, one row for each block."""
        tensor = self.tensors[name]
        with self.path.open("rb") as file:
            file.seek(tensor.start)
            data = file.read(tensor.size)
        return np.frombuffer(data, np.uint8).reshape(-1, tensor.format.size)


class Cursor:
    """Read one thing after the other, and nothing beyond the end of a file."""

    def __init__(self, data: mmap.mmap | bytes, name: str) -> None:
        self.data, self.name, self.place = data, name, 0

    def fault(self, must: str, got: str) -> ValueError:
        """Return the error of a file that is not what it must be."""
        return ValueError(
            f"{self.name} must {must}, got {got}; the file is cut, damaged or of "
            "another kind: get it again."
        )

    def take(self, size: int, what: str) -> bytes:
        """Return the next bytes."""
        if size > self.left:
            raise self.fault(
                f"hold {what} of {size:,} bytes", f"{self.left:,} to its end"
            )
        self.place += size
        return self.data[self.place - size : self.place]

    def number(self, code: str, what: str) -> int | float | bool:
        """Return the next number."""
        dtype = np.dtype(code)
        return np.frombuffer(self.take(dtype.itemsize, what), dtype)[0].item()

    def count(self, code: str, what: str, least: int) -> int:
        """Return a number of things, of which each takes some bytes at least."""
        count = self.number(code, f"the number of {what}")
        if count * least > self.left:
            raise self.fault(f"have room for {count:,} {what}", f"{self.left:,} bytes")
        return count

    @property
    def left(self) -> int:
        """Number of bytes to the end."""
        return len(self.data) - self.place

    def text(self, what: str) -> str:
        """Return the next text."""
        size = self.count("<u8", f"letters of {what}", 1)
        try:
            return str(self.take(size, what), "utf-8")
        except UnicodeDecodeError as error:
            raise self.fault(f"write {what} in UTF-8", str(error)) from error

    def value(self, what: str) -> Any:
        """Return the next value: a number, a text, or a list of either."""
        kind = self.number("<u4", f"the type of {what}")
        if kind != ARRAY:
            return self.one(kind, what)
        kind = self.number("<u4", f"the type of {what}")
        if kind == TEXT:
            return [self.text(what) for _ in range(self._length(what, LEAST_TEXT))]
        dtype = self._dtype(kind, what)
        size = self._length(what, dtype.itemsize) * dtype.itemsize
        return np.frombuffer(self.take(size, what), dtype)

    def one(self, kind: int, what: str) -> Any:
        """Return the next number or text."""
        if kind == TEXT:
            return self.text(what)
        return self.number(self._dtype(kind, what).str, what)

    def _length(self, what: str, least: int) -> int:
        return self.count("<u8", f"items of {what}", least)

    def _dtype(self, kind: int, what: str) -> np.dtype:
        if kind not in NUMBERS:
            raise self.fault(f"give {what} a known type", f"type {kind}")
        return np.dtype(NUMBERS[kind])


def read_gguf(path: str | Path) -> GGUFFile:
    """Read what a GGUF file says, and check where its tensors lie.

    Args:
        path: The file; its tensors are not read yet.

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If it is no GGUF file of version 2 or 3, ends too early, counts
            more than it holds, gives a name twice, packs a tensor in a way that nobody
            here can unpack, or lets tensors overlap.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"the model must be a file, got {path}; is it there?")
    if path.stat().st_size < len(MAGIC):
        raise Cursor(b"", path.name).fault("begin with GGUF", "less than four bytes")
    with (
        path.open("rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
    ):
        cursor = Cursor(data, path.name)
        return GGUFFile(path, *read_header(cursor))


def read_header(cursor: Cursor) -> tuple[dict[str, Any], dict[str, StoredTensor]]:
    """Return the fields of a file and the places of its tensors."""
    magic = cursor.take(len(MAGIC), "its first letters")
    if magic != MAGIC:
        raise cursor.fault("begin with GGUF", repr(magic))
    version = cursor.number("<u4", "its version")
    if version not in VERSIONS:
        raise cursor.fault("be of version 2 or 3, little-endian", f"{version}")
    num_tensors = cursor.count("<u8", "tensors", LEAST_TENSOR)
    num_fields = cursor.count("<u8", "fields", LEAST_FIELD)
    fields = _collect(cursor, num_fields, _read_field)
    tensors = _collect(cursor, num_tensors, _read_tensor)
    alignment = fields.get("general.alignment", ALIGNMENT)
    if not isinstance(alignment, int) or alignment < 1:
        raise cursor.fault("align its tensors to 1 byte or more", f"{alignment!r}")
    start = -(-cursor.place // alignment) * alignment
    placed = {
        name: StoredTensor(name, shape, format, start + offset)
        for name, (shape, format, offset) in tensors.items()
    }
    _check_places(cursor, placed)
    return fields, placed


def _collect(
    cursor: Cursor, count: int, read: Callable[[Cursor, str], Any]
) -> dict[str, Any]:
    """Read named things, each once."""
    found: dict[str, Any] = {}
    for _ in range(count):
        name = cursor.text("a name")
        if name in found:
            raise cursor.fault("give each name once", f"{name!r} twice")
        found[name] = read(cursor, name)
    return found


def _read_field(cursor: Cursor, name: str) -> Any:
    """Return the value of a field."""
    return cursor.value(repr(name))


def _read_tensor(cursor: Cursor, name: str) -> tuple[tuple[int, ...], BlockFormat, int]:
    """Return the shape, the format and the offset of a tensor."""
    axes = cursor.number("<u4", f"the axes of {name!r}")
    if not 1 <= axes <= MOST_AXES:
        raise cursor.fault(f"give {name!r} 1 to {MOST_AXES} axes", f"{axes}")
    # The first number is that of the columns, which lie side by side.
    columns_first = struct.unpack(f"<{axes}Q", cursor.take(8 * axes, f"{name!r}"))
    kind = cursor.number("<u4", f"the type of {name!r}")
    offset = cursor.number("<u8", f"the offset of {name!r}")
    format = find_format(kind)
    if format is None:
        raise cursor.fault(f"give {name!r} a type of weights", f"type {kind}")
    if min(columns_first) < 1 or columns_first[0] % format.length:
        raise cursor.fault(
            f"give {name!r} rows of whole blocks of {format.length}",
            f"{columns_first}",
        )
    return columns_first[::-1], format, offset


def _check_places(cursor: Cursor, tensors: Mapping[str, StoredTensor]) -> None:
    """Check that all tensors lie within the file, none over another."""
    end, before = 0, ""
    for tensor in sorted(tensors.values(), key=lambda tensor: tensor.start):
        if tensor.start < end:
            raise cursor.fault(
                "keep its tensors apart", f"{before!r} and {tensor.name!r} in one place"
            )
        end, before = tensor.start + tensor.size, tensor.name
    if end > len(cursor.data):
        raise cursor.fault(
            f"hold all of {before!r}, to byte {end:,}", f"{len(cursor.data):,} bytes"
        )
