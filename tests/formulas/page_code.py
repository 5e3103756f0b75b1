"""What the code of a page says: the numbers that its examples start from."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import torch

from bookkit.book.cells import code_cells, output_text
from bookkit.book.files import find_root
from bookkit.book.notebooks import chapters, read_notebook

ROOT = find_root(Path(__file__))


@cache
def cells(page: str) -> list:
    """Return the code cells of a page."""
    path = next(path for path in chapters(ROOT) if path.stem == page)
    return [cell for _, cell in code_cells(read_notebook(path))]


def written(page: str, name: str) -> torch.Tensor:
    """Return the numbers to which a page first sets a name."""
    for cell in cells(page):
        for statement in ast.walk(ast.parse(cell.source)):
            if isinstance(statement, ast.Assign):
                for target, value in pairs(statement.targets[0], statement.value):
                    if ast.unparse(target) == name:
                        literal = (
                            value.args[0] if isinstance(value, ast.Call) else value
                        )
                        return torch.tensor(ast.literal_eval(literal)).double()
    raise LookupError(f"{page} sets no {name}")


def pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield what is set and to what: in `a, b = c, d` each by itself."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        yield from zip(target.elts, value.elts, strict=True)
    else:
        yield target, value


def shown(page: str, marked: str) -> str:
    """Return what the cell shows whose code holds some text."""
    cell = next(cell for cell in cells(page) if marked in cell.source)
    return "\n".join(output_text(output) for output in cell.outputs)
