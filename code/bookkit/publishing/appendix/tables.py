"""Markdown for the generated pages: text, tables, links into the repository."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from bookkit.book.address import repository_url
from bookkit.book.files import CONFIG
from bookkit.book.notebooks import read_yaml


def table(head: Sequence[str], rows: Iterable[Sequence[object]], align: str) -> str:
    """Return a markdown table.

    Args:
        head: The headings of the columns.
        rows: The cells, row by row; a bar in one is written as such.
        align: A letter for each column: l (left) or r (right).
    """
    rules = {"l": ":--", "r": "--:"}
    lines = [_line(head), _line([rules[side] for side in align])]
    for row in rows:
        if len(row) != len(head):
            raise ValueError(
                f"a row must have {len(head)} cells, got {len(row)}: {list(row)}"
            )
        lines.append(row_of(row))
    return "\n".join(lines)


def row_of(cells: Iterable[object]) -> str:
    """Return a row of a table; a bar in a cell is written as such."""
    return _line(str(cell).replace("|", "\\|") for cell in cells)


def _line(cells: Iterable[object]) -> str:
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def source_link(words: str, path: str, root: Path) -> str:
    """Return a link to a file of the repository."""
    config = read_yaml(root / CONFIG)
    branch = config["repository"].get("branch", "main")
    return f"[{words}]({repository_url(root)}/blob/{branch}/{path})"


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun: 1 file, 1,234 files."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def unwrapped(text: str) -> str:
    """Join the lines of each paragraph; paragraphs are parted by empty lines."""
    return (
        "\n\n".join(block.replace("\n", " ") for block in text.strip().split("\n\n"))
        + "\n"
    )
