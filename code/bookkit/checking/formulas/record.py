"""What is known of the formulas: which are bound, and which changes are refused."""

from dataclasses import dataclass
from pathlib import Path

from bookkit.book.files import read_toml
from bookkit.checking.formulas.docstrings import docstring_formulas
from bookkit.checking.formulas.pages import formulas
from bookkit.checking.formulas.tampering import Tampered, tampered

RECORD = "book/appendix/data/formulas.toml"


@dataclass(frozen=True)
class Record:
    """The formulas of the book, by label, and what is said of them.

    Args:
        latex: Each formula, as its notebook or its docstring has it.
        not_bound: Why no test computes a formula of a page.
        same: The changes that leave a formula true, by label.
        computed: The docstrings whose formula a test computes.
    """

    latex: dict[str, str]
    not_bound: dict[str, str]
    same: dict[str, set[str]]
    computed: list[str]

    @property
    def on_pages(self) -> list[str]:
        """The labels of the numbered formulas."""
        return [label for label in self.latex if label.startswith("eq-")]

    @property
    def bound(self) -> list[str]:
        """The labels of those that a test computes."""
        return [label for label in self.on_pages if label not in self.not_bound]

    @property
    def in_docstrings(self) -> list[str]:
        """The docstrings that display a formula."""
        return [label for label in self.latex if ":" in label]

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
    return Record(
        latex=formulas(root) | docstring_formulas(root),
        not_bound=said.get("not_bound", {}),
        same=same,
        computed=said.get("docstrings", {}).get("computed", []),
    )
