"""What compressors need for a text that comes after another one.

`python -m chapters.language_model.compressors` measures those that Python brings along,
and PPMd, which the package `pyppmd` brings.
"""

import bz2
import lzma
import zlib
from collections.abc import Callable, Iterator
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


def measure() -> Iterator[dict]:
    """Yield what each compressor needs for the training text, and after it."""
    ways = COMPRESSORS | {f"PPMd {order}": ppmd(order) for order in ORDERS}
    train = king_james.split_text("train")
    for name, compress in ways.items():
        bits = 8 * len(compress(train.encode())) / len(train)
        yield {"name": name, "split": "train", "book": "all", "alone": bits}
        for split in ("validation", "test"):
            for row in of_split(compress, train, split):
                yield {"name": name, "split": split, **row}


def of_split(
    compress: Callable[[bytes], bytes], train: str, split: str
) -> Iterator[dict]:
    """Yield what the books of a split need, alone and after all that stood before."""
    before, start = train, len(compress(train.encode()))
    sizes = {}
    for book in king_james.names_of(split):
        text = king_james.text(book)
        before += text
        end = len(compress(before.encode()))
        alone = len(compress(text.encode()))
        sizes[book] = {"alone": alone, "after_training": end - start}, len(text)
        start = end
    whole = king_james.split_text(split)
    alone = len(compress(whole.encode()))
    after = sum(size["after_training"] for size, _ in sizes.values())
    sizes = {"all": ({"alone": alone, "after_training": after}, len(whole)), **sizes}
    for book, (size, letters) in sizes.items():
        yield {"book": book, **{way: 8 * n / letters for way, n in size.items()}}


def measured(split: str, *, book: str = "all") -> dict[str, dict]:
    """Return for each compressor what was measured on a split or one of its books."""
    rows = MEASUREMENTS.read()
    wanted = {"split": split, "book": book}
    return {row["name"]: row for row in rows if wanted.items() <= row.items()}


def after_training(split: str, *, book: str = "all") -> dict[str, float]:
    """Return the bits a letter after the training text, of PPMd with its longest runs.

    Args:
        split: The held-out text.
        book: One of its books, if not all.
    """
    shorter = [f"PPMd {order}" for order in ORDERS[:-1]]
    return {
        name.split()[0]: row["after_training"]
        for name, row in measured(split, book=book).items()
        if name not in shorter
    }


if __name__ == "__main__":
    MEASUREMENTS.write([*measure()])
