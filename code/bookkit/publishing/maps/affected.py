"""Say which chapters show or rest on what has changed since the last commit.

A chapter rests on an object if a cell of it names the object, or another that works
with it, through any number of steps. It rests on a file of the chapters if a cell
imports it, or another that imports it.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from bookkit.book.dates import ask_git
from bookkit.book.files import file_of
from bookkit.book.notebooks import contents
from bookkit.publishing.maps.atlas import Atlas, read_atlas
from bookkit.publishing.maps.importers import changed_modules, importing_pages
from bookkit.publishing.maps.package import PACKAGE, Module, Package
from bookkit.publishing.maps.usage import used
from bookkit.writing.draw import stale_cells

_FILE = re.compile(r"^\+\+\+ b/code/(\S+)\.py$")
_LINES = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@")
_WITH_DOCSTRING = (ast.FunctionDef, ast.ClassDef)
CHAPTERS = "code/chapters/"
NOTHING = "No code that a chapter shows or rests on has changed."


def affected(root: Path) -> list[str]:
    """Say what has changed in the code, for whom that matters, and what to run.

    Returns:
        Lines: the objects and files; the chapters that show one; the others whose
        outputs rest on one, all in the order of the book; and the next command. One
        line says so if no chapter needs what changed.
    """
    difference = ask_git(root, "diff", "--unified=0", "HEAD", "--", f"code/{PACKAGE}")
    changed = changed_objects(difference, root)
    files = ask_git(root, "diff", "--name-only", "HEAD", "--", CHAPTERS).splitlines()
    if not changed and not files:
        return [NOTHING]
    atlas = read_atlas(root)
    modules = changed_modules(files, atlas.package)
    above = dependents(atlas.package)
    shown = set().union(*(_showing(address, atlas) for address in changed))
    worded = {address for address in changed if _says_the_same(address, root)}
    computing = set(changed) - worded
    resting = set().union(*(_resting(address, atlas, above) for address in computing))
    resting |= importing_pages(modules, atlas.package, root)
    if not shown | resting | worded:
        return [NOTHING]
    return [
        *(
            f"{address} has changed{' in its words only' * (address in worded)}."
            for address in changed
        ),
        *(f"{file} has changed." for file in files),
        *_listed("Its code is shown in:", shown, root),
        *_listed("The outputs of these rest on it:", resting - shown, root),
        f"Next: {_next_command(shown, resting, stale=bool(stale_cells(root)))}",
    ]


def _listed(heading: str, pages: set[str], root: Path) -> list[str]:
    """List pages below a heading, in the order of the book."""
    ordered = [name for name in contents(root) if name.removeprefix("book/") in pages]
    return [heading, *(f"  {name}.ipynb" for name in ordered)] if ordered else []


def _next_command(shown: set[str], resting: set[str], *, stale: bool) -> str:
    """Return the command that renews what is shown and compares what is printed.

    What is shown needs nothing any more once it has been drawn.
    """
    draw = "draw " * (stale and bool(shown))
    match [*(shown | resting)]:
        case [*_] if not resting:  # only words have changed, which some pages quote
            return f"make {draw}appendix book"
        case [page]:
            return f"make {draw}check NOTEBOOK=book/{page}.ipynb"
        case _:
            return f"make {draw}notebooks"


def changed_objects(difference: str, root: Path) -> list[str]:
    """List the classes and functions that changed, as `package.module:Object`.

    Args:
        difference: What git says of the changes, without lines around them.
        root: The root of the book, whose files hold the new lines.
    """
    found: dict[str, None] = {}
    for name, lines in _changed_lines(difference):
        path = root / "code" / f"{name}.py"
        module = name.removesuffix("/__init__").replace("/", ".")
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                starts = [node.lineno, *(d.lineno for d in node.decorator_list)]
                if lines.intersection(range(min(starts), node.end_lineno + 1)):
                    found[f"{module}:{node.name}"] = None
    return list(found)


def _says_the_same(address: str, root: Path) -> bool:
    """Return whether an object computes what it did: only its words have changed."""
    module, _, name = address.partition(":")
    path = file_of(module, root / "code")
    before = ask_git(root, "show", f"HEAD:{path.relative_to(root).as_posix()}")
    return _code_of(name, before) == _code_of(name, path.read_text("utf-8"))


def _code_of(name: str, text: str) -> str:
    """Return an object of a module without comments, docstrings and places."""
    for node in ast.parse(text).body:
        if getattr(node, "name", None) == name:
            for inner in ast.walk(node):
                if isinstance(inner, _WITH_DOCSTRING) and ast.get_docstring(inner):
                    inner.body = inner.body[1:]
            return ast.dump(node)
    return ""


def _changed_lines(difference: str) -> Iterator[tuple[str, set[int]]]:
    """Yield each changed file with the lines that are new, or follow removed ones."""
    name, lines = "", set()
    for line in [*difference.splitlines(), "+++ end"]:
        if line.startswith("+++ "):
            if name and lines:
                yield name, lines
            match = _FILE.match(line)
            name, lines = match[1] if match else "", set()
        elif match := _LINES.match(line):
            start, count = int(match[1]), int(match[2] or 1)
            lines |= set(range(start, start + max(count, 1)))


def dependents(package: Package) -> dict[str, set[str]]:
    """Map each object of the package to those whose code names it."""
    found: dict[str, set[str]] = {}
    for module in package.modules.values():
        if module.name.startswith(f"{PACKAGE}."):
            for name, body in module.bodies.items():
                for address in _named(body, module, package):
                    found.setdefault(address, set()).add(f"{module.name}:{name}")
    return found


def _named(body: ast.stmt, module: Module, package: Package) -> set[str]:
    """List the objects that the code of another names."""
    own = {name: f"{module.name}.{name}" for name in module.bodies}
    return used(body, package, own | module.bindings)


def _own(address: str, atlas: Atlas) -> list[str]:
    """List an object and its parts, as far as chapters name them."""
    return [a for a in atlas.places if a == address or a.startswith(f"{address}.")]


def _showing(address: str, atlas: Atlas) -> set[str]:
    """Collect the chapters that show the code of an object."""
    own = _own(address, atlas)
    return {place.page for a in own for place in atlas.places[a] if place.drawn}


def _resting(address: str, atlas: Atlas, above: dict[str, set[str]]) -> set[str]:
    """Collect the chapters that work with an object, or with what works with it."""
    open_, reached = [address], set()
    while open_:
        current = open_.pop()
        if current not in reached:
            reached.add(current)
            open_ += above.get(current, ())
    needed = {*reached, *_own(address, atlas)}
    return {place.page for a in needed for place in atlas.places.get(a, ())}
