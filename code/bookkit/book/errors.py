"""What a command of the book says when something is wrong: one sentence."""

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import PurePosixPath


class BookError(Exception):
    """What is wrong, where, and what to do about it."""


def nearest_to(name: str, known: Iterable[str]) -> str:
    """Name the known word that looks most like one, if any does."""
    close = get_close_matches(name, sorted(known), n=1)
    return f" (the nearest is {close[0]})" if close else ""


def nearest_path(path: str, known: Iterable[str]) -> str:
    """Name the known path whose file looks most like one, or else the nearest path."""
    files = {PurePosixPath(name).stem: name for name in known}
    close = get_close_matches(PurePosixPath(path).stem, sorted(files), n=1)
    return nearest_to(files[close[0]] if close else path, files.values())
