"""Names of a room: which there are, and which one was meant."""

from collections.abc import Callable, Collection

from transformer.checks.values import meant


def room(
    module: str, names: Collection[str]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return the `__getattr__` and the `__dir__` of a room.

    Args:
        module: The name of the room.
        names: What it exports.
    """

    def missing(name: str) -> object:
        raise AttributeError(no_such_name(module, name, names))

    return missing, lambda: sorted(names)


def no_such_name(module: str, name: str, names: Collection[str]) -> str:
    """Return the sentence for a name that a module does not have."""
    said = f"module {module!r} has no attribute {name!r}"
    if name.startswith("_"):  # asked for by Python and its tools
        return said
    return f"{said}{meant(name, names)}; dir({module}) lists what there is."
