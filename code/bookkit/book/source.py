"""Parse code that somebody else wrote, which may be anything."""

import ast
import warnings


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
