"""Find the blanks between the columns of a printed table that a phone can spare.

Where all rows have a gap at the same places, one blank parts their columns as well as
three do. Two words beside one another keep two, or they would be read as one.
"""

from itertools import groupby

from bookkit.publishing.cuts import ROOM, find_blanks

Spare = frozenset[int]
KEPT = 3, 2, 1  # blanks of a gap: as many as there is room for


def find_spare(rows: list[str], room: int = ROOM) -> Spare | None:
    """Find the places of the blanks without which all rows of a table have room."""
    if all(len(row) <= room for row in rows):
        return frozenset()
    for kept in KEPT:
        spare = find_wide(rows, kept)
        if all(
            len(row) - len([p for p in spare if p < len(row)]) <= room for row in rows
        ):
            return spare
    return None


def find_wide(rows: list[str], kept: int) -> Spare:
    """Find the blanks that all rows have between columns, but for a few to be kept."""
    spare: list[int] = []
    for is_blank, run in groupby(
        enumerate(find_blanks(rows)), key=lambda part: part[1]
    ):
        if is_blank:
            places = [place for place, _ in run]
            are_words = any(parts_words(row, places[0], places[-1] + 1) for row in rows)
            spare += places[2 if are_words else kept :]
    return frozenset(spare)


def parts_words(row: str, start: int, end: int) -> bool:
    """Return whether a row has letters on both sides of a gap."""
    return row[max(0, start - 1) : start].isalpha() and row[end : end + 1].isalpha()
