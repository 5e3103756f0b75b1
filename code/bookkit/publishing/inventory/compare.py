"""Compare two inventories: what was added, removed or changed, by page and kind."""

import json
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import numpy as np
from PIL import Image, ImageChops

from bookkit.book.errors import BookError
from bookkit.publishing.inventory.pages import SHRINK

# Of 324 pictures two runs have drawn two apart: by 7 levels of 255, in 3 of 10,000
# pixels. So a few may differ a little, and many not at all.
TOLERANCE, FEW = 16, 1 / 1000
MOST = 12  # lines of one change that are printed
_NAMED = 3  # pages with the same change

Change = tuple[str, tuple[str, ...]]  # a kind, and lines that begin with - or +


def compare(before: Path, after: Path, tolerance: int = TOLERANCE) -> list[str]:
    """Describe all changes; one that several pages share is told once.

    Args:
        before: The folder of an inventory.
        after: The folder of a later one.
        tolerance: By how many levels of 255 a few pixels of a picture may differ.

    Raises:
        BookError: A folder holds no inventory.
    """
    for folder in (before, after):
        if not _list_files(folder, "json"):
            raise BookError(f"{folder} must hold an inventory, and does not; make one.")
    pages = sorted(_list_files(before, "json") | _list_files(after, "json"))
    shared: dict[Change, list[str]] = {}
    for page in pages:
        for change in _find_changes(before / page, after / page, tolerance):
            shared.setdefault(change, []).append(page.removesuffix(".json"))
    by_pages: dict[tuple[str, ...], list[Change]] = {}
    for change, where in shared.items():
        by_pages.setdefault(tuple(where), []).append(change)
    return [line for where in by_pages for line in _tell(where, by_pages[where])]


def _list_files(folder: Path, kind: str) -> set[str]:
    """List the files of a kind in an inventory, or of a page in it."""
    return {file.relative_to(folder).as_posix() for file in folder.rglob(f"*.{kind}")}


def _find_changes(before: Path, after: Path, tolerance: int) -> Iterator[Change]:
    """Find the changes of a page, given its two files."""
    if not (before.is_file() and after.is_file()):
        yield "page", ("- it is there" if before.is_file() else "+ it is there",)
        return
    old, new = (json.loads(file.read_text("utf-8")) for file in (before, after))
    for kind in sorted(old | new):
        gone, come = old.get(kind, []), new.get(kind, [])
        for tag, *places in SequenceMatcher(None, gone, come).get_opcodes():
            removed = [f"- {line}" for line in gone[slice(*places[:2])]]
            added = [f"+ {line}" for line in come[slice(*places[2:])]]
            if tag != "equal":
                yield kind, (*removed, *added)
    folders = before.with_suffix(""), after.with_suffix("")
    names = [_list_files(folder, "webp") for folder in folders]
    for name in sorted(names[0] ^ names[1]):
        yield "pictures", (f"{'-' if name in names[0] else '+'} {name}",)
    for name in sorted(names[0] & names[1]):
        if said := compare_pictures(*(folder / name for folder in folders), tolerance):
            yield "pictures", (f"± {name}: {said}",)


def compare_pictures(before: Path, after: Path, tolerance: int = TOLERANCE) -> str:
    """Say where and by how much two pictures differ, in pixels of the page.

    Differences of at most `tolerance` levels are passed over where `FEW` pixels differ.
    """
    if before.read_bytes() == after.read_bytes():
        return ""
    with Image.open(before) as old, Image.open(after) as new:
        heights = [picture.height * SHRINK for picture in (old, new)]
        apart = ImageChops.difference(old.convert("RGB"), new.convert("RGB"))
    levels = np.asarray(apart).max(axis=2)
    few = np.count_nonzero(levels) <= FEW * levels.size
    rows = np.flatnonzero((levels > tolerance * few).any(axis=1)) * SHRINK
    said = [f"{heights[0]} pixels high → {heights[1]}"] * (heights[0] != heights[1])
    if rows.size:
        place = f"pixels {rows[0]} to {rows[-1] + SHRINK} from the top"
        said.append(f"{place}, up to {levels.max()} levels")
    return "; ".join(said)


def _tell(pages: tuple[str, ...], changes: list[Change]) -> Iterator[str]:
    """Write the changes that some pages share."""
    more = f" and {len(pages) - _NAMED} more" * (len(pages) > _NAMED)
    yield ", ".join(pages[:_NAMED]) + more
    for kind, group in groupby(changes, itemgetter(0)):
        yield f"  {kind}"
        for _, lines in group:
            yield from (f"    {line}" for line in lines[:MOST])
            if len(lines) > MOST:
                yield f"    … and {len(lines) - MOST} lines more"
