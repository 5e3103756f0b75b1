"""What compressors need for a text that comes after another one.

`python -m chapters.language_model.compressors` measures those that Python brings along,
and PPMd, which the package `pyppmd` brings.
"""

import bz2
import lzma
import zlib
from collections.abc import Callable
from importlib import import_module

from chapters.laboratory import king_james
from chapters.laboratory.measurements import Measurements

MEASUREMENTS = Measurements("language_model", "compressors")
ORDERS = (6, 16)  # of PPMd: the longest history
MEMORY = 1 << 30  # bytes for PPMd, so that it forgets nothing
PRESET = 9 | lzma.PRESET_EXTREME
COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "zlib": lambda x: zlib.compress(x, 9),
    "bzip2": lambda x: bz2.compress(x, 9),
    "xz": lambda x: lzma.compress(x, preset=PRESET),
}


def ppmd(order: int) -> Callable[[bytes], bytes]:
    """Return the compressor PPMd, variant H, with histories of so many letters."""
    encoder = import_module("pyppmd").Ppmd7Encoder

    def compress(x: bytes) -> bytes:
        state = encoder(order, MEMORY)
        return state.encode(x) + state.flush()

    return compress


def measure() -> list[dict]:
    """Return what each compressor needs for the books of each split."""
    ways = COMPRESSORS | {f"PPMd {order}": ppmd(order) for order in ORDERS}
    train, rows = king_james.split_text("train").encode(), []
    for name, compress in ways.items():
        first = len(compress(train))
        for split in ("validation", "test"):
            text = king_james.split_text(split)
            after = len(compress(train + text.encode())) - first
            sizes = {"alone": len(compress(text.encode())), "after_training": after}
            bits = {way: 8 * size / len(text) for way, size in sizes.items()}
            rows.append({"name": name, "split": split, "book": "all", **bits})
            print(rows[-1], flush=True)
    return rows


if __name__ == "__main__":
    MEASUREMENTS.write(measure())
