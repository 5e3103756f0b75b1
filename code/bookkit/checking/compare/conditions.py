"""What must hold for a code cell before its outputs mean anything.

A reader takes the stored outputs as the result of running the notebook from top to
bottom. So each code cell holds code, was executed, and bears its own position among
the code cells as its count. (An empty code cell is never executed, so it may not stay.)
Nothing switches the comparison off in silence: no tag and no comment for nbval is
heeded, and only a cell that checks itself with an ``assert`` may leave its outputs out.
"""

import ast
from collections.abc import Mapping
from typing import Any

from IPython.core.inputtransformer2 import TransformerManager
from nbformat import NotebookNode

from bookkit.book.files import parse_code
from bookkit.book.notebooks import IGNORE_OUTPUT, tags
from bookkit.checking.compare.outputs import compare_outputs, texts


def has_assert(source: str) -> bool:
    """Return whether code asserts something that is not a mere constant.

    Args:
        source: The source of a cell; magics such as ``%timeit`` are allowed.

    Returns:
        True when an ``assert`` statement stands in it. ``assert True`` and
        ``assert (condition, "message")``, which can never fail, do not count.
    """
    try:
        tree = parse_code(TransformerManager().transform_cell(source))
    except SyntaxError:
        return False
    return tree is not None and any(
        isinstance(node, ast.Assert)
        and not isinstance(node.test, ast.Constant | ast.Tuple)
        for node in ast.walk(tree)
    )


def ignores_output(cell: Mapping[str, Any]) -> bool:
    """Return whether a cell may leave its outputs uncompared."""
    return IGNORE_OUTPUT in tags(cell) and has_assert(cell["source"])


def _count_fault(cell: Mapping[str, Any], position: int) -> str | None:
    count = cell["execution_count"]
    if not cell["source"].strip():
        return "the cell is empty: delete it"
    if count is None:
        return "the cell was never executed (its execution count is empty)"
    if count != position:
        return f"the execution count must be {position}, the stored one is {count}"
    return None


def faults_of(cell: Mapping[str, Any], position: int) -> list[str]:
    """List in sentences why the outputs of a cell cannot be relied on.

    Args:
        cell: A code cell in the notebook format.
        position: Its position among the code cells of the notebook, from 1.

    Returns:
        One sentence for each condition that does not hold; empty when all hold.
    """
    faults = [_count_fault(cell, position)]
    if IGNORE_OUTPUT in tags(cell) and not has_assert(cell["source"]):
        faults.append(
            f"the tag {IGNORE_OUTPUT!r} is only for a cell that checks itself: "
            "add an assert about what the cell measures, or remove the tag"
        )
    return [fault for fault in faults if fault]


def compare_texts(stored: NotebookNode, executed: NotebookNode) -> dict[int, list[str]]:
    """Describe what is wrong with each code cell, its figures left aside.

    Args:
        stored: The notebook as it stands.
        executed: The same after a run.

    Returns:
        The sentences about each code cell that has some, by its index.
    """
    pairs = zip(stored.cells, executed.cells, strict=True)
    code = [
        (index, before, after)
        for index, (before, after) in enumerate(pairs)
        if before.cell_type == "code"
    ]
    found = {}
    for position, (index, before, after) in enumerate(code, start=1):
        faults = faults_of(before, position)
        if not ignores_output(before):
            faults += compare_outputs(texts(before.outputs), texts(after.outputs))
        if faults:
            found[index] = faults
    return found
