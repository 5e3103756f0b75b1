"""Find the chapters whose outputs rest on what has changed since a commit.

A chapter rests on an object of the package, which may be a mere value, if a cell of it
names the object, or another that works with it, through any number of steps. It rests
on a file of the chapters if a cell imports it, or another that imports it. A file whose
words alone have changed counts as the same.
"""

import ast
from collections.abc import Collection, Iterable
from pathlib import Path, PurePosixPath

from bookkit.book.cells import code_cells
from bookkit.book.errors import BookError
from bookkit.book.files import DOCUMENTED, ask_git, parse_code, parse_file
from bookkit.book.notebooks import chapters, contents, read_notebook
from bookkit.publishing.maps.atlas import Atlas, read_atlas
from bookkit.publishing.maps.chapters import as_python, used
from bookkit.publishing.maps.package import PACKAGE, Module, Package, bindings

HEAD = "HEAD"
WORDED = (ast.Module, *DOCUMENTED)


def resting_pages(root: Path, start: str, files: Iterable[str]) -> set[str]:
    """Find the pages that rest on files which compute something else since a commit.

    Args:
        root: The root of the book.
        start: The commit.
        files: The files that differ from it.
    """
    names = {module_of(f): f for f in files if f.startswith("code/")}
    if not names:
        return set()
    atlas = read_atlas(root)
    known = atlas.package.modules
    changed = {m for m in names if m in known and not same_code(names[m], root, start)}
    package = {m for m in changed if f"{m}.".startswith(f"{PACKAGE}.")}
    pages = importing_pages(changed - package, atlas.package, root)
    return pages | _resting(package, atlas)


def module_of(file: str) -> str:
    """Name the module of a file below `code`."""
    name = ".".join(PurePosixPath(file).with_suffix("").parts[1:])
    return name.removesuffix(".__init__")


def same_code(file: str, root: Path, start: str) -> bool:
    """Return whether a file computes what it did: only its words have changed."""
    before = parse_code(ask_git(root, "show", f"{start}:{file}"))
    return before is not None and _code_of(before) == _code_of(
        parse_file(root / file, root)
    )


def _code_of(tree: ast.Module) -> str:
    """Return the code of a module without comments, docstrings and places."""
    for node in ast.walk(tree):
        if isinstance(node, WORDED) and ast.get_docstring(node):
            node.body = node.body[1:]
    return ast.dump(tree)


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


def _resting(modules: Collection[str], atlas: Atlas) -> set[str]:
    """Collect the chapters that work with objects of modules, or with what does."""
    above, reached = dependents(atlas.package), set()
    open_ = [a for a in atlas.places if a.partition(":")[0] in modules]
    open_ += [a for a in above if a.partition(":")[0] in modules]
    while open_:
        current = open_.pop()
        if current not in reached:
            reached.add(current)
            open_ += above.get(current, ())
    return {place.page for a in reached for place in atlas.places.get(a, ())}


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
