"""Find what has changed in the code of the book since a commit, by asking git.

What git does not know yet counts as changed too.
"""

import ast
import re
import sys
from collections.abc import Collection, Iterator
from pathlib import Path, PurePosixPath

from bookkit.book.dates import ask_git
from bookkit.book.files import file_of
from bookkit.book.source import DOCUMENTED, defined_names, parse_code, parse_file
from bookkit.publishing.maps.package import PACKAGE

CHAPTERS = "code/chapters"
# Whatever the settings of a user say.
_DIFF = ("diff", "--unified=0", "--no-color", "--no-ext-diff", "--dst-prefix=b/")
_NEW = ("ls-files", "--others", "--exclude-standard")
_FILE = re.compile(r"^\+\+\+ b/(\S+\.py)$")
_LINES = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@")


def changed_files(root: Path, start: str) -> list[str]:
    """List the files of the chapters that changed since a commit, or are new."""
    changed = ask_git(root, "diff", "--name-only", start, "--", CHAPTERS)
    new = ask_git(root, *_NEW, "--", CHAPTERS)
    return [*changed.splitlines(), *new.splitlines()]


def changed_objects(root: Path, start: str) -> list[str]:
    """List the classes, functions and values that changed, as `package.module:Object`.

    Args:
        root: The root of the book.
        start: The commit to compare with.
    """
    found: dict[str, None] = {}
    for file, lines in _changed_lines(root, start):
        module = ".".join(file.with_suffix("").parts[1:]).removesuffix(".__init__")
        for node in parse_file(root / file, root).body:
            starts = [d.lineno for d in getattr(node, "decorator_list", ())]
            span = range(min([node.lineno, *starts]), node.end_lineno + 1)
            if any(line in span for line in lines):
                # Such as `__all__`, which says what can be imported.
                names = (n for n in defined_names(node) if not n.startswith("__"))
                found |= dict.fromkeys(f"{module}:{name}" for name in names)
    return list(found)


def says_the_same(address: str, root: Path, start: str) -> bool:
    """Return whether an object computes what it did: only its words have changed."""
    module, _, name = address.partition(":")
    path = file_of(module, root / "code")
    before = ask_git(root, "show", f"{start}:{path.relative_to(root).as_posix()}")
    return _code_of(name, before) == _code_of(name, path.read_text("utf-8"))


def _code_of(name: str, text: str) -> str:
    """Return an object of a module without comments, docstrings and places."""
    tree = parse_code(text)
    for node in tree.body if tree else ():
        if name in defined_names(node):
            for inner in ast.walk(node):
                if isinstance(inner, DOCUMENTED) and ast.get_docstring(inner):
                    inner.body = inner.body[1:]
            return ast.dump(node)
    return ""


def _changed_lines(
    root: Path, start: str
) -> Iterator[tuple[PurePosixPath, Collection[int]]]:
    """Yield each changed file of the package, and its new lines.

    A line that follows removed ones counts as new, and so do all of a file that git
    does not know yet.
    """
    said = ask_git(root, *_DIFF, start, "--", f"code/{PACKAGE}")
    name, lines = "", set()
    for line in [*said.splitlines(), "+++ end"]:
        if line.startswith("+++ "):
            if name and lines:
                yield PurePosixPath(name), lines
            match = _FILE.match(line)
            name, lines = match[1] if match else "", set()
        elif match := _LINES.match(line):
            first, count = int(match[1]), int(match[2] or 1)
            lines |= set(range(first, first + max(count, 1)))
    for name in ask_git(root, *_NEW, "--", f"code/{PACKAGE}/*.py").splitlines():
        yield PurePosixPath(name), range(1, sys.maxsize)
