"""Draw cells: write real source of the packages into notebook cells, never by hand."""

import ast
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from pathlib import Path

from nbformat import NotebookNode

from bookkit.book.errors import BookError
from bookkit.book.files import DOCUMENTED, defined_names
from bookkit.book.notebooks import cell_name


class DrawError(BookError):
    """A reference that names no source, and what to do about it."""


def drawn_source(reference: str) -> str:
    """Return an object's source, or a whole file, as a cell shows it.

    Of an object the first line names the file; docstrings are cut to their first line;
    comments stay, decorators that check arguments do not. A whole file is shown as it
    is. The file is read from disk, the module is never imported.

    Args:
        reference: `package.module:Object` or `package.module:Class.method`, or
            `package.module` for the whole file.

    Raises:
        DrawError: The module or the object does not exist.
    """
    module, colon, name = reference.partition(":")
    if not module or (colon and not name):
        raise DrawError(
            "A drawn cell names its source as 'package.module:Object', or a whole file "
            f"as 'package.module', not {reference!r}; mend the cell's metadata 'draw'."
        )
    path = _module_file(module)
    text = path.read_text(encoding="utf-8")
    if not name:
        _parsed(path, text)
        return text.removesuffix("\n")
    lines = text.split("\n")
    node = _find_object(_parsed(path, text), module, name)
    depth = len(module.split(".")) - (path.name != "__init__.py")
    place = path.relative_to(path.parents[depth])
    margin = " " * node.col_offset
    body = [line.removeprefix(margin) for line in _source_lines(lines, node)]
    return "\n".join([f"# {place.as_posix()}", *body])


def _module_file(module: str) -> Path:
    """Find a module's file without importing anything above it."""
    top, *rest = module.split(".")
    spec = _top_level(top)
    name = top
    for part in rest:
        folders = spec.submodule_search_locations if spec else None
        name = f"{name}.{part}"
        spec = PathFinder.find_spec(name, folders) if folders else None
    if spec is None or not spec.has_location or not spec.origin.endswith(".py"):
        raise DrawError(
            f"The module {module!r} must exist to be drawn from, and does not; it was "
            "renamed or moved: write its new name into the cell's metadata 'draw'."
        )
    return Path(spec.origin)


def _top_level(name: str) -> ModuleSpec | None:
    """Look up a top-level module; a name that cannot be one is simply not found."""
    try:
        return find_spec(name)
    except (ImportError, ValueError):
        return None


def _parsed(path: Path, text: str) -> ast.Module:
    """Parse a source file; one that is no Python is an error that says where."""
    try:
        return ast.parse(text)
    except SyntaxError as error:
        raise DrawError(
            f"{path.name} must be valid Python to be drawn from, and line "
            f"{error.lineno} is not ({error.msg}); mend it."
        ) from None


def _find_object(tree: ast.Module, module: str, dotted: str) -> ast.stmt:
    """Find a class, function or assignment by its dotted name."""
    scope: ast.AST = tree
    for part in dotted.split("."):
        body = getattr(scope, "body", [])
        found = [node for node in body if part in defined_names(node)]
        if not found:
            known = ", ".join(name for node in body for name in defined_names(node))
            raise DrawError(
                f"{module!r} must define {dotted!r}, and does not; it was renamed or "
                "moved: write its new name into the cell's metadata 'draw'. There is: "
                f"{known or 'nothing'}."
            )
        scope = found[-1]
    return scope


def _source_lines(lines: list[str], node: ast.stmt) -> list[str]:
    """Take the lines of a definition, with short docstrings and without its doors."""
    decorators = [d for d in getattr(node, "decorator_list", []) if not _is_door(d)]
    first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
    lines = list(lines)
    last = node.end_lineno
    for docstring in reversed(_docstrings(node)):
        last -= _shorten(lines, docstring)
    return lines[first - 1 : last]


def _is_door(decorator: ast.expr) -> bool:
    """Return whether a decorator only checks arguments; such stand above all others."""
    called = getattr(decorator, "func", None)
    return isinstance(called, ast.Name) and called.id in ("door", "doors")


def _docstrings(node: ast.stmt) -> list[ast.Expr]:
    """List the docstring statements of a definition and of all inside it, in order."""
    owners = [child for child in ast.walk(node) if isinstance(child, DOCUMENTED)]
    found = [owner.body[0] for owner in owners if ast.get_docstring(owner, clean=False)]
    return sorted(found, key=lambda statement: statement.lineno)


def _shorten(lines: list[str], docstring: ast.Expr) -> int:
    """Cut one docstring to its first line, in place; return how many lines went."""
    start, end = docstring.lineno - 1, docstring.end_lineno - 1
    if start == end:
        return 0
    before = lines[start].encode()[: docstring.col_offset].decode()
    after = lines[end].encode()[docstring.end_col_offset :].decode()
    summary = ast.literal_eval(docstring.value).strip().split("\n")[0].strip()
    prefix = "r" if "\\" in summary else ""
    space = " " if summary.endswith(('"', "\\")) else ""
    lines[start : end + 1] = [f'{before}{prefix}"""{summary}{space}"""{after}']
    return end - start


def draw_cells(notebook: NotebookNode, name: str) -> list[str]:
    """Refresh the drawn cells of a notebook, in place.

    Args:
        notebook: The notebook; only sources of its drawn cells change.
        name: What to call the notebook in messages.

    Returns:
        A sentence for each cell that differed from its source.
    """
    stale = []
    for index, cell in enumerate(notebook.cells):
        if (reference := cell.metadata.get("draw")) is None:
            continue
        place = f"{name}, {cell_name(notebook, index)}"
        if cell.cell_type != "code":
            raise DrawError(f"{place}: only a code cell can be drawn; change its type.")
        try:
            source = drawn_source(str(reference))
        except DrawError as error:
            raise DrawError(f"{place}, {reference}: {error}") from None
        if cell.source != source:
            stale.append(f"{place} is drawn from {reference}, which has changed")
            cell.source = source
    return stale
