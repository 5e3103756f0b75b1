"""Find the chapters that import a module of theirs, or another that imports it."""

from collections.abc import Collection, Iterable
from pathlib import Path, PurePosixPath

from bookkit.book.cells import code_cells
from bookkit.book.notebooks import chapters, read_notebook
from bookkit.book.source import parse_code
from bookkit.publishing.maps.chapters import as_python
from bookkit.publishing.maps.package import Package, bindings


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
