"""Find where the rows of a printed table go on below, on a narrow page.

A row is parted where its last columns begin, if they hold words, once or several times.
Columns of numbers stay side by side, all of them below the names of their rows, but on
a page that does not scroll.
"""

import re

# Letters that a phone shows side by side at the smallest size (book.css).
ROOM = 57
INDENT = 2  # of the columns that stand below
MOST = 3  # places at which a row is parted
LONGER = 3  # letters by which a number may be longer than those above it
WORDS, ANYTHING = re.compile(r"[^\W\d_]|±"), re.compile(r"\S")
# Numbers at the end of a row, one blank apart: each with one in brackets or without, or
# each behind what it belongs to, as in "0.01: 1.38".
NUMBERS = re.compile(
    r"(?: +(?:nan|[-+]?[\d.,]*\d(?:-[\d.]+)?%?)(?: \([\d.,]+\))?){2,}$"
    r"|(?: +[\d.]+: [\d.]+,?){2,}$"
)
Places = tuple[int, ...]


def find_cuts(
    rows: list[str], room: int = ROOM, *, scrolls: bool = True
) -> list[Places] | None:
    """Find the places where each of some rows goes on below, if there are any.

    Args:
        rows: Rows of a table.
        room: How many letters stand side by side.
        scrolls: Whether a page can show the rest of a row that is not parted.

    Returns:
        For each row its places, none where it stays whole; None if a row that is too
        long has no such places.
    """
    return (
        cut_before(WORDS, rows, room)
        or cut_behind_names(rows, room)
        or cut_before(WORDS, rows, room, most=MOST)
        or (None if scrolls else cut_before(ANYTHING, rows, room, most=MOST))
    )


def cut_before(
    words: re.Pattern[str], rows: list[str], room: int, most: int = 1
) -> list[Places] | None:
    """Part rows before their last columns: those of a table at the same places.

    Args:
        words: What these columns hold.
        rows: Rows of a table, or of several.
        room: How many letters stand side by side.
        most: How often a row may be parted.
    """
    cuts: list[Places] = []
    start = 0
    for end, row in enumerate(rows, start=1):
        cut = find_cut(words, rows[start:end], room, most)
        before = cuts[-1] if end - 1 > start else ()
        if cut is None or (before and cut and cut[0] < before[0] - LONGER):
            # Another table begins.
            start, cut = end - 1, find_cut(words, [row], room, most)
        if cut is None:
            return None
        cuts[start:] = [cut] * (end - start)
    return [
        tuple(place for place in cut if is_cut(words, row, place, len(row)))
        for row, cut in zip(rows, cuts, strict=True)
    ]


def find_cut(
    words: re.Pattern[str], rows: list[str], room: int, most: int, indent: int = 0
) -> Places | None:
    """Find the columns of some rows that have words, and room below the others.

    Returns:
        Where they begin, nowhere if no row is too long, and None if a row that is too
        long has no such columns at the same places.
    """
    left = room - indent
    too_long = [row for row in rows if len(row) > left]
    if not too_long or not most:
        return None if too_long else ()
    for place in range(max(map(len, too_long)) - 1, 1, -1):
        if all(is_cut(words, row, place, left) for row in too_long):
            below = [row[place:] for row in rows]
            others = find_cut(words, below, room, most - 1, INDENT)
            if others is not None:
                return (place, *(place + other for other in others))
    return None


def is_cut(words: re.Pattern[str], row: str, place: int, room: int) -> bool:
    """Return whether what a row has from a place on may stand below the rest."""
    left, right = row[:place], row[place:]
    kept = left.rstrip()
    is_gap = len(left) > len(kept) + 1 and not kept.endswith(",")
    return is_gap and len(kept) <= room and bool(words.search(right))


def cut_behind_names(rows: list[str], room: int) -> list[Places] | None:
    """Part each row behind its name, so that the numbers stay below one another."""
    numbers = [NUMBERS.search(row) for row in rows]
    ends = [found.start() for found in numbers if found]
    name = max(ends, default=0)
    heads = [row for row, found in zip(rows, numbers, strict=True) if not found]
    if not 0 < name <= room or any(is_word(head, name) for head in heads):
        return None
    starts = [
        find_start(row, found.start() if found else name)
        for row, found in zip(rows, numbers, strict=True)
    ]
    # Numbers that begin further left, behind a shorter name, stand in no line.
    place = min((start for start in starts if start >= name), default=name)
    cuts = [min(place, start) for start in starts]
    parted = list(zip(rows, cuts, strict=True))
    if any(len(row) - cut > room - INDENT for row, cut in parted):
        return None
    return [(cut,) if cut < len(row) else () for row, cut in parted]


def find_start(row: str, place: int) -> int:
    """Return where the first word of a row stands, from a place on."""
    return len(row) - len(row[place:].lstrip())


def is_word(row: str, place: int) -> bool:
    """Return whether letters stand on both sides of a place in a row."""
    beside = row[max(0, place - 1) : place + 1]
    return len(beside.split()) == 1 and beside.strip() == beside and len(beside) == 2
