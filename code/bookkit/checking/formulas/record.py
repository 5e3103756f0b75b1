"""What is known of the formulas: which are bound, and which changes are refused."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from bookkit.book.files import read_toml
from bookkit.checking.formulas.pages import Formula, formulas
from bookkit.checking.formulas.tampering import Tampered, tampered

RECORD = "book/appendix/data/formulas.toml"


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
