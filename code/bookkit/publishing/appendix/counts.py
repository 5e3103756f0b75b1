"""What a chapter holds, what of it is checked, and who notices each planted bug."""

import ast
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from bookkit.book.address import files_url
from bookkit.book.boxes import EXERCISE, STATEMENTS, boxes
from bookkit.book.errors import BookError
from bookkit.book.notebooks import chapters, read_notebook
from bookkit.checking.compare.conditions import ignores_output
from bookkit.checking.compare.outputs import join_streams, kind_of
from bookkit.checking.patches import INDEX, Patch, read_patches
from bookkit.checking.planting import MOST, Verdict, read_verdicts
from bookkit.publishing.appendix.templates import source_link

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


def classic_bugs(root: Path) -> dict[str, Any]:
    """Count the bugs that tests and notebooks noticed."""
    patches, verdicts = _planted(root, "classic")
    files = files_url(root)
    caught = sum(verdict["tests"] > 0 for verdict in verdicts.values())
    run = [verdict for verdict in verdicts.values() if verdict["notebooks"]]
    shown = sum(bool(_cells(verdict)) for verdict in run)
    rows = [
        (patches[name].wrong, *_tests(verdict, files), _said(verdict))
        for name, verdict in verdicts.items()
    ]
    return {
        "rows": rows,
        "most": MOST,
        "caught": caught,
        "run": len(run),
        "shown": shown,
    } | _times(verdicts.values())


def bugs_by_meaning(root: Path) -> dict[str, Any]:
    """Count the bugs that tests noticed, and say which did."""
    patches, verdicts = _planted(root, "meaning")
    files, planted, caught = files_url(root), Counter(), Counter()
    for name, verdict in verdicts.items():
        folder = patches[name].files[0].removeprefix("code/").rpartition("/")[0]
        planted[folder] += 1
        caught[folder] += verdict["tests"] > 0
    return {
        "rows": [(f"`{x}`", planted[x], caught[x]) for x in sorted(planted)],
        "each": [(patches[x].wrong, *_tests(verdicts[x], files)) for x in verdicts],
        "planted": planted.total(),
        "caught": caught.total(),
        "index": source_link("named one by one", INDEX, files),
    } | _times(verdicts.values())


def _times(verdicts: Iterable[Verdict]) -> dict[str, Any]:
    """Return how long the first tests took, and how many a time limit ended."""
    caught = [verdict for verdict in verdicts if verdict["tests"]]
    seconds = [verdict["seconds"] for verdict in caught]
    return {
        "median": _two_digits(median(seconds)),
        "longest": _two_digits(max(seconds)),
        "timed_out": sum(verdict["timed_out"] for verdict in caught),
    }


def _planted(root: Path, kind: str) -> tuple[dict[str, Patch], dict[str, Verdict]]:
    """Return the patches of a kind, and what noticed those that were planted."""
    recorded = read_verdicts(root)
    patches = {p.name: p for p in read_patches(root) if p.kind == kind}
    return patches, {name: recorded[name] for name in patches if name in recorded}


def _tests(verdict: Verdict, files: str) -> tuple[str, str]:
    """Count the tests that failed, link the file of the first, and say its seconds."""
    file, _, name = (verdict["first"] or "").partition("::")
    if not file:
        return "none", "none"
    link = source_link(f"`{name}`", file, files)
    return f"{verdict['tests']}, first {link}", _two_digits(verdict["seconds"])


def _two_digits(seconds: float) -> str:
    """Round seconds, of which another run gives others: 0.0034, 7.2, 120."""
    return f"{float(f'{seconds:.2g}'):g}"


def _said(verdict: Verdict) -> str:
    """Describe which cells differed, if the chapters were run."""
    if not verdict["notebooks"]:
        return "not run yet"
    return _cells(verdict) or "none"


def _cells(verdict: Verdict) -> str:
    """Count the cells that differed in each chapter, with links."""
    return ", ".join(
        f"{found['cells']} in [](../{chapter.removeprefix('book/')})"
        for chapter, found in verdict["notebooks"].items()
        if found["cells"]
    )
