"""Compare two inventories: tell what differs for readers, by page and kind."""

import json
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path

import numpy as np
from PIL import Image, ImageChops

from bookkit.book.errors import BookError
from bookkit.checking.inventory.pages import SHRINK

# Two runs may draw a letter differently: a few pixels may differ by so many levels.
TOLERANCE, FEW = 16, 1 / 1000
MOST = 20  # lines that are told of a kind of change on a page


def compare_inventories(
    before: Path, after: Path, tolerance: int = TOLERANCE
) -> Iterator[str]:
    """Yield what differs between the inventories of two folders, as lines.

    Raises:
        BookError: A folder holds no inventory.
    """
    old, new = (
        {file.relative_to(folder) for file in folder.rglob("*.json")}
        for folder in (before, after)
    )
    for folder, found in ((before, old), (after, new)):
        if not found:
            raise BookError(
                f"{folder} must hold an inventory, and does not; run "
                f"`make inventory OUT={folder}`."
            )
    yield from (f"- {page.with_suffix('')}" for page in sorted(old - new))
    yield from (f"+ {page.with_suffix('')}" for page in sorted(new - old))
    for page in sorted(old & new):
        changes = [*_changes_of_page(before / page, after / page, tolerance)]
        if changes:
            yield f"{page.with_suffix('')}:"
            yield from (f"  {line}" for line in changes)


def _changes_of_page(before: Path, after: Path, tolerance: int) -> Iterator[str]:
    """Yield what differs on a page, given the files of both."""
    old, new = (json.loads(file.read_text("utf-8")) for file in (before, after))
    for kind in old | new:
        lines = old.get(kind, []), new.get(kind, [])
        differing = [*unified_diff(*lines, n=0, lineterm="")][2:]
        lines = [line for line in differing if not line.startswith("@@")]
        yield from (f"{kind}: {line}" for line in lines[:MOST])
        if len(lines) > MOST:
            yield f"{kind}: and {len(lines) - MOST} lines more"
    folders = [Path(f"{file}".removesuffix(".html.json")) for file in (before, after)]
    for picture in sorted(folders[0].glob("*.png")):
        if said := compare_pictures(picture, folders[1] / picture.name, tolerance):
            yield f"picture {picture.stem}: {said}"


def compare_pictures(before: Path, after: Path, tolerance: int = TOLERANCE) -> str:
    """Say where pictures differ: many pixels, or a few by more than so many levels."""
    with Image.open(before) as old, Image.open(after) as new:
        if old.size != new.size:
            return f"{old.height * SHRINK} pixels high became {new.height * SHRINK}"
        levels = np.asarray(ImageChops.difference(old, new)).max(axis=2)
    is_few = np.count_nonzero(levels) <= FEW * levels.size
    rows = np.flatnonzero((levels > tolerance * is_few).any(axis=1)) * SHRINK
    if not rows.size:
        return ""
    place = f"pixels {rows[0]} to {rows[-1] + SHRINK} from the top"
    return f"{place}, by up to {levels.max()} of 255 levels"
