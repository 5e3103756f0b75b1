"""Find the chapters whose outputs rest on what has changed since a commit.

A chapter rests on an object, which may be a mere value, if a cell of it names the
object, or another that works with it, through any number of steps. It rests on a file
of the chapters if a cell imports it, or another that imports it.
"""

import ast
from collections.abc import Collection, Iterable
from pathlib import Path, PurePosixPath

from bookkit.book.cells import code_cells
from bookkit.book.dates import ask_git
from bookkit.book.errors import BookError
from bookkit.book.notebooks import chapters, contents, read_notebook
from bookkit.book.source import parse_code
from bookkit.publishing.maps.atlas import Atlas, read_atlas
from bookkit.publishing.maps.changes import (
    changed_files,
    changed_objects,
    says_the_same,
)
from bookkit.publishing.maps.chapters import as_python, used
from bookkit.publishing.maps.package import PACKAGE, Module, Package, bindings

HEAD = "HEAD"


def resting_pages(root: Path, start: str) -> set[str]:
    """Find the pages that rest on code that computes something else since a commit."""
    changed, files = changed_objects(root, start), changed_files(root, start)
    if not changed and not files:
        return set()
    atlas = read_atlas(root)
    above = dependents(atlas.package)
    pages = importing_pages(changed_modules(files, atlas.package), atlas.package, root)
    for address in changed:
        if not says_the_same(address, root, start):
            pages |= _resting(address, atlas, above)
    return pages


def where_it_left(root: Path, base: str) -> str:
    """Return the commit at which this branch left another; none without commits.

    Raises:
        BookError: There is no such commit or branch.
    """
    start = ask_git(root, "merge-base", base, HEAD)
    if not start and base != HEAD:
        raise BookError(
            f"BASE must be a commit or a branch that this one left, got {base}; try: "
            "make test CHANGED=1 BASE=main"
        )
    return start.strip()


def in_order(pages: set[str], root: Path) -> list[str]:
    """List the notebooks of pages, in the order of the book."""
    ordered = [name for name in contents(root) if name.removeprefix("book/") in pages]
    return [f"{name}.ipynb" for name in ordered]


def dependents(package: Package) -> dict[str, set[str]]:
    """Map each object of the package to those whose code names it."""
    found: dict[str, set[str]] = {}
    for module in package.modules.values():
        if module.name.startswith(f"{PACKAGE}."):
            for name, body in (module.bodies | module.values).items():
                for address in _named(body, module, package):
                    found.setdefault(address, set()).add(f"{module.name}:{name}")
    return found


def _named(body: ast.stmt, module: Module, package: Package) -> set[str]:
    """List the objects that the code of another names."""
    own = {n: f"{module.name}.{n}" for n in (*module.bodies, *module.values)}
    return used(body, package, own | module.bindings)


def _own(address: str, atlas: Atlas) -> list[str]:
    """List an object and its parts, as far as chapters name them."""
    return [a for a in atlas.places if a == address or a.startswith(f"{address}.")]


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


def changed_modules(files: Iterable[str], package: Package) -> list[str]:
    """List the modules of some files below `code`, in order.

    A file that is no module, such as a script or a table, stands for all in its folder.
    """
    found = set()
    for file in map(PurePosixPath, files):
        name = ".".join(file.with_suffix("").parts[1:]).removesuffix(".__init__")
        if name not in package.modules:
            name = ".".join(file.parts[1:-1])
        found |= {m for m in package.modules if f"{m}.".startswith(f"{name}.")}
    return sorted(found)


def importing_pages(modules: Collection[str], package: Package, root: Path) -> set[str]:
    """Collect the chapters with a cell that imports one of some modules.

    The answers of a chapter are found by its name, which is that of their folder.
    """
    needed, more = set(), {*modules}
    while more:
        needed |= more
        more = {
            module.name
            for module in package.modules.values()
            if module.name not in needed and _imports(module.bindings.values(), needed)
        }
    answered = {m.split(".")[1] for m in needed if m.endswith(".answers")}
    return {
        path.relative_to(root / "book").with_suffix("").as_posix()
        for path in chapters(root)
        for _, cell in code_cells(read_notebook(path))
        if path.stem in answered
        or (
            (tree := parse_code(as_python(cell.source))) is not None
            and _imports(bindings(tree).values(), needed)
        )
    }


def _imports(sources: Iterable[str], modules: set[str]) -> bool:
    """Return whether a name comes from one of some modules, or is one."""
    return any({source, source.rpartition(".")[0]} & modules for source in sources)
