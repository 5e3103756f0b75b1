"""The outline of the book: its chapters in order, and which chapter needs which.

What a chapter needs is what the line "You need" of its first cell links to. A link
after "or" is an alternative to the links before it.

How long a chapter takes to read stands there too.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from os.path import lexists
from pathlib import Path

from bookkit.book.cells import headings
from bookkit.book.errors import BookError
from bookkit.book.notebooks import CONTENTS, read_notebook, read_yaml

_NEEDS = re.compile(r"\*\*You need\*\*(.*?)(?:\*\*Reading time\*\*|\n>?\n|$)", re.S)
_LINK = re.compile(
    r"(?P<other>\bor )?\[[^\]]*\]"
    r"\(https?://[^)\s]*/book/(?P<name>[\w/-]+)\.(?:html|ipynb)(?:#[^)\s]*)?\)"
)
STEP = 5  # minutes, to whose multiples every time is rounded up
STATED = re.compile(r"\*\*Reading time\*\*[^.]*\.")
_MINUTES = re.compile(
    r"\*\*Reading time\*\* about (?P<core>\d+) minutes"
    r"(?:, (?P<whole>\d+) with what is marked \*Deeper\*)?"
)


@dataclass(frozen=True, kw_only=True)
class ReadingTime:
    """The minutes that a chapter takes, without its Deeper sections and with them."""

    core: int
    whole: int

    @property
    def cell(self) -> str:
        """What a table of minutes says."""
        return f"{self.core}" + (f" ({self.whole})" if self.whole != self.core else "")

    def sentence(self, *, exercises: bool) -> str:
        """Return what the first cell says of a chapter with exercises or without."""
        time = f"{self.core} minutes"
        if self.whole != self.core:
            time += f", {self.whole} with what is marked *Deeper*"
        on_top = "; exercises not counted" if exercises else ""
        return f"**Reading time** about {time}{on_top}."


@dataclass(frozen=True, kw_only=True)
class Chapter:
    """A chapter as the rest of the book sees it."""

    name: str  # such as "attention/big_picture"
    number: int
    part: str
    title: str
    time: ReadingTime
    needs: tuple[str, ...] = ()
    instead: tuple[str, ...] = ()  # alternatives to what it needs

    @property
    def links(self) -> tuple[str, ...]:
        """All chapters that the line "You need" links to."""
        return (*self.needs, *self.instead)


def read_outline(root: Path) -> list[Chapter]:
    """Read the chapters in the order of `_toc.yml`: the pages that have a number.

    Args:
        root: The book's root.

    Raises:
        BookError: A first cell has no title or does not say how long it takes.
    """
    table = read_yaml(root / CONTENTS)
    chapters: list[Chapter] = []
    for part in (part for part in table["parts"] if part.get("numbered")):
        for entry in part["chapters"]:
            path = root / f"{entry['file']}.ipynb"
            if lexists(path):
                name = entry["file"].removeprefix("book/")
                text = read_notebook(path).cells[0].source
                number = len(chapters) + 1
                chapters.append(_chapter(text, name, number, part["caption"]))
    return chapters


def _chapter(text: str, name: str, number: int, part: str) -> Chapter:
    """Read a first cell."""
    time = stated_time(text)
    if not next(headings(text), "") or not text.startswith("# ") or time is None:
        raise BookError(
            f"The first cell of book/{name}.ipynb must have a title and a reading "
            "time, and one is missing; write them as the other chapters do."
        )
    needs, instead = read_needs(text)
    return Chapter(
        name=name,
        number=number,
        part=part,
        title=next(headings(text)),
        time=time,
        needs=needs,
        instead=instead,
    )


def read_needs(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Read which chapters a first cell links to as needed.

    Args:
        text: The cell.

    Returns:
        The chapters that it needs, and those that do instead.
    """
    line = _NEEDS.search(text)
    found: dict[bool, list[str]] = {False: [], True: []}
    for link in _LINK.finditer(line[1] if line else ""):
        found[bool(link["other"])].append(link["name"])
    return tuple(found[False]), tuple(found[True])


def order_breaches(chapters: Iterable[Chapter]) -> list[str]:
    """List the chapters that need one that does not stand before them."""
    breaches, before = [], set()
    for chapter in chapters:
        breaches += [
            f"book/{chapter.name}.ipynb needs {needed}, which does not stand before "
            "it; change its line 'You need' or the order in _toc.yml."
            for needed in chapter.links
            if needed not in before
        ]
        before.add(chapter.name)
    return breaches


def needed_by(chapters: Iterable[Chapter]) -> dict[str, list[str]]:
    """List for each chapter those whose line "You need" links to it."""
    chapters = list(chapters)
    return {
        chapter.name: [other.name for other in chapters if chapter.name in other.links]
        for chapter in chapters
    }


def direct_needs(chapters: Iterable[Chapter]) -> list[tuple[str, str]]:
    """List the pairs (needed, chapter) that do not follow from other pairs.

    Who needs B, which needs A, needs A as well; a drawing is clearer without that.
    """
    chapters = list(chapters)
    above: dict[str, set[str]] = {}
    for chapter in chapters:
        direct = set(chapter.needs)
        above[chapter.name] = direct.union(*(above.get(name, ()) for name in direct))
    pairs = []
    for chapter in chapters:
        implied = set().union(*(above.get(name, ()) for name in chapter.needs))
        pairs += [(n, chapter.name) for n in chapter.links if n not in implied]
    return pairs


def stated_time(text: str) -> ReadingTime | None:
    """Read what a first cell says; None if it says nothing."""
    found = _MINUTES.search(text)
    if found is None:
        return None
    core = int(found["core"])
    return ReadingTime(core=core, whole=int(found["whole"] or core))
