"""Plant a mutant for good, where mutmut could only choose it after the import."""

import ast
import re
from pathlib import Path

from bookkit.book.errors import BookError
from bookkit.book.files import file_of
from bookkit.checking.mutants.trials import (
    PACKAGE,
    UncollectedError,
    copied,
    failing_tests,
)

FOLDER = "code"


def survives_planting(root: Path, module: str, function: str, diff: str) -> bool:
    """Plant a mutant in a copy of the book and return whether no test there notices.

    mutmut loads the package once and chooses a mutant afterwards. What runs while it is
    loaded, or in a process that a test starts, is the unchanged package then.

    Args:
        root: The book's root.
        module: Where the mutant is, such as `transformer.checks.doors`.
        function: What it changes, such as `doors` or `KVCache.append`.
        diff: How, from the first line of the function on, as mutmut shows it.
    """
    with copied(root) as copy:
        file = file_of(module, copy / FOLDER)
        source = file.read_text(encoding="utf-8")
        file.write_text(plant(source, function, diff), encoding="utf-8")
        try:
            return not failing_tests(copy, nearest_tests(copy, module))
        except UncollectedError:
            return False


def plant(source: str, function: str, diff: str) -> str:
    """Return source with a changed function.

    Args:
        source: The module.
        function: Its function, or class and method with a dot between.
        diff: A unified diff that counts lines from the function's first one and leaves
            out the indentation of a method.

    Raises:
        BookError: The diff does not fit.
    """
    node: ast.AST = ast.parse(source)
    for name in function.split("."):
        found = [
            c for c in ast.iter_child_nodes(node) if getattr(c, "name", "") == name
        ]
        if not found:
            raise BookError(f"{function} must be in its module, and is not.")
        node = found[0]
    indent = " " * node.col_offset
    first, hunk = re.search(r"^@@ -(\d+)\S* \S+ @@\n(.*)", diff, re.M | re.S).groups()
    changes = [(line[0], line[1:]) for line in hunk.splitlines() if line]
    old = [line.strip() for sign, line in changes if sign in " -"]
    lines = source.split("\n")
    # mutmut counts from the decorators of some functions, from the name of others.
    for top in (node.lineno, *(line.lineno for line in node.decorator_list)):
        start = top - 1 + int(first) - 1
        kept = lines[start : start + len(old)]
        if [line.strip() for line in kept] == old:
            break
    else:
        raise BookError(f"the mutant of {function} must fit its source, and does not.")
    new, rest = [], iter(kept)
    for sign, line in changes:
        if sign == "+":
            new.append(_indented(line, indent))
        else:
            own = next(rest)  # a docstring is indented in the diff as in the source
            new += [own] if sign == " " else []
    lines[start : start + len(old)] = new
    return "\n".join(lines)


def nearest_tests(root: Path, module: str) -> list[str]:
    """Return the folder of tests of a module's folder, or the file of its own tests."""
    room = [*module.split("."), PACKAGE][1]
    return [
        f"tests/{room}" if (root / "tests" / room).is_dir() else f"tests/test_{room}.py"
    ]


def _indented(line: str, indent: str) -> str:
    """Indent a line that is not blank."""
    return indent + line if line else line
