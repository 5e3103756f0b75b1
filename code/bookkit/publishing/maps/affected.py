"""Say which chapters show or rest on what has changed since the last commit.

A chapter rests on an object if a cell of it names the object, or another that works
with it, through any number of steps.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from bookkit.book.dates import ask_git
from bookkit.publishing.maps.atlas import Atlas, read_atlas
from bookkit.publishing.maps.package import PACKAGE, Module, Package
from bookkit.publishing.maps.usage import used

_FILE = re.compile(r"^\+\+\+ b/code/(\S+)\.py$")
_LINES = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@")


def affected(root: Path) -> list[str]:
    """Return a sentence for each changed object of the package that a chapter needs."""
    difference = ask_git(root, "diff", "--unified=0", "HEAD", "--", f"code/{PACKAGE}")
    changed = changed_objects(difference, root)
    if not changed:
        return []
    atlas = read_atlas(root)
    above = dependents(atlas.package)
    return [
        sentence
        for address in changed
        if (sentence := _sentence(address, atlas, above))
    ]


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


def _sentence(address: str, atlas: Atlas, above: dict[str, set[str]]) -> str:
    """Say which chapters show an object, and which rest on it."""
    open_, reached = [address], set()
    while open_:
        current = open_.pop()
        if current not in reached:
            reached.add(current)
            open_ += above.get(current, ())
    own = [a for a in atlas.places if a == address or a.startswith(f"{address}.")]
    shown = {p.page for a in own for p in atlas.places[a] if p.drawn}
    resting = {p.page for a in {*reached, *own} for p in atlas.places.get(a, ())}
    said = [f"{address} has changed"]
    if shown:
        said.append(f"shown in {_pages(shown)} (run `make draw`)")
    if resting - shown:
        said.append(f"used directly or through others in {_pages(resting - shown)}")
    return "; ".join(said) + "." if resting else ""


def _pages(names: set[str]) -> str:
    return ", ".join(f"book/{name}.ipynb" for name in sorted(names))
