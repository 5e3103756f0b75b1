"""Make room for the columns of an output on a narrow page.

Columns fall apart where their rows wrap, and a row that scrolls loses its name. So the
letters of a printed table become as small as its rows need, down to those of a figure.
Where that is not enough, some of its columns stand below the others (`cuts`), and
sentences beside the table wrap. A table that has no room even so scrolls.
"""

import re
from html import unescape
from itertools import groupby, pairwise

from bookkit.publishing.cuts import (
    NUMBERS,
    ROOM,
    WORDS,
    Places,
    cut_before,
    find_cuts,
)

SENTENCE = 6  # words
MANY = 5  # numbers that are a row, whatever stands beside it
LINE_LENGTH = 76  # letters: where a chapter breaks a sentence that it prints
# What the last letter of a line says: a number ends a row, a hyphen takes no space.
NO_SENTENCE, STOPS = "0123456789%).-", ".?!"
CHARACTER = re.compile(r"&[^;\s]+;|.", re.S)
GAP = re.compile(r"(?<=\S) {2,}(?=\S)")
LINE, FLOWING, END = '<span class="line">', '<span class="line flows">', "</span>"


def fit_table(
    source: str, room: int = ROOM, *, scrolls: bool = True
) -> tuple[int, str]:
    """Fit the printed table of an output into a narrow page.

    Args:
        source: Its lines as HTML, with no tags.
        room: How many letters stand side by side there.
        scrolls: Whether such a page can show the rest of a row that has no room.

    Returns:
        The letters of its longest line there, and the lines with marks of what moves.
    """
    lines = source.splitlines(keepends=True)
    texts = [unescape(line).rstrip() for line in lines]
    width = find_width(texts)
    if width <= room:
        return width, source
    are_rows = find_rows(texts)
    cuts = part_rows(texts, are_rows, room, scrolls=scrolls)
    if cuts is None:
        return width, source
    places = iter(cuts)
    marked: list[str] = []
    above = ""
    for line, text, is_row in zip(lines, texts, are_rows, strict=True):
        if is_row:
            marked.append(mark_row(line, next(places)))
        elif marked and marked[-1].startswith(LINE) and goes_on(above, text):
            marked[-1] = join_sentence(marked[-1], line)
        else:
            marked.append(mark_sentence(line, room))
        above = text
    return room, "".join(marked)


def part_rows(
    texts: list[str], are_rows: list[bool], room: int, *, scrolls: bool
) -> list[Places] | None:
    """Find where the rows among some lines go on below: all alike, or each block."""
    lines = list(zip(texts, are_rows, strict=True))
    cuts = cut_before(WORDS, [text for text, is_row in lines if is_row], room)
    if cuts is not None:
        return cuts
    cuts = []
    for is_row, block in groupby(lines, key=lambda line: line[1]):
        rows = [text for text, _ in block]
        found = find_cuts(rows, room, scrolls=scrolls) if is_row else []
        if found is None:
            return None
        cuts += found
    return cuts


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


def has_columns(text: str) -> bool:
    """Return whether gaps part a line; a sentence behind one gap is no column."""
    others = GAP.split(text)[1:]
    return len(others) > 1 or any(len(part.split()) < SENTENCE for part in others)


def mark_row(line: str, places: Places) -> str:
    """Mark the parts of a row that stand below on a narrow page."""
    letters = CHARACTER.findall(line)
    *parts, last = (
        "".join(letters[start:end])
        for start, end in pairwise([0, *places, len(letters)])
    )
    first, *below = [*map(mark_gap, parts), last]
    return first + "".join(f'<span class="below">{part}{END}' for part in below)


def mark_gap(part: str) -> str:
    """Mark the gap behind a part of a row."""
    kept = part.rstrip(" ")
    return f'{kept}<span class="gap">{part[len(kept) :]}{END}'


def mark_sentence(line: str, room: int) -> str:
    """Mark a line that wraps on a narrow page, if it is too long for one."""
    if len(unescape(line).rstrip()) <= room:
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
