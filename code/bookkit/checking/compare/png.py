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
import io

import numpy as np
from PIL import Image

from bookkit.checking.compare.record import note_levels

WHOLE_TOLERANCE = 2.0
TILE_TOLERANCE = 4.0
TILE = 4


def _levels(picture: str) -> np.ndarray:
    """Return a picture in base64 as levels of shape (height, width, 4)."""
    with Image.open(io.BytesIO(base64.b64decode(picture)), formats=["PNG"]) as image:
        levels = np.asarray(image.convert("RGBA"), dtype=np.float64)
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


def compare_png(stored: str, computed: str) -> str | None:
    """Describe the difference between two PNG pictures in one sentence.

    Args:
        stored: The picture that stands in the notebook, in base64.
        computed: The picture that the run gave, likewise.

    Returns:
        A sentence, or None when the pictures are equal within the tolerances.
    """
    if stored == computed:
        return None
    before, after = _levels(stored), _levels(computed)
    if before.shape != after.shape:
        sizes = [f"{x.shape[1]} by {x.shape[0]}" for x in (before, after)]
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
