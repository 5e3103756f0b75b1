"""Find the objects of the package that a piece of code works with."""

import ast
import functools

from bookkit.publishing.maps.package import PACKAGE, Package


def used(tree: ast.AST, package: Package, bound: dict[str, str]) -> set[str]:
    """List the addresses of the objects of the package that code names."""
    found = set()
    for name in _named(tree):
        top, _, rest = name.partition(".")
        if top in bound:
            found |= _meanings(package, f"{bound[top]}.{rest}".rstrip("."))
    return found


def reached(address: str, package: Package) -> set[str]:
    """List the objects of the package that an object of the chapters works with.

    An object of the package itself works with itself.
    """
    found, open_, seen = set(), [address], set()
    while open_:
        current = open_.pop()
        if current.startswith(f"{PACKAGE}."):
            found.add(current)
        elif current not in seen:
            seen.add(current)
            open_ += _used_by(current, package)
    return found


@functools.cache
def _used_by(address: str, package: Package) -> set[str]:
    """List the objects that the body of an object names."""
    module = package.modules[address.partition(":")[0]]
    body = module.bodies.get(address.partition(":")[2])
    own = {name: f"{module.name}.{name}" for name in module.bodies}
    return used(body, package, own | module.bindings) if body else set()


@functools.cache
def _named(tree: ast.AST) -> frozenset[str]:
    """Collect the names and the chains of attributes in a piece of code."""
    return frozenset({_dotted(node) for node in ast.walk(tree)} - {""})


def _meanings(package: Package, dotted: str) -> set[str]:
    """Return the address of a dotted name and of the class it belongs to."""
    parts = dotted.split(".")
    starts = [".".join(parts[: end + 1]) for end in range(len(parts))]
    return {address for start in starts if (address := package.resolve(start))}


def _dotted(node: ast.AST) -> str:
    """Write a name or a chain of attributes with dots; anything else is empty."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (start := _dotted(node.value)):
        return f"{start}.{node.attr}"
    return ""
