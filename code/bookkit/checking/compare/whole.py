"""Compare a whole notebook with what executing it gave, cell by cell."""

from nbformat import NotebookNode

from bookkit.checking.compare.conditions import faults_of, ignores_output
from bookkit.checking.compare.outputs import compare_outputs, texts


def compare_notebooks(
    stored: NotebookNode, executed: NotebookNode, *, figures: bool = True
) -> dict[int, list[str]]:
    """Describe what is wrong with each code cell.

    Args:
        stored: The notebook as it stands.
        executed: The same after a run.
        figures: Whether figures are compared; another matplotlib draws them otherwise.

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
            outputs = before.outputs, after.outputs
            faults += compare_outputs(*(outputs if figures else map(texts, outputs)))
        if faults:
            found[index] = faults
    return found
