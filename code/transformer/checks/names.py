"""Names: which there are in a room, and which one was meant.

The command line asks too, before anything large is imported.
"""

from collections.abc import Callable, Collection
from difflib import get_close_matches

# What others call the same; similar spellings are found without.
OTHER_NAMES = {"rope": "rotary"}


def meant(value: object, names: Collection[object]) -> str:
    """Return the question whether a similar name was meant, or nothing."""
    known = [name for name in names if isinstance(name, str)]
    word = str(value)
    longer = [name for name in known if name.startswith(f"{word}_")]
    close = longer or get_close_matches(OTHER_NAMES.get(word, word), known, n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


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
