"""Write every drawing of the book into its file."""

import re
from collections.abc import Callable
from pathlib import Path

from bookkit.book.errors import BookError
from bookkit.book.files import read_page, relative_name, replace_files
from bookkit.book.outline import Chapter, order_breaches, read_outline
from bookkit.publishing.drawings.chapter_map import chapter_map, map_rows
from bookkit.publishing.drawings.machine import NARROW, WIDE, machine
from bookkit.publishing.drawings.pictures import paint_cover, paint_icon, paint_social
from bookkit.publishing.drawings.svg import write_svg

FOLDER = "book/_drawings"
PICTURES: dict[str, Callable[[], bytes]] = {
    "book/_static/social.png": paint_social,
    "book/_static/apple-touch-icon.png": paint_icon,
    "book/_editions/cover.png": paint_cover,
}
MAP_PAGE = "book/chapter_map.md"
_ROWS = re.compile(r"(?<=\|---\|---\|---\|---\|\n)(?:\|.*\n)*")


def drawn_texts(root: Path) -> dict[str, str]:
    """Return what each file with a drawing, or with the map in words, must hold.

    Args:
        root: The book's root.

    Raises:
        BookError: A chapter needs one that does not stand before it.
    """
    outline = read_outline(root)
    if breaches := order_breaches(outline):
        raise BookError(breaches[0])
    drawings = [machine(WIDE), machine(NARROW), chapter_map(outline)]
    texts = {f"{FOLDER}/{d.name}.svg": write_svg(d, outline) for d in drawings}
    page = read_page(root / MAP_PAGE)
    return texts | {MAP_PAGE: with_rows(page, outline)}


def with_rows(page: str, outline: list[Chapter]) -> str:
    """Put the rows of the map into the table of its page."""
    rows = "".join(f"{row}\n" for row in map_rows(outline))
    return _ROWS.sub(lambda _: rows, page, count=1)


def write_drawings(root: Path) -> list[str]:
    """Write the files that are not up to date, and return their names."""
    files = {name: text.encode("utf-8") for name, text in drawn_texts(root).items()}
    files |= {name: paint() for name, paint in PICTURES.items()}
    changed = {
        root / name: data
        for name, data in files.items()
        if not (root / name).is_file() or (root / name).read_bytes() != data
    }
    replace_files(changed)
    return [relative_name(path, root) for path in changed]
