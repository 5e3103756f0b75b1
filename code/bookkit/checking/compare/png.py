"""Compare two PNG pictures by the root mean square (RMS) of their pixel differences.

Levels run from 0 to 255. Two pictures are equal when they have the same size and, in
each of the channels red, green, blue (weighted by opacity) and opacity,

* the RMS over the whole picture is at most 2 levels, and
* the RMS over each tile of 4 by 4 pixels is at most 4 levels.

The first number lets a color map round to its neighboring color everywhere, which is
what the last bit of a float can do. The second guards small things in a large picture:
one pixel that changes by 17 levels is caught, however much white surrounds it.
"""

import base64
import binascii
import io
import struct

import numpy as np
from PIL import Image

from bookkit.checking.compare.differences import note_levels

WHOLE_TOLERANCE = 2.0
TILE_TOLERANCE = 4.0
TILE = 4
MAX_PIXELS = 25_000_000
_MODES = ("1", "L", "LA", "P", "RGB", "RGBA")


class _UnreadableError(ValueError):
    """The picture cannot be compared; the message says why."""


def _bytes(picture: str | bytes) -> bytes:
    """Return the bytes of a picture given as bytes or in base64."""
    if isinstance(picture, bytes):
        return picture
    try:
        return base64.b64decode("".join(picture.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise _UnreadableError(f"is not base64 ({error})") from None


def _check_size(data: bytes) -> None:
    """Check that a picture is not too large to unpack; bytes 16 to 24 hold its size."""
    width, height = struct.unpack(">II", data[16:24].ljust(8, b"\0"))
    if width * height > MAX_PIXELS:
        raise _UnreadableError(
            f"has {width} by {height} pixels, more than {MAX_PIXELS:,}; draw it smaller"
        )


def _decode(picture: str | bytes) -> np.ndarray:
    """Return the picture as levels of shape (height, width, 4)."""
    data = _bytes(picture)
    _check_size(data)
    try:
        with Image.open(io.BytesIO(data), formats=["PNG"]) as image:
            mode, frames = image.mode, getattr(image, "n_frames", 1)
            levels = np.asarray(image.convert("RGBA"), dtype=np.float64)
    except (OSError, SyntaxError, ValueError) as error:
        raise _UnreadableError(f"is not a readable PNG ({error})") from None
    if mode not in _MODES or frames != 1:
        raise _UnreadableError("is not one picture of 8 bits a channel")
    opacity = levels[..., 3:] / 255
    return np.concatenate([levels[..., :3] * opacity, levels[..., 3:]], axis=-1)


def _tile_rms(squares: np.ndarray) -> np.ndarray:
    """Return the RMS of each tile, the largest of its channels: (rows, columns)."""
    height, width, _ = squares.shape
    rows, columns = np.arange(0, height, TILE), np.arange(0, width, TILE)
    sums = np.add.reduceat(np.add.reduceat(squares, rows, axis=0), columns, axis=1)
    heights = np.minimum(TILE, height - rows)
    widths = np.minimum(TILE, width - columns)
    return np.sqrt(sums / np.outer(heights, widths)[..., None]).max(axis=-1)


def compare_png(stored: str | bytes, computed: str | bytes) -> str | None:
    """Describe the difference between two PNG pictures in one sentence.

    Args:
        stored: The picture that stands in the notebook, as base64 or as bytes.
        computed: The picture that the run gave, likewise.

    Returns:
        A sentence, or None when the pictures are equal within the tolerances.
    """
    if stored == computed:
        return None
    levels = []
    for name, picture in (("stored", stored), ("computed", computed)):
        try:
            levels.append(_decode(picture))
        except _UnreadableError as error:
            return f"the {name} picture {error}"
    before, after = levels
    if before.shape != after.shape:
        sizes = [f"{x.shape[1]} by {x.shape[0]}" for x in levels]
        return f"the stored picture has {sizes[0]} pixels, the computed one {sizes[1]}"
    squares = (before - after) ** 2
    tiles = _tile_rms(squares)
    note_levels(float(tiles.max()))
    if tiles.max() > TILE_TOLERANCE:
        row, column = np.unravel_index(tiles.argmax(), tiles.shape)
        return (
            f"the pictures differ most near pixel ({column * TILE}, {row * TILE}) from "
            f"the top left: RMS {tiles.max():.1f} of 255, allowed {TILE_TOLERANCE:g}"
        )
    whole = np.sqrt(squares.mean(axis=(0, 1))).max()
    if whole > WHOLE_TOLERANCE:
        return (
            f"the pictures differ all over: RMS {whole:.1f} of 255, "
            f"allowed {WHOLE_TOLERANCE:g}"
        )
    return None
