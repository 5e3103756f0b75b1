"""Find where the rows of a printed table go on below, on a narrow page.

A row is parted where its last columns begin, if they hold words, once or several times.
Columns of numbers stay side by side, all of them below the names of their rows. What
has no room even so is parted where all rows of a table have a blank.
"""

import re
from collections.abc import Callable
from itertools import pairwise
from statistics import multimode

# Letters that a phone shows side by side at the smallest size (book.css, epub.css).
ROOM = 46
INDENT = 2  # of the columns that stand below
MOST = 3  # places at which a row is parted
LONGER = 3  # letters by which a number may be longer than those above it
WORDS = re.compile(r"[^\W\d_]|±")
# Numbers at the end of a row, one blank apart: each with one in brackets or without, or
# each behind what it belongs to, as in "0.01: 1.38".
NUMBERS = re.compile(
    r"(?: +(?:nan|[-+]?[\d.,]*\d(?:-[\d.]+)?%?)(?: \([\d.,]+\))?){2,}$"
    r"|(?: +[\d.]+: [\d.]+,?){2,}$"
)
NUMBER = re.compile(r"(?:\d|nan)[%)]?$")
WORD = re.compile(r" +\S+")
GAP = re.compile(r" {2,}")
Places = tuple[int, ...]


def find_cuts(rows: list[str]) -> list[Places] | None:
    """Find the places where each of some rows goes on below, if there are any.

    Returns:
        For each row its places, none where it stays whole; None if a row that is too
        long has no such places.
    """
    alike = cut_alike(rows)
    return (
        (None if alike is None or parts_columns(rows, alike) else alike)
        or cut_behind_names(rows)
        or alike
        or cut_few(rows)
        or cut_where(rows, has_gap)
        or cut_before_words(rows)
        or cut_where(rows, has_blank)
        or cut_before_words(rows, most=MOST)
    )


def cut_alike(rows: list[str], most: int = 1) -> list[Places] | None:
    """Part the rows of one table before their last columns, all at the same places."""
    cut = find_cut(rows, most)
    return None if cut is None else [trim(row, cut) for row in rows]


def cut_few(rows: list[str]) -> list[Places] | None:
    """Part rows before their last columns, or once where those of a table may be."""
    often = cut_alike(rows, most=MOST)
    has_head = is_head(rows[0]) and not all(map(is_head, rows))
    once = cut_where(rows, has_blank) if often and has_head else None
    return once if once and max(map(len, once)) == 1 else often


def parts_columns(rows: list[str], cuts: list[Places]) -> bool:
    """Return whether the name of a column goes below, and its numbers stay."""
    places = {place for cut in cuts for place in cut}
    return any(
        row[place:].strip()
        for row, cut in zip(rows, cuts, strict=True)
        for place in places - {*cut}
    )


def trim(row: str, cut: Places) -> Places:
    """Return those of some places at which a row has a gap, and words behind."""
    return tuple(place for place in cut if is_cut(row, place, len(row)))


def cut_before_words(rows: list[str], most: int = 1) -> list[Places] | None:
    """Part rows before their last columns: those of a table at the same places.

    Args:
        rows: Rows of a table, or of several.
        most: How often a row may be parted.
    """
    cuts: list[Places] = []
    start = 0
    for end, row in enumerate(rows, start=1):
        cut = find_cut(rows[start:end], most)
        before = cuts[-1] if end - 1 > start else ()
        if cut is None or (before and cut and cut[0] < before[0] - LONGER):
            # Another table begins.
            start, cut = end - 1, find_cut([row], most)
        if cut is None:
            return None
        cuts[start:] = [cut] * (end - start)
    return [trim(row, cut) for row, cut in zip(rows, cuts, strict=True)]


def find_cut(rows: list[str], most: int, room: int = ROOM) -> Places | None:
    """Find the columns of some rows that have words, and room below the others.

    Returns:
        Where they begin, nowhere if no row is too long, and None if a row that is too
        long has no such columns at the same places.
    """
    too_long = [row for row in rows if len(row) > room]
    if not too_long or not most:
        return None if too_long else ()
    for place in range(max(map(len, too_long)) - 1, 1, -1):
        if all(is_cut(row, place, room) for row in too_long):
            others = find_cut([row[place:] for row in rows], most - 1, ROOM - INDENT)
            if others is not None:
                return (place, *(place + other for other in others))
    return None


def is_cut(row: str, place: int, room: int = ROOM) -> bool:
    """Return whether what a row has from a place on may stand below the rest."""
    left, right = row[:place], row[place:]
    kept = left.rstrip()
    is_gap = len(left) > len(kept) + 1 and not kept.endswith((",", "="))
    return is_gap and len(kept) <= room and bool(WORDS.search(right))


def cut_behind_names(rows: list[str]) -> list[Places] | None:
    """Part each row behind its name, so that the numbers stay below one another."""
    ends = find_names(rows)
    name = max((end for end in ends if end is not None), default=0)
    heads = [row for row, end in zip(rows, ends, strict=True) if end is None]
    if not 0 < name <= ROOM or any(is_word(head, name) for head in heads):
        return None
    starts = [
        find_start(row, name if end is None else end)
        for row, end in zip(rows, ends, strict=True)
    ]
    # Numbers that begin further left, behind a shorter name, stand in no line.
    place = min((start for start in starts if start >= name), default=name)
    cuts = [min(place, start) for start in starts]
    parted = list(zip(rows, cuts, strict=True))
    if any(len(row) - cut > ROOM - INDENT for row, cut in parted):
        return None
    return [(cut,) if cut < len(row) else () for row, cut in parted]


def find_names(rows: list[str]) -> list[int | None]:
    """Find where the name of each row ends, and the numbers begin, if it has some.

    A name may end in a number, which not most rows have, and so may those of columns.
    """
    found = [NUMBERS.search(row) for row in rows]
    words = [list(WORD.finditer(match[0])) if match else [] for match in found]
    usual = min(multimode(map(len, filter(None, words)))) if any(words) else 0
    return [
        match.start() + ends[-usual].start() if match and len(ends) >= usual else None
        for match, ends in zip(found, words, strict=True)
    ]


def find_start(row: str, place: int) -> int:
    """Return where the first word of a row stands, from a place on."""
    return len(row) - len(row[place:].lstrip())


def is_word(row: str, place: int) -> bool:
    """Return whether letters stand on both sides of a place in a row."""
    beside = row[max(0, place - 1) : place + 1]
    return len(beside.split()) == 1 and beside.strip() == beside and len(beside) == 2


def part_tables(rows: list[str]) -> list[list[str]]:
    """Part rows into tables: a row of names below one of numbers is the next head."""
    tables = [rows[:1]]
    for above, row in pairwise(rows):
        if is_head(row) and not is_head(above):
            tables.append([])
        tables[-1].append(row)
    return tables


def is_head(row: str) -> bool:
    """Return whether a row names columns: none of its own ends with a number."""
    return not any(map(NUMBER.search, GAP.split(row)[1:]))


def cut_where(
    rows: list[str], may_end: Callable[[str, int], bool]
) -> list[Places] | None:
    """Part rows at places where all of them have a blank.

    Args:
        rows: Rows of a table.
        may_end: Says whether a part of a row may end before a place.
    """
    if not any(map(GAP.search, rows)):
        return None  # sentences
    blank = find_blanks(rows)
    starts = [
        place
        for place, (before, here) in enumerate(pairwise(blank), start=1)
        if before and not here and all(may_end(row, place) for row in rows)
    ]
    places = choose_places(rows, starts)
    return None if places is None else [drop_empty(row, places) for row in rows]


def find_blanks(rows: list[str]) -> list[bool]:
    """Say of each place whether no row has anything there."""
    width = max(map(len, rows))
    return [
        all(row[place : place + 1] in ("", " ") for row in rows)
        for place in range(width)
    ]


def choose_places(rows: list[str], starts: list[int]) -> Places | None:
    """Choose as few as possible of the places at which rows may be parted."""
    places = [0]
    room = ROOM
    while any(len(row) - places[-1] > room for row in rows):
        fitting = [
            place
            for place in starts
            if place > places[-1]
            and all(len(row[places[-1] : place].rstrip()) <= room for row in rows)
        ]
        if not fitting or len(places) > MOST:
            return None
        places.append(fitting[-1])
        room = ROOM - INDENT
    return tuple(places[1:])


def has_gap(row: str, place: int) -> bool:
    """Return whether a part of a row before a place ends with a gap, or with a sign."""
    kept = row[:place].rstrip()
    is_gap = place - len(kept) > 1 and not kept.endswith("=")
    return not kept or is_gap or kept[-1] in ",:;"


def has_blank(row: str, place: int) -> bool:
    """Return whether no number stands before a place with what it varies by behind."""
    return not (row[:place].rstrip().endswith("±") or row[place:].startswith("±"))


def drop_empty(row: str, places: Places) -> Places:
    """Leave the places out behind which a row has nothing before the next one."""
    ends = [*places[1:], len(row)]
    return tuple(
        place for place, end in zip(places, ends, strict=True) if row[place:end].strip()
    )
