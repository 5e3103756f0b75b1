"""What is known of the formulas: which are bound, and which changes are refused."""

from dataclasses import dataclass
from pathlib import Path

from bookkit.book.files import read_toml
from bookkit.checking.formulas.pages import formulas
from bookkit.checking.formulas.tampering import Tampered, tampered

RECORD = "book/appendix/data/formulas.toml"


@dataclass(frozen=True)
class Record:
    """The formulas of the book, by label, and what is said of them.

    Args:
        latex: Each formula, as its notebook has it.
        not_bound: Why no test computes a formula.
        same: The changes that leave a formula true, by label.
    """

    latex: dict[str, str]
    not_bound: dict[str, str]
    same: dict[str, set[str]]

    @property
    def bound(self) -> list[str]:
        """The labels of those that a test computes."""
        return [label for label in self.latex if label not in self.not_bound]

    def wrong(self, label: str) -> list[Tampered]:
        """Return the changed versions of a formula that a test must refuse."""
        same = self.same.get(label, set())
        return [one for one in tampered(self.latex[label]) if one.what not in same]

    def true(self, label: str) -> list[Tampered]:
        """Return the changed versions of a formula that are known to be true."""
        same = self.same.get(label, set())
        return [one for one in tampered(self.latex[label]) if one.what in same]


def read_record(root: Path) -> Record:
    """Read the formulas of the notebooks, and the file that speaks of them."""
    said = read_toml(root, RECORD)
    same: dict[str, set[str]] = {}
    for group in said.get("same", []):
        for label, changes in group["changes"].items():
            same.setdefault(label, set()).update(changes)
    return Record(formulas(root), said.get("not_bound", {}), same)
