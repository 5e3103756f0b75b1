"""Rules about exercises: enough of them, starters that fail, solutions that pass."""

import re
from pathlib import Path

from nbformat import NotebookNode

from bookkit.book.cells import code_cells, images, markdown_cells, output_text
from bookkit.book.files import find_root
from bookkit.book.notebooks import tags

STARTER, SOLUTION = "exercise-starter", "exercise-solution"
MIN_EXERCISES, MIN_FIGURES, MIN_THEOREMS = 3, 4, 2
EXERCISE = re.compile(r"^[:`]{3,}\{exercise(?:-start)?\}", re.M)
_LABELED = re.compile(
    r"^[:`]{3,}\{exercise(?:-start)?\}[^\n]*\n(?::\w+:[^\n]*\n)*?:label:\s*(\S+)", re.M
)
_SOLUTION = re.compile(r"^[:`]{3,}\{solution(?:-start)?\}\s*(\S+)", re.M)
THEOREM = re.compile(
    r"^[:`]{3,}\{prf:(?:theorem|lemma|proposition|corollary|property)\}", re.M
)
_PASSED = re.compile(r"\bAll \d+ properties hold\b|\bThe property holds\b")


def exercises_have_solutions(notebook: NotebookNode, path: Path) -> list[str]:
    """Every exercise has a label that starts with ex-, and a solution."""
    text = _markdown(notebook)
    labels, solved = _LABELED.findall(text), _SOLUTION.findall(text)
    breaches = [
        f"The exercise {label} must have a label 'ex-…'; rename it."
        for label in labels
        if not label.startswith("ex-")
    ]
    if len(EXERCISE.findall(text)) > len(labels):
        breaches.append("Every exercise must have a label; one has none.")
    breaches += [
        f"The exercise {label} has no solution; write one below it."
        for label in labels
        if label not in solved
    ]
    return breaches + [
        f"The solution {label} belongs to no exercise of this notebook."
        for label in solved
        if label not in labels
    ]


def _markdown(notebook: NotebookNode) -> str:
    """Join the markdown of a notebook."""
    return "\n\n".join(cell.source for _, cell in markdown_cells(notebook)) + "\n"


def starters_fail_and_solutions_pass(notebook: NotebookNode, path: Path) -> list[str]:
    """A starter says what is missing; the same check passes in the solution."""
    breaches = []
    waiting: str | None = None
    for name, cell in code_cells(notebook):
        said = "\n".join(output_text(output) for output in cell.outputs)
        if STARTER in tags(cell):
            if waiting:
                breaches.append(f"{waiting} has no cell tagged {SOLUTION} below it.")
            waiting = name
            if not said.startswith("Not yet"):
                breaches.append(f"{name} is a starter and must print 'Not yet'.")
        if SOLUTION in tags(cell):
            if waiting is None:
                breaches.append(f"{name} is a solution without a starter above it.")
            waiting = None
            if not _PASSED.search(said):
                breaches.append(f"{name} must print that all properties hold.")
    left = [f"{waiting} has no cell tagged {SOLUTION} below it."] if waiting else []
    return breaches + left


def chapter_is_rich(notebook: NotebookNode, path: Path) -> list[str]:
    """A chapter has three exercises, four figures and two theorems or more."""
    if path.is_relative_to(find_root(path) / "book" / "appendix"):
        return []
    text = _markdown(notebook)
    figures = sum(len(images(cell)) for _, cell in code_cells(notebook))
    counts = {
        "exercises": (len(EXERCISE.findall(text)), MIN_EXERCISES),
        "figures": (figures, MIN_FIGURES),
        "theorems": (len(THEOREM.findall(text)), MIN_THEOREMS),
    }
    return [
        f"The chapter must have at least {least} {what}, and has {count}."
        for what, (count, least) in counts.items()
        if count < least
    ]
