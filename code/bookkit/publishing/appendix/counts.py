"""What a chapter holds and what of it is checked, counted from its files."""

import ast
import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from bookkit.book.boxes import EXERCISE, STATEMENTS, boxes
from bookkit.book.errors import BookError
from bookkit.book.notebooks import chapters, read_notebook
from bookkit.checking.compare.conditions import ignores_output
from bookkit.checking.compare.outputs import join_streams, kind_of

LAWS = tuple(kind for kind in STATEMENTS if kind != "definition")


@dataclass(frozen=True)
class Counts:
    """What is checked in a chapter, or in several.

    Args:
        cells: Code cells; the next two are among them.
        drawn: Cells that hold source of the package.
        ignored: Cells whose outputs are not compared, because they measure time.
        texts: Validated outputs that are text.
        figures: Validated outputs that are figures.
        exercises: Exercises, each with a solution.
        laws: Numbered theorems.
        tests: Test functions in the file that tests the laws.
        rows: Rows of the files of stored measurements in the chapter's folder.
    """

    cells: int = 0
    drawn: int = 0
    ignored: int = 0
    texts: int = 0
    figures: int = 0
    exercises: int = 0
    laws: int = 0
    tests: int = 0
    rows: int = 0

    @property
    def outputs(self) -> int:
        """Outputs that are computed again and compared."""
        return self.texts + self.figures

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(**{name: n + vars(other)[name] for name, n in vars(self).items()})


def count_chapter(path: Path, root: Path) -> Counts:
    """Count what a chapter holds."""
    notebook = read_notebook(path)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    kinds = Counter(
        kind_of(output)
        for cell in cells
        if not ignores_output(cell)
        for output in join_streams(cell.outputs)
    )
    held = Counter(box.kind for _, box in boxes(notebook))
    laws = law_tests(path, root)
    return Counts(
        cells=len(cells),
        drawn=sum("draw" in cell.metadata for cell in cells),
        ignored=sum(map(ignores_output, cells)),
        texts=kinds["text"] + kinds["other"],
        figures=kinds["SVG"] + kinds["PNG"],
        exercises=held[EXERCISE],
        laws=sum(held[kind] for kind in LAWS),
        tests=_tests_in(root / laws) if laws else 0,
        rows=count_rows(root, path.stem),
    )


def count_book(root: Path) -> Counts:
    """Count what all chapters hold."""
    return sum((count_chapter(path, root) for path in chapters(root)), Counts())


def law_tests(notebook: Path, root: Path) -> str | None:
    """Return the file, from the root, that tests the laws of a chapter.

    A notebook of the appendix states no laws, and needs no such file.

    Raises:
        BookError: A chapter has no such file.
    """
    chapter = notebook.stem
    if notebook.is_relative_to(root / "book" / "appendix"):
        return None
    path = f"tests/laws/test_{chapter}.py"
    if not (root / path).is_file():
        raise BookError(
            f"The laws of the chapter {chapter} must be tested in the file {path}, and "
            "there is none; write it."
        )
    return path


def _tests_in(path: Path) -> int:
    """Count the test functions of a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    return sum(node.name.startswith("test_") for node in functions)


def data_files(root: Path, folder: str) -> list[Path]:
    """Return the files of stored measurements in a folder of `chapters`."""
    return sorted((root / "code/chapters" / folder).glob("*.json"))


def count_rows(root: Path, folder: str) -> int:
    """Count the rows of these files."""
    return sum(
        len(json.loads(path.read_text(encoding="utf-8"))["rows"])
        for path in data_files(root, folder)
    )
