"""The numbers of a page whose source no test finds by itself.

`book/appendix/data/numbers.toml` has a table for each page. What is listed is a piece
of the page's text with numbers in it. `from` says where they come from, one or several
with semicolons between:

- a formula of numbers alone, after `= `;
- a cell of the page or one of its sections, `#code-loss`, with the name that the
  notebook gives to the cell;
- a cell, a section or all of another page, `position/rotary#clocks`;
- a file of the repository with the number in it, or a test, `tests/test_a.py::test_b`;
- words, where only a reader can tell.

`on_page` lists those that a reader has found in some cell of the page.

Where a whole page or a file of data is named, the number must stand out in it, so that
a slip of the hand would not be found there too. In a module it must stand as it is.
"""

from dataclasses import dataclass
from pathlib import Path

from bookkit.book.files import read_toml

RECORD = "book/appendix/data/numbers.toml"
ON_PAGE = "on_page"


@dataclass(frozen=True)
class Listed:
    """A piece of a page's text, and where its numbers come from."""

    words: str
    source: str

    def covers(self, text: str, begin: int, end: int) -> bool:
        """Say whether a number of a text stands in this piece."""
        place = text.find(self.words)
        while place >= 0:
            if place <= begin and end <= place + len(self.words):
                return True
            place = text.find(self.words, place + 1)
        return False


def read_listed(root: Path) -> dict[str, list[Listed]]:
    """Read what is listed, by page: `position/rotary` is one."""
    if not (root / RECORD).is_file():
        return {}
    return {
        page: [Listed(words, ON_PAGE) for words in table.get(ON_PAGE, [])]
        + [Listed(words, source) for words, source in table.get("from", {}).items()]
        for page, table in read_toml(root, RECORD).items()
    }
