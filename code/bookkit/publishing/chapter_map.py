"""The table of the page that says which chapter needs which, below its drawing."""

from collections.abc import Sequence
from pathlib import Path

from bookkit.book.errors import BookError
from bookkit.book.outline import Chapter, needed_by, order_breaches, read_outline
from bookkit.book.prose import escape_markdown
from bookkit.publishing.appendix.templates import row_of

HEADINGS = ("chapter", "title", "needs", "is needed by")


def table(root: Path) -> str:
    """Return the table of a book.

    Raises:
        BookError: A chapter needs one that does not stand before it.
    """
    outline = read_outline(root)
    if breaches := order_breaches(outline):
        raise BookError(breaches[0])
    rows = [row_of(HEADINGS), row_of(["---"] * len(HEADINGS)), *map_rows(outline)]
    return "".join(f"{row}\n" for row in ["", *rows, ""])


def map_rows(chapters: Sequence[Chapter]) -> list[str]:
    """Write for each chapter what it needs, and which others need it."""
    by_name = {chapter.name: chapter for chapter in chapters}

    def link(name: str, text: str = "") -> str:
        words = escape_markdown(text) or by_name[name].number
        return f"[{words}]({name}.ipynb)"

    rows, users = [], needed_by(chapters)
    for chapter in chapters:
        needs = ", ".join(map(link, chapter.needs))
        if chapter.instead:
            both = sorted(chapter.needs, key=lambda name: by_name[name].number)
            needs = " and ".join(map(link, both))
            needs += ", or only " + " and ".join(map(link, chapter.instead))
        title = link(chapter.name, chapter.title)
        cells = (
            str(chapter.number),
            title,
            needs or "none",
            ", ".join(map(link, users[chapter.name])) or "none",
        )
        rows.append(row_of(cells))
    return rows
