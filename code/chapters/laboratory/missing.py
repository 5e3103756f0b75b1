"""Let a chapter go on where a reader lacks a package or a file."""

from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")


def unless_missing(find: Callable[[], Found], *errors: type[Exception]) -> Found | None:
    """Return what is found, or None where it is missing: a sentence says what is.

    Args:
        find: Finds it, or raises an error that says what to do.
        errors: Those that mean that it is missing.
    """
    try:
        return find()
    except errors as error:
        print(f"We go on without it: {error}")
        return None
