"""Make room for the columns of an output on a narrow page.

Columns fall apart where their rows wrap, and a row that scrolls loses its name. So the
letters of a printed table become as small as its rows need, as long as one reads them
with ease. Where that is not enough, wide gaps become narrow ones (`gaps`), all columns
stand below the names of their rows, or some of them below the others (`cuts`), and
sentences beside the table wrap. A table that has no room even so scrolls.
"""

import re
from html import unescape
from itertools import groupby, pairwise

from bookkit.publishing.cuts import (
    INDENT,
    NUMBERS,
    ROOM,
    Places,
    find_blanks,
    find_cuts,
    is_head,
    part_tables,
)
from bookkit.publishing.gaps import Spare, find_spare

SENTENCE = 6  # words
MANY = 5  # numbers that are a row, whatever stands beside it
LINE_LENGTH = 76  # letters: where a chapter breaks a sentence that it prints
# What the last letter of a line says: a number ends a row, a hyphen takes no space.
NO_SENTENCE, STOPS = "0123456789%).-", ".?!"
CHARACTER = re.compile(r"&[^;\s]+;|.", re.S)
FIGURE = re.compile(r" *[-+]?\d")
NAME_END = re.compile(r"[\w:)]$")
GAP = re.compile(r"(?<=\S) {2,}(?=\S)")
Fit = tuple[Places, Spare]
LINE, FLOWING, END = '<span class="line">', '<span class="line flows">', "</span>"
GAP_MARK = '<span class="gap">'


def fit_table(source: str) -> tuple[int, str]:
    """Fit the printed table of an output into a narrow page.

    Args:
        source: Its lines as HTML, with no tags.

    Returns:
        The letters of its longest line there, and the lines with marks of what moves.
    """
    lines = source.splitlines(keepends=True)
    texts = [unescape(line).rstrip() for line in lines]
    width = find_width(texts)
    if width <= ROOM:
        return width, source
    for are_rows in (find_all_rows(texts), find_rows(texts)):
        fits = fit_rows(texts, are_rows)
        if fits is not None:
            break
    else:
        return width, source
    ways = iter(fits)
    marked: list[str] = []
    above = ""
    for line, text, is_row in zip(lines, texts, are_rows, strict=True):
        if is_row:
            marked.append(mark_row(line, *next(ways)))
        elif marked and marked[-1].startswith(LINE) and goes_on(above, text):
            marked[-1] = join_sentence(marked[-1], line)
        else:
            marked.append(mark_sentence(line))
        above = text
    return ROOM, "".join(marked)


def fit_rows(texts: list[str], are_rows: list[bool]) -> list[Fit] | None:
    """Find how the rows among some lines get room: all alike, or each table."""
    lines = list(zip(texts, are_rows, strict=True))
    rows = [text for text, is_row in lines if is_row]
    spare = find_spare(rows) if rows else frozenset()
    if spare is not None:
        return [((), spare)] * len(rows)
    fits: list[Fit] = []
    for is_row, block in groupby(lines, key=lambda line: line[1]):
        if is_row:
            found = fit_block([text for text, _ in block])
            if found is None:
                return None
            fits += found
    return fits


def fit_block(rows: list[str]) -> list[Fit] | None:
    """Find how rows without a line between them get room: each table, or together."""
    tables = part_tables(rows)
    found = [fit_alone(table) for table in tables]
    if len(tables) > 1 and None in found:
        found = [find_parts(rows)]
    return None if None in found else [fit for fits in found for fit in fits]


def fit_alone(table: list[str]) -> list[Fit] | None:
    """Find how the rows of a table get room: first with less of it between columns."""
    spare = find_spare(table)
    if spare is not None:
        return [((), spare)] * len(table)
    return part_names(table) or find_parts(table)


def part_names(table: list[str]) -> list[Fit] | None:
    """Let the columns of a table with a head stand below the names of its rows."""
    head, *rows = table
    place = find_gap_end(table)
    if not (place and rows and is_head(head) and begin_numbers(rows, place)):
        return None
    if head[0] == " " and head[:place].strip():
        return None  # a column stands beside the names, one blank away
    spare = find_spare([row[place:] for row in table], ROOM - INDENT)
    if spare is None or any(len(row[:place].rstrip()) > ROOM for row in table):
        return None
    return [((place,), frozenset(place + other for other in spare))] * len(table)


def find_gap_end(rows: list[str]) -> int:
    """Return where the first gap ends that all of some rows have, or 0."""
    blank = find_blanks(rows)
    for place in range(2, len(blank)):
        if all(blank[place - 2 : place]) and not blank[place]:
            return 0 if all(blank[:place]) else place
    return 0


def begin_numbers(rows: list[str], place: int) -> bool:
    """Return whether each of some rows has a number behind its name from a place on."""
    names = [row[:place].rstrip() for row in rows]
    are_names = all(NAME_END.search(name) and is_head(name) for name in names)
    return are_names and all(FIGURE.match(row[place:]) for row in rows)


def find_parts(rows: list[str]) -> list[Fit] | None:
    """Find the parts of rows that stand below the others."""
    cuts = find_cuts(rows)
    return None if cuts is None else [(places, frozenset()) for places in cuts]


def find_width(texts: list[str]) -> int:
    """Return the letters of the longest of some lines, none if there are none."""
    return max(map(len, texts), default=0)


def find_rows(texts: list[str]) -> list[bool]:
    """Say of each line whether it has columns: gaps, or numbers as the one beside."""
    ends = map(NUMBERS.search, texts)
    counts = [len(end[0].split()) if end else 0 for end in ends]
    pairs = [above == below > 0 for above, below in pairwise(counts)]
    beside = zip([False, *pairs], [*pairs, False], strict=False)
    return [
        has_columns(text) or any(pair) or count >= MANY
        for text, count, pair in zip(texts, counts, beside, strict=False)
    ]


def find_all_rows(texts: list[str]) -> list[bool]:
    """Say of each line whether it is a row, or has a gap where a row has one."""
    are_rows = find_rows(texts)
    gaps = {
        place
        for text, is_row in zip(texts, are_rows, strict=True)
        if is_row
        for place in find_gaps(text)
    }
    return [
        is_row or bool(gaps & find_gaps(text))
        for text, is_row in zip(texts, are_rows, strict=True)
    ]


def find_cells(texts: list[str]) -> list[Places]:
    """Find where the cells of each line but the first begin: with blanks.

    Those of a table begin where all its rows have a blank, and a sentence has none.
    """
    cells: list[Places] = []
    lines = zip(texts, find_all_rows(texts), strict=True)
    for is_row, block in groupby(lines, key=lambda line: line[1]):
        rows = [text for text, _ in block]
        for table in part_tables(rows) if is_row else [[text] for text in rows]:
            places = find_starts(table) if is_row else ()
            cells += [places] * len(table)
    return cells


def find_starts(rows: list[str]) -> Places:
    """Return where the blanks begin that all of some rows have between words."""
    pairs = enumerate(pairwise(find_blanks(rows)), start=1)
    return tuple(place for place, (before, here) in pairs if here and not before)


def find_gaps(text: str) -> set[int]:
    """Return all the places of a line that are within a gap."""
    return {place for gap in GAP.finditer(text) for place in range(*gap.span())}


def has_columns(text: str) -> bool:
    """Return whether gaps part a line; a sentence behind one gap is no column."""
    others = GAP.split(text)[1:]
    return len(others) > 1 or any(len(part.split()) < SENTENCE for part in others)


def mark_row(line: str, places: Places, spare: Spare) -> str:
    """Mark what of a row stands below on a narrow page, or the blanks it can spare."""
    letters = CHARACTER.findall(line)
    if spare:
        end = max(place for place, letter in enumerate(letters) if letter.strip())
        letters = [
            mark_spare(letter)
            if letter == " " and (place in spare or place > end)
            else letter
            for place, letter in enumerate(letters)
        ]
    *parts, last = (
        "".join(letters[start:end])
        for start, end in pairwise([0, *places, len(letters)])
    )
    first, *below = [*map(mark_gap, parts), last]
    marked = first + "".join(f'<span class="below">{part}{END}' for part in below)
    return marked.replace(f"{END}{GAP_MARK}", "")


def mark_gap(part: str) -> str:
    """Mark the gap behind a part of a row."""
    kept = part.rstrip(" ")
    return kept + mark_spare(part[len(kept) :])


def mark_spare(blanks: str) -> str:
    """Mark blanks that a narrow page does not show."""
    return f"{GAP_MARK}{blanks}{END}"


def mark_sentence(line: str) -> str:
    """Mark a line that wraps on a narrow page, if it is too long for one."""
    if len(unescape(line).rstrip()) <= ROOM:
        return line
    return f"{LINE}{line}{END}"


def goes_on(above: str, text: str) -> bool:
    """Return whether a line goes on with the sentence that fills the line above it.

    A row that begins with a small letter is no sentence: it has a gap, had room above,
    stands below a number or a hyphen, or ends without a stop.
    """
    if not text[:1].islower() or GAP.search(text):
        return False
    is_full = len(above) + 1 + len(text.split()[0]) > LINE_LENGTH
    return is_full and above[-1] not in NO_SENTENCE and text[-1] in STOPS


def join_sentence(marked: str, line: str) -> str:
    """Let a line that wraps go on in the next."""
    return f"{FLOWING}{marked.removeprefix(LINE).removesuffix(END)}{line}{END}"
