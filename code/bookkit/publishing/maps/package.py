"""Read the package as text: its rooms, what they export, what each object is.

Nothing is imported, so a page that needs this is built without PyTorch.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from bookkit.book.files import DOCUMENTED, defined_names, parse_file

PACKAGE = "transformer"
READ = (PACKAGE, "chapters")
# In the order in which the book needs them.
ROOMS = (
    "layers",
    "blocks",
    "models",
    "costs",
    "data",
    "training",
    "decoding",
    "zoo",
    "commands",
)
_FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Thing:
    """An object that the package defines: a class, a function, a method, a table."""

    module: str
    name: str
    kind: str
    doc: str = ""

    @property
    def address(self) -> str:
        """Name the object as drawn cells do, `package.module:Object`."""
        return f"{self.module}:{self.name}"

    @property
    def is_public(self) -> bool:
        """Return whether no part of its name starts with an underscore."""
        return not any(part.startswith("_") for part in self.name.split("."))


@dataclass
class Module:
    """A module as text: what it defines, and where it has its other names from."""

    name: str
    doc: str
    things: dict[str, Thing]
    bindings: dict[str, str]
    bodies: dict[str, ast.stmt]
    values: dict[str, ast.stmt]
    exports: list[str] = field(default_factory=list)


class Package:
    """The packages `transformer` and `chapters`, read from their files."""

    def __init__(self, source: Path) -> None:
        """Remember where the packages are."""
        self._source = source

    @cached_property
    def modules(self) -> dict[str, Module]:
        """Map each name to its module."""
        files = sorted(p for name in READ for p in (self._source / name).rglob("*.py"))
        names = {_module_name(path, self._source): path for path in files}
        return {name: _read(path, name, self._source) for name, path in names.items()}

    @cached_property
    def things(self) -> dict[str, Thing]:
        """Map each address to its object."""
        found = [t for m in self.modules.values() for t in m.things.values()]
        return {thing.address: thing for thing in found}

    @cached_property
    def exports(self) -> dict[str, Thing]:
        """Map each exported name, such as `transformer.layers.RMSNorm`, to its object.

        The configuration stands in a module of its own and counts as a room.
        """
        names = [f"{PACKAGE}.config.TransformerConfig"]
        for room in ROOMS:
            module = self.modules[f"{PACKAGE}.{room}"]
            names += [f"{module.name}.{name}" for name in module.exports]
        return {name: self.things[self.resolve(name)] for name in names}

    @cached_property
    def _exported(self) -> dict[str, str]:
        """Map the address of each exported object to its exported name."""
        return {thing.address: name for name, thing in self.exports.items()}

    def public_name(self, address: str) -> str:
        """Return the name under which readers import an object."""
        module, _, name = address.partition(":")
        owner, _, method = name.rpartition(".")
        if owner:
            return f"{self.public_name(f'{module}:{owner}')}.{method}"
        return self._exported.get(address, f"{module}.{name}")

    def resolve(self, dotted: str) -> str | None:
        """Return the address of what a dotted name means, if the package defines it."""
        parts = dotted.split(".")
        for cut in range(len(parts) - 1, 0, -1):
            module = self.modules.get(".".join(parts[:cut]))
            if module is None:
                continue
            if (name := ".".join(parts[cut:])) in module.things:
                return module.things[name].address
            source = module.bindings.get(parts[cut])
            # A package that binds its own module: the module itself is no object.
            if source and source != ".".join(parts[: cut + 1]):
                rest = parts[cut + 1 :]
                return self.resolve(".".join([source, *rest]))
            return None
        return None


def _module_name(path: Path, source: Path) -> str:
    """Return the name under which Python imports a file."""
    parts = list(path.relative_to(source).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _read(path: Path, name: str, source: Path) -> Module:
    """Read one module."""
    tree = parse_file(path, source.parent)
    things = {thing.name: thing for thing in _things(tree, name)}
    defined = {name: node for node in tree.body for name in defined_names(node)}
    bodies = {n: node for n, node in defined.items() if isinstance(node, DOCUMENTED)}
    values = {n: node for n, node in defined.items() if n not in bodies}
    doc = ast.get_docstring(tree) or ""
    module = Module(name, doc, things, bindings(tree), bodies, values)
    for node in tree.body:
        if defined_names(node) == ["__all__"]:
            module.exports = ast.literal_eval(node.value)
    return module


def _things(tree: ast.Module, module: str) -> Iterator[Thing]:
    """Yield what a module defines, methods included."""
    for node in tree.body:
        if isinstance(node, _FUNCTIONS):
            yield Thing(module, node.name, "function", ast.get_docstring(node) or "")
        elif isinstance(node, ast.ClassDef):
            yield Thing(module, node.name, "class", ast.get_docstring(node) or "")
            for child in node.body:
                if isinstance(child, _FUNCTIONS):
                    doc = ast.get_docstring(child) or ""
                    yield Thing(module, f"{node.name}.{child.name}", "method", doc)
        else:
            for name in defined_names(node):
                yield Thing(module, name, "data", _described(node.value))


def _described(value: ast.expr | None) -> str:
    """Describe in a few words what a constant holds."""
    if isinstance(value, ast.Constant):
        return f"The constant `{ast.unparse(value)}`."
    if isinstance(value, ast.Dict | ast.DictComp):
        return "A table of names and what they stand for."
    return "A constant."


def bindings(tree: ast.AST) -> dict[str, str]:
    """Map the names that imports bind to the dotted names of what they mean."""
    bound = {}
    for node in _statements(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                bound[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        elif isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                bound[alias.asname or top] = alias.name if alias.asname else top
    return bound


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what stands in a node, and in that: expressions hold no statements."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.expr):
            yield child
            yield from _statements(child)
