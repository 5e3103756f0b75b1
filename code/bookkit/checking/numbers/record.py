"""The numbers whose source is named by hand, because no test can find it.

`book/appendix/data/numbers.toml` has a table for each page. A key is a piece of the
page's text with numbers in it, and its value says where they come from: the heading of
a section of the page after a `#`, another page of the book, with or without a heading,
a file of the repository or a test in it, or words.
"""

from dataclasses import dataclass
from pathlib import Path

from bookkit.book.files import read_toml

RECORD = "book/appendix/data/numbers.toml"


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
        page: [Listed(words, source) for words, source in entries.items()]
        for page, entries in read_toml(root, RECORD).items()
    }
