"""The number that a formula shows comes from its label, and no other is accepted."""

import re
from pathlib import Path

from bookkit.book.cells import markdown_cells
from bookkit.book.files import find_root
from bookkit.book.notebooks import chapters, read_notebook
from bookkit.book.prose import equation_labels
from bookkit.checking.facts import facts
from bookkit.checking.formulas.tokens import TAG
from bookkit.writing.references import plain_references, read_targets

ROOT = find_root(Path(__file__))
TARGETS = read_targets(ROOT)
CELLS = [
    cell.source
    for path in chapters(ROOT)
    for _, cell in markdown_cells(read_notebook(path))
]
NUMBERED = [source for source in CELLS if equation_labels(source)]


def fresh(source):
    """Return a cell as `make references` writes it."""
    return plain_references(source, TARGETS, "a cell")


def test_each_tag_belongs_to_a_label():
    tags = [tag for source in CELLS for tag in TAG.findall(source)]
    labels = [label for source in CELLS for label in equation_labels(source)]
    assert tags == [TARGETS.numbers[label].number for label in labels]


@facts("other", [r"\\tag{1.99}", r"\\tag{\g<1>1}", r"\\tag{\g<1>a}", r"\\tag{}", ""])
def test_a_changed_tag_is_noticed(other):
    for source in NUMBERED:
        changed = TAG.sub(other, source, count=1)
        assert fresh(changed) != changed
        assert fresh(source) == source


def test_an_exchanged_label_is_noticed():
    one, two = "eq-ffn", "eq-attention"
    for source in NUMBERED:
        if {one, two} & {*equation_labels(source)}:
            changed = re.sub(
                f"{one}|{two}", lambda m: two if m[0] == one else one, source
            )
            assert fresh(changed) != changed


def test_a_changed_number_in_a_reference_to_a_formula_is_noticed():
    linked = re.compile(r"\[\(\d+\.\d+\)\]\((?=[^)]*eq-)")
    found = [source for source in CELLS if linked.search(source)]
    for source in found:
        changed = linked.sub("[(1.99)](", source, count=1)
        assert fresh(changed) != changed
    assert found
