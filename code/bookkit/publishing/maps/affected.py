"""Say which chapters show or rest on what has changed since a commit.

A chapter rests on an object, which may be a mere value, if a cell of it names the
object, or another that works with it, through any number of steps. It rests on a file
of the chapters if a cell imports it, or another that imports it.
"""

import ast
from dataclasses import dataclass
from pathlib import Path

from bookkit.book.dates import ask_git
from bookkit.book.errors import BookError
from bookkit.book.notebooks import contents
from bookkit.publishing.maps.atlas import Atlas, read_atlas
from bookkit.publishing.maps.changes import (
    changed_files,
    changed_objects,
    says_the_same,
)
from bookkit.publishing.maps.importers import changed_modules, importing_pages
from bookkit.publishing.maps.package import PACKAGE, Module, Package
from bookkit.publishing.maps.usage import used
from bookkit.writing.draw import stale_cells

HEAD = "HEAD"
NOTHING = "No code that a chapter shows or rests on has changed."
UNKNOWN = "There is no commit to compare with, so what has changed cannot be said."


@dataclass(frozen=True, kw_only=True)
class Concerned:
    """What has changed in the code since a commit, and the chapters it matters to.

    Args:
        changed: The objects of the package, as `package.module:Object`.
        worded: Those of them that compute what they did.
        files: The files of the chapters.
        shown: The pages that show the code of an object.
        resting: Those whose outputs rest on one, or on a file.
    """

    changed: list[str]
    worded: set[str]
    files: list[str]
    shown: set[str]
    resting: set[str]

    @property
    def computing(self) -> set[str]:
        """The objects that may compute something else."""
        return set(self.changed) - self.worded


def concerned(root: Path, start: str) -> Concerned:
    """Find what has changed in the code since a commit, and for whom that matters."""
    changed, files = changed_objects(root, start), changed_files(root, start)
    if not changed and not files:
        return Concerned(changed=[], worded=set(), files=[], shown=set(), resting=set())
    atlas = read_atlas(root)
    above = dependents(atlas.package)
    worded = {address for address in changed if says_the_same(address, root, start)}
    resting = importing_pages(
        changed_modules(files, atlas.package), atlas.package, root
    )
    for address in set(changed) - worded:
        resting |= _resting(address, atlas, above)
    shown = set().union(*(_showing(address, atlas) for address in changed))
    return Concerned(
        changed=changed, worded=worded, files=files, shown=shown, resting=resting
    )


def affected(root: Path, base: str = HEAD) -> list[str]:
    """Say what has changed in the code, for whom that matters, and what to run.

    Args:
        root: The root of the book.
        base: A commit: what this branch has changed since it left that one counts.

    Returns:
        Lines: the objects and files; the chapters that show one; the others whose
        outputs rest on one, all in the order of the book; the tests of what changed;
        and the next command. One line says so if no chapter needs what changed.
    """
    if not (start := where_it_left(root, base)):
        return [UNKNOWN]
    found = concerned(root, start)
    if not found.shown | found.resting | found.worded:
        return [NOTHING]
    shown, resting = in_order(found.shown, root), in_order(found.resting, root)
    told = [
        f"{a} has changed{' in its words only' * (a in found.worded)}."
        for a in found.changed
    ]
    return [
        *told,
        *(f"{file} has changed." for file in found.files),
        *_listed("Its code is shown in:", shown),
        *_listed(
            "The outputs of these rest on it:", [n for n in resting if n not in shown]
        ),
        *(f"Its tests: {c}" for c in _tests(found.computing, found.files, root)),
        f"Next: {_next_command(shown, resting, stale=bool(stale_cells(root)))}",
    ]


def where_it_left(root: Path, base: str) -> str:
    """Return the commit at which this branch left another; none without commits.

    Raises:
        BookError: There is no such commit or branch.
    """
    start = ask_git(root, "merge-base", base, HEAD)
    if not start and base != HEAD:
        raise BookError(
            f"BASE must be a commit or a branch that this one left, got {base}; try: "
            "make affected BASE=main"
        )
    return start.strip()


def in_order(pages: set[str], root: Path) -> list[str]:
    """List the notebooks of pages, in the order of the book."""
    ordered = [name for name in contents(root) if name.removeprefix("book/") in pages]
    return [f"{name}.ipynb" for name in ordered]


def _listed(heading: str, notebooks: list[str]) -> list[str]:
    """List notebooks below a heading."""
    return [heading, *(f"  {name}" for name in notebooks)] if notebooks else []


def _next_command(shown: list[str], resting: list[str], *, stale: bool) -> str:
    """Return the command that renews what is shown and compares what is printed.

    What is shown needs nothing any more once it has been drawn.

    Args:
        shown: The notebooks that show what changed.
        resting: All whose outputs rest on it, in the order of the book.
        stale: Whether a cell does not show the code as it is.
    """
    draw = "draw " * (stale and bool(shown))
    match resting:
        case []:  # only words have changed, which some pages quote
            return f"make {draw}appendix book"
        case [notebook]:
            return f"make {draw}check NOTEBOOK={notebook}"
        case _:
            return f'make {draw}notebooks NOTEBOOKS="{" ".join(resting)}"'


def _tests(computing: set[str], files: list[str], root: Path) -> list[str]:
    """List the commands that test the package and the folders of chapters' files."""
    folders = {Path("tests", *Path(file).parts[1:3]) for file in files}
    named = sorted(f.as_posix() for f in folders if (root / f).is_dir())
    return [
        *["make package-test"] * bool(computing),
        *[f".venv/bin/python -m pytest {' '.join(named)}"] * bool(named),
    ]


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
