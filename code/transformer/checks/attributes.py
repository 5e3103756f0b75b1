"""Attributes that are not there: what to write instead, or which one was meant."""

from collections.abc import Collection, Mapping
from typing import NoReturn

from transformer.checks.names import meant


def missing_attribute(
    owner: object, name: str, instead: Mapping[str, str], known: Collection[str] = ()
) -> AttributeError:
    """Return the error for an attribute that an object does not have.

    Args:
        owner: The object.
        name: What was asked for.
        instead: What to write instead of names that others use.
        known: What may be meant otherwise.
    """
    said = f"{type(owner).__name__!r} object has no attribute {name!r}"
    if name in instead:
        said += f"; write {instead[name]}."
    elif not name.startswith("_"):  # Python and its tools ask for these
        said += meant(name, known)
    # Where it is given an object, Python adds a guess of its own.
    return AttributeError(said, obj=None)


class OfTheClass:
    """A method that a class does not have, and what to write instead.

    To `hasattr` it is not there.

    Args:
        instead: What to write; `{}` is the name of the class.
        why: Why it is not there, if that helps.
    """

    def __init__(self, instead: str, why: str = "") -> None:
        self.instead, self.why = instead, why

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, owner: object, kind: type) -> NoReturn:
        raise AttributeError(
            f"{kind.__name__} has no attribute {self.name!r}{self.why}; write "
            f"{self.instead.format(kind.__name__)}.",
            obj=None,
        )
