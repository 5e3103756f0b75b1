"""Fill the templates of the generated pages, which stand beside them in `book/`.

`parity.md` is made from `parity.md.jinja`: the template holds what an author writes, a
module of this room the numbers. Filters write the numbers.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, TemplateError

from bookkit.book.errors import BookError

BAR = r"\|"  # in a cell, where a bare one would end it


def templates(root: Path) -> Environment:
    """Return the templates of a book, with the filters that they use."""
    environment = Environment(
        loader=FileSystemLoader(root),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    own = {"counted": counted, "number": number, "share": share}
    environment.filters |= own | {"row": row_of, "largest": largest}
    return environment


def fill(name: str, facts: Mapping[str, object], root: Path) -> str:
    """Return the text of a page.

    Raises:
        BookError: There is no template, or one that cannot be filled.
    """
    try:
        text = templates(root).get_template(f"{name}.jinja").render(facts)
    except TemplateError as error:
        line = getattr(error, "lineno", None)
        place = f", line {line}" if line else ""
        raise BookError(
            f"{name}.jinja must be a template that can be filled, and is not{place}: "
            f"{error}; mend it."
        ) from error
    return text.rstrip("\n") + "\n"


def row_of(cells: Iterable[object]) -> str:
    """Return a row of a table; a bar in a cell is written as such."""
    return f"| {' | '.join(str(cell).replace('|', BAR) for cell in cells)} |"


def source_link(words: str, path: str, files: str) -> str:
    """Return a link to a file, by the address under which the repository shows it."""
    return f"[{words}]({files}/{path})"


def number(value: int) -> str:
    """Return a number whose thousands are parted: 1,234."""
    return f"{value:,}"


def counted(value: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun: 1 file, 1,234 files."""
    return f"{number(value)} {one if value == 1 else many or one + 's'}"


def share(part: int, whole: int) -> str:
    """Return a share in percent."""
    return f"{part / max(whole, 1):.1%}".replace("%", " %")


def largest(met: Mapping[str, float]) -> tuple[str, ...]:
    """Return the largest differences between two runs as cells of a row."""
    return tuple(f"{met[key]:.2g}" for key in ("decimals", "units", "points", "levels"))
