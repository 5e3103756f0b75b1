"""The known name that was probably meant."""

from collections.abc import Iterable
from difflib import get_close_matches


def nearest_to(name: str, known: Iterable[str]) -> str:
    """Name the known word that looks most like one, if any does."""
    close = get_close_matches(name, sorted(known), n=1)
    return f" (the nearest is {close[0]})" if close else ""
