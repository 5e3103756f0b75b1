"""Parse Python: code that may be anything, and files that must be right."""

import ast
import warnings
from pathlib import Path

from bookkit.book.errors import BookError
from bookkit.book.files import read_file, relative_name

DOCUMENTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def parse_code(source: str) -> ast.Module | None:
    """Parse Python; the value is None when the text is not Python.

    Code that nests too deeply for the parser counts as none: Python cannot run it.
    """
    try:
        with warnings.catch_warnings(action="ignore"):  # such as an unknown escape
            return ast.parse(source)
    # A zero byte is a ValueError before Python 3.11.4.
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


def parse_file(path: Path, root: Path) -> ast.Module:
    """Parse a file of the repository.

    Raises:
        BookError: It cannot be read or is no Python; the message says where.
    """
    name = relative_name(path, root)
    try:
        return ast.parse(read_file(path, name))
    except SyntaxError as error:
        raise BookError(
            f"{name}, line {error.lineno} must be Python, and is not: {error.msg}; "
            "mend it."
        ) from error


def defined_names(node: ast.AST) -> list[str]:
    """List the names that a statement defines: of a class, a function or values."""
    if isinstance(node, DOCUMENTED):
        return [node.name]
    if not isinstance(node, ast.Assign | ast.AnnAssign):
        return []
    targets = getattr(node, "targets", None) or [node.target]
    names = [n for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)]
    return [name.id for name in names if isinstance(name.ctx, ast.Store)]
