"""The formulas of the book: as notebooks hold them, what is known of them, and slips.

A slip of the hand changes one sign, number or index; each version has one change.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import NamedTuple

from bookkit.book.files import read_toml, relative_name
from bookkit.book.notebooks import chapters, read_notebook
from bookkit.book.prose import change_equations, without_code
from bookkit.checking.formulas.tokens import tokens_of

EXCHANGED = {
    "+": "-",
    "-": "+",
    r"\cdot": "+",
    r"\odot": "+",
    "/": r"\cdot",
    r"\sin": r"\cos",
    r"\cos": r"\sin",
    r"\exp": r"\ln",
    r"\ln": r"\exp",
    r"\log": r"\exp",
    r"\tanh": r"\sin",
    r"\max": r"\min",
    r"\min": r"\max",
    "<": ">",
    r"\le": r"\ge",
    r"\ge": r"\le",
    r"\sum": r"\prod",
}
NUMBER = re.compile(r"(?<!\S)\d[\d.]*(?!\S)")
# The first letter below a name, and a side of an equation; no bound of a sum is one.
INDEX = re.compile(
    r"(?<=_ )(?<!\\(?:sum|max) _ )(?P<open>\{ )?(?P<letter>[a-zA-Z])(?!\S)(?! =| \\in)"
)
SIDE = re.compile(r"^|(?<== )(?<!\{ \w = )")
RECORD = "book/appendix/data/formulas.toml"
SEEN = re.compile(r"^#+ (?P<heading>[^\n]+)|\$\$(?P<latex>.+?)\$\$", re.M | re.S)


@dataclass(frozen=True)
class Tampered:
    """A changed formula, and what was changed."""

    what: str
    latex: str


def tampered(latex: str) -> list[Tampered]:
    """Return all versions of a formula with one change, each told by its name."""
    count: Counter[str] = Counter()
    found = []
    for what, changed in _versions(" ".join(tokens_of(latex))):
        count[what] += 1
        number = f" ({count[what]})" if count[what] > 1 else ""
        found.append(Tampered(what + number, changed))
    return found


def _versions(latex: str) -> Iterator[tuple[str, str]]:
    """Exchange a sign, move a number or an index by one, negate or double a side."""

    def put(match: re.Match[str], new: str) -> str:
        return f"{latex[: match.start()]}{new}{latex[match.end() :]}"

    for match in re.finditer(r"\S+", latex):
        if new := EXCHANGED.get(match[0]):
            yield f"{match[0]} → {new}", put(match, new)
    for match in NUMBER.finditer(latex):
        yield f"{match[0]} + 1", put(match, f"{{ {match[0]} + 1 }}")
    for match in INDEX.finditer(latex):
        comma = (
            " ," if match["open"] and re.match(r" [\w\\]", latex[match.end() :]) else ""
        )
        moved = f"{{ {match['letter']} + 1{comma}{'' if match['open'] else ' }'}"
        yield f"index {match['letter']} + 1", put(match, moved)
    for match in SIDE.finditer(latex):
        yield "a side negated", put(match, "- ")
        yield "a side doubled", put(match, "2 ")


class Formula(NamedTuple):
    """A displayed formula: its LaTeX, and the notebook and the cell that hold it."""

    latex: str
    place: str


@dataclass(frozen=True)
class Record:
    """The formulas of the book, by label, and what is said of them.

    Args:
        numbered: The formulas of notebooks that have a label.
        unnumbered: Those that are displayed without one.
        not_bound: Why no test computes a formula.
        same: The changes that leave a formula true, by label.
    """

    numbered: dict[str, Formula]
    unnumbered: dict[str, Formula]
    not_bound: dict[str, str]
    same: dict[str, set[str]]

    @property
    def latex(self) -> dict[str, str]:
        """Each formula, as its notebook has it."""
        return {label: one.latex for label, one in self._all.items()}

    @property
    def _all(self) -> dict[str, Formula]:
        return self.numbered | self.unnumbered

    def place(self, label: str) -> str:
        """Say where a formula stands: the notebook, the cell and the label."""
        return f"{self._all[label].place} ({label})"

    @property
    def bound(self) -> list[str]:
        """The labels of the formulas that a test computes."""
        return self.bound_of(self._all)

    def bound_of(self, labels: Iterable[str]) -> list[str]:
        """Return those of some labels whose formula a test computes."""
        return [label for label in labels if label not in self.not_bound]

    def wrong(self, label: str) -> list[Tampered]:
        """Return the changed versions of a formula that a test must refuse."""
        return self._changes(label, same=False)

    def true(self, label: str) -> list[Tampered]:
        """Return the changed versions of a formula that are known to be true."""
        return self._changes(label, same=True)

    def _changes(self, label: str, *, same: bool) -> list[Tampered]:
        known = self.same.get(label, set())
        changes = tampered(self.latex[label])
        return [one for one in changes if (one.what in known) == same]


def read_record(root: Path) -> Record:
    """Read the formulas of the notebooks, and the file that speaks of them."""
    said = read_toml(root, RECORD)
    same: dict[str, set[str]] = {}
    for group in said.get("same", []):
        for label, changes in group["changes"].items():
            same.setdefault(label, set()).update(changes)
    return Record(*formulas(root), not_bound=said.get("not_bound", {}), same=same)


def formulas(root: Path) -> tuple[dict[str, Formula], dict[str, Formula]]:
    """Return the displayed formulas of the notebooks with a label, and those without.

    One without is named by its page and the heading above it, such as
    `rotary: Pairs turn`; a second one below a heading has the ending (2).
    """
    numbered: dict[str, Formula] = {}
    unnumbered: dict[str, Formula] = {}
    for path in chapters(root):
        heading = ""
        for cell in read_notebook(path).cells:
            if cell.cell_type == "markdown":
                place = f"{relative_name(path, root)}, cell {cell.id}"
                keep = partial(_keep, numbered, place)
                plain = change_equations(without_code(cell.source), keep)
                for match in SEEN.finditer(plain):
                    heading = match["heading"] or heading
                    if match["latex"]:
                        name = _unused(f"{path.stem}: {heading}", unnumbered)
                        _keep(unnumbered, place, name, match["latex"])
    return numbered, unnumbered


def _keep(found: dict[str, Formula], place: str, label: str, latex: str) -> str:
    """Keep a formula by its label, and leave nothing in its place."""
    found[label] = Formula(latex.strip(), place)
    return ""


def _unused(name: str, found: dict[str, Formula]) -> str:
    """Return a name, with the first number that makes it new."""
    numbers = (f"{name} ({i})" for i in count(2))
    return next(one for one in chain([name], numbers) if one not in found)
