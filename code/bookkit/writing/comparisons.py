"""Count what a page compares, and how much of it chance would call different."""

import re

from nbformat import NotebookNode

from bookkit.book.cells import code_cells

# What `chapters.laboratory.study.Verdict` says.
VERDICT = re.compile(
    r"clearly (?:ahead|behind)|(?:ahead|behind) (?:at first|in the end)"
    r"|no clear difference|turns around"
)
# Two intervals of 95 % belong to a verdict, one for each budget.
BY_CHANCE = 1 - 0.95**2


def comparisons(notebook: NotebookNode) -> int:
    """Return how many verdicts the outputs of a notebook print."""
    return sum(
        len(VERDICT.findall(_printed(output)))
        for _, cell in code_cells(notebook)
        for output in cell.outputs
    )


def compared_sentence(notebook: NotebookNode) -> str:
    """Return what a first cell says of comparisons, nothing where there are none."""
    if not (count := comparisons(notebook)):
        return ""
    pairs = f"{count} pairs" if count > 1 else "1 pair"
    chance = round(BY_CHANCE * count)
    parted = f"about {chance}" if chance else "fewer than one"
    return (
        f" **Compared** {pairs} of trained models, and if the two of each pair were "
        f"equal, {parted} would look different by chance."
    )


def _printed(output: NotebookNode) -> str:
    """Return the text of an output."""
    return output.get("text", "") or output.get("data", {}).get("text/plain", "")
