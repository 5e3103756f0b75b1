"""Say which tests and notebooks a change can reach, for a run of no more than these.

A test is reached if it names a module that changed, or one that imports it, through any
number of steps; a test that reads the repository itself is reached by every change of
code, and by words if it reads pages or names the one that changed.
What nobody can trace (styles, data, settings, what all tests share) reaches everything.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path, PurePosixPath

import grimp
from nbformat import NotebookNode

from bookkit.book.cells import code_cells
from bookkit.book.files import ask_git
from bookkit.book.notebooks import chapters, parse_notebook, read_notebook
from bookkit.publishing.maps.affected import (
    in_order,
    module_of,
    resting_pages,
    where_it_left,
)

PACKAGES = ("transformer", "chapters", "bookkit")
NAMED = re.compile(rf"\b(?:{'|'.join(PACKAGES)})\b(?:\.\w+)*")
READS_ALL = re.compile(r"\bfind_root\b|\brootpath\b|\bROOT\b")
# The built pages have commands of their own.
BUILT = ("tests/site/", "tests/print/")
# What is read by people and by tests of pages, and computes nothing.
WORDS = (".md", ".bib", ".ipynb", ".cff", "LICENSE")
READ_WORDS = (
    *("tests/book/", "tests/formulas/", "tests/test_readme.py"),
    *("tests/bookkit/publishing/appendix/", "tests/bookkit/publishing/site/"),
    "tests/bookkit/publishing/maps/test_paper_to_code.py",
    "tests/bookkit/publishing/test_plain_formulas.py",
    *(f"tests/chapters/test_{name}.py" for name in ("exercises", "every_figure")),
    *("tests/chapters/live/test_told.py", "tests/chapters/test_package.py"),
)


@dataclass(frozen=True, kw_only=True)
class Reached:
    """What must run.

    Args:
        why: What makes it necessary, a line each.
        tests: Files or folders of tests.
        notebooks: Notebooks, or the folder of all.
    """

    why: tuple[str, ...]
    tests: tuple[str, ...]
    notebooks: tuple[str, ...]


def reached(root: Path, base: str) -> Reached:
    """Find what a change can reach.

    Args:
        root: The root of the book.
        base: A commit or branch: what this one has changed since it left that counts.
    """
    start = where_it_left(root, base)
    changed = _changed(root, start) if start else []
    graph = grimp.build_graph(*PACKAGES, cache_dir=None)
    untold = [file for file in changed if not _is_traced(file, graph)]
    modules = {module_of(file) for file in changed} & graph.modules
    users = modules.union(*map(graph.find_downstream_modules, modules))
    if not start or untold or users & _plugins(root):
        said = untold or ["a tool of all tests"] if start else ["an unknown change"]
        why = tuple(f"{file} can reach everything." for file in said)
        return Reached(why=why, tests=("tests",), notebooks=("book",))
    pages = _rewritten(root, start, changed) | resting_pages(root, start, changed)
    return Reached(
        why=tuple(f"{file} has changed." for file in changed),
        tests=tuple(_tests(root, changed, users, graph.modules)) if changed else (),
        notebooks=tuple(in_order(pages, root)),
    )


def _changed(root: Path, start: str) -> list[str]:
    """List the files that differ from a commit, and those that git does not know."""
    differing = ask_git(root, "diff", "--name-only", "--no-renames", start)
    new = ask_git(root, "ls-files", "--others", "--exclude-standard")
    return sorted({*differing.splitlines(), *new.splitlines()})


def _is_traced(file: str, graph: grimp.ImportGraph) -> bool:
    """Return whether it can be said what a file reaches."""
    path = PurePosixPath(file)
    if path.suffix == ".py" and path.parts[0] == "code":
        return module_of(file) in graph.modules
    is_test = path.parts[0] == "tests" and path.name.startswith("test_")
    return is_test or file.startswith(BUILT) or file.endswith(WORDS)


def _plugins(root: Path) -> set[str]:
    """List the plugins of pytest with which all tests run."""
    text = (root / "pyproject.toml").read_text(encoding="utf-8")
    options = tomllib.loads(text)["tool"]["pytest"]["ini_options"]["addopts"]
    return {option for flag, option in pairwise(options) if flag == "-p"}


def _tests(
    root: Path, changed: Iterable[str], users: set[str], modules: set[str]
) -> Iterator[str]:
    """List the test files that a change reaches."""
    computes = [f for f in changed if not f.endswith(WORDS) and not f.startswith(BUILT)]
    pages = tuple(PurePosixPath(file).name for file in changed)
    for path in sorted((root / "tests").rglob("test_*.py")):
        name = path.relative_to(root).as_posix()
        if name.startswith(BUILT):
            continue
        text = path.read_text(encoding="utf-8")
        if computes:
            reads = READS_ALL.search(text)
        else:
            reads = name.startswith(READ_WORDS) or any(page in text for page in pages)
        if name in changed or reads or _uses(path, root, users, modules):
            yield name


def _uses(path: Path, root: Path, users: set[str], modules: set[str]) -> bool:
    """Return whether a test file or one of its helpers names what is reached."""
    if not users:  # words have changed, and a test of them alone
        return False
    texts = (file.read_text(encoding="utf-8") for file in (path, *_helpers(path, root)))
    return _reaches(set(NAMED.findall("\n".join(texts))), users, modules)


def _helpers(path: Path, root: Path) -> Iterator[Path]:
    """List what lies beside a test file and is no test, and each conftest above."""
    yield from (p for p in path.parent.glob("*.py") if not p.name.startswith("test_"))
    for folder in path.parent.parents:
        if folder == root / "tests":
            break
        yield from folder.glob("conftest.py")


def _reaches(named: Iterable[str], users: set[str], modules: set[str]) -> bool:
    """Return whether a name is that of a module that is reached, or of something in it.

    A package stands for all of its modules, since what it exports may come from any.
    """
    for name in named:
        while name not in modules and "." in name:
            name = name.rpartition(".")[0]
        if any(f"{user}.".startswith(f"{name}.") for user in users):
            return True
    return False


def _rewritten(root: Path, start: str, changed: Iterable[str]) -> set[str]:
    """List the pages of which something other than the text has changed."""
    pages = set()
    for path in chapters(root):
        name = path.relative_to(root).as_posix()
        if name in changed:
            before, now = ask_git(root, "show", f"{start}:{name}"), read_notebook(path)
            if not before or _code(parse_notebook(before, name)) != _code(now):
                pages.add(path.relative_to(root / "book").with_suffix("").as_posix())
    return pages


def _code(notebook: NotebookNode) -> list[tuple[str, list]]:
    """Return what a notebook computes, and what it says that this gives."""
    return [(cell.source, cell.outputs) for _, cell in code_cells(notebook)]
