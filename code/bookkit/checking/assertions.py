"""Change what a cell asserts, so that a test sees whether the cell can fail.

An assertion that no result can refute protects nothing. So each value that it compares
is made a thousand times larger and smaller, and turned around; some must fail.
"""

import ast
import builtins
import copy
from collections.abc import Iterator, Sequence

FACTORS = (1000, 1 / 1000, -1)


def changed_values(source: str) -> Iterator[list[str]]:
    """Yield, for each assertion of a cell, versions of it with one value changed.

    A value is what a comparison compares, and no constant; it is changed wherever it
    stands in the assertion.
    """
    tree = ast.walk(ast.parse(source))
    for assertion in (node for node in tree if isinstance(node, ast.Assert)):
        values = {
            ast.unparse(side)
            for compared in ast.walk(assertion.test)
            if isinstance(compared, ast.Compare)
            for side in (compared.left, *compared.comparators)
            if not isinstance(side, ast.Constant)
        }
        yield [
            ast.unparse(_Change(value, factor).visit(copy.deepcopy(assertion)))
            for value in sorted(values)
            for factor in FACTORS
        ]


class _Change(ast.NodeTransformer):
    """Multiply an expression by a factor, wherever it stands."""

    def __init__(self, value: str, factor: float) -> None:
        self.value, self.factor = value, factor

    def visit(self, node: ast.AST) -> ast.AST:
        """Visit an expression or what is in it."""
        if isinstance(node, ast.expr) and ast.unparse(node) == self.value:
            return ast.BinOp(node, ast.Mult(), ast.Constant(self.factor))
        return super().generic_visit(node)


def needed_before(source: str, cells: Sequence[str]) -> str:
    """Return the statements of earlier cells that give the names a cell reads."""
    needed, found = _free(ast.parse(source)), []
    for cell in reversed(cells):
        for statement in reversed(ast.parse(cell).body):
            if given := needed & _stored(statement):
                found.append(ast.unparse(statement))
                needed = needed - given | _free(statement)
    return "\n".join(reversed(found))


def _free(tree: ast.AST) -> set[str]:
    """Return the names that something reads and does not give a value itself."""
    names = (node for node in ast.walk(tree) if isinstance(node, ast.Name))
    read = {name.id for name in names if isinstance(name.ctx, ast.Load)}
    return read - _stored(tree) - {*dir(builtins)}


def _stored(tree: ast.AST) -> set[str]:
    """Return the names that something gives a value."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.alias):
            found.add((node.asname or node.name).split(".")[0])
    return found
