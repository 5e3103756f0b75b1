"""Make room for the columns of an output on a narrow page.

Columns fall apart where their rows wrap, and a row that scrolls loses its name. So the
letters of a printed table become as small as its rows need, down to those of a figure.
Where that is not enough, its last columns stand below the others, if they hold words,
and sentences beside the table wrap. Columns of single numbers stay side by side: where
they have no room, the table scrolls.
"""

import re
from html import unescape
from itertools import pairwise

# Letters that a phone shows side by side at the smallest size (book.css).
ROOM = 57
INDENT = 2  # of the columns that stand below
SENTENCE = 6  # words
LONGER = 3  # letters by which a number may be longer than those above it
CHARACTER = re.compile(r"&[^;\s]+;|.", re.S)
GAP = re.compile(r"(?<=\S) {2,}(?=\S)")
# Numbers at the end of a row, one blank apart.
NUMBERS = re.compile(r"(?: +[-+]?[\d.,]*\d%?){2,}$")
LINE, FLOWING, END = '<span class="line">', '<span class="line flows">', "</span>"
WORDS = re.compile(r"[^\W\d_]|±")


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
    are_rows = find_rows(texts)
    rows = [text for text, is_row in zip(texts, are_rows, strict=True) if is_row]
    cuts = find_cuts(rows)
    if len(cuts) < len(rows):
        return width, source
    places = iter(cuts)
    marked: list[str] = []
    for line, text, is_row in zip(lines, texts, are_rows, strict=True):
        if is_row:
            marked.append(mark_row(line, next(places)))
        elif marked and marked[-1].startswith(LINE) and goes_on(text):
            marked[-1] = join_sentence(marked[-1], line)
        else:
            marked.append(mark_sentence(line))
    return ROOM, "".join(marked)


def find_width(texts: list[str]) -> int:
    """Return the letters of the longest of some lines, none if there are none."""
    return max(map(len, texts), default=0)


def find_rows(texts: list[str]) -> list[bool]:
    """Say of each line whether it has columns, or as many numbers as the one beside."""
    ends = map(NUMBERS.search, texts)
    counts = [len(end[0].split()) if end else 0 for end in ends]
    pairs = [above == below > 0 for above, below in pairwise(counts)]
    beside = zip([False, *pairs], [*pairs, False], strict=False)
    return [
        has_columns(text) or any(pair)
        for text, pair in zip(texts, beside, strict=False)
    ]


def has_columns(text: str) -> bool:
    """Return whether gaps part a line; a sentence behind one gap is no column."""
    others = GAP.split(text)[1:]
    return len(others) > 1 or any(len(part.split()) < SENTENCE for part in others)


def find_cuts(rows: list[str]) -> list[int]:
    """Find where each row goes on below: the rows of a table at the same place.

    Returns:
        The places, up to the first row that has none.
    """
    cuts: list[int] = []
    start = 0
    for end, row in enumerate(rows, start=1):
        cut = find_cut(rows[start:end])
        before = cuts[-1] if end - 1 > start else ROOM
        if cut is None or (before != ROOM and cut < before - LONGER):
            # Another table begins.
            start, cut = end - 1, find_cut([row])
        if cut is None:
            return cuts
        cuts[start:] = [cut] * (end - start)
    return cuts


def find_cut(rows: list[str]) -> int | None:
    """Find the last columns of some rows that have words, and room below the others.

    Returns:
        Where they begin, behind each row if none is too long, and None if a row that is
        too long has no such columns at the same place.
    """
    too_long = [row for row in rows if len(row) > ROOM]
    longest = find_width(too_long)
    if not too_long:
        return ROOM
    for place in range(longest - 1, max(2, longest - ROOM + INDENT) - 1, -1):
        parts = [(row[:place], row[place:]) for row in too_long]
        if all(is_cut(left, right) for left, right in parts):
            return place
    return None


def is_cut(left: str, right: str) -> bool:
    """Return whether the right part of a row may stand below the left one."""
    kept = left.rstrip()
    is_gap = len(left) > len(kept) + 1 and not kept.endswith(",")
    return is_gap and len(kept) <= ROOM and bool(WORDS.search(right))


def mark_row(line: str, cut: int) -> str:
    """Mark the part of a row that stands below on a narrow page."""
    letters = CHARACTER.findall(line)
    left, right = "".join(letters[:cut]), "".join(letters[cut:])
    if not is_cut("".join(map(unescape, letters[:cut])), right):
        return line
    kept = left.rstrip()
    gap = f'<span class="gap">{left[len(kept) :]}</span>'
    return f'{kept}{gap}<span class="below">{right}</span>'


def mark_sentence(line: str) -> str:
    """Mark a line that wraps on a narrow page, if it is too long for one."""
    if len(unescape(line).rstrip()) <= ROOM:
        return line
    return f"{LINE}{line}{END}"


def goes_on(text: str) -> bool:
    """Return whether a line goes on with the sentence above it."""
    return text[:1].islower() and not GAP.search(text)


def join_sentence(marked: str, line: str) -> str:
    """Let a line that wraps go on in the next."""
    return f"{FLOWING}{marked.removeprefix(LINE).removesuffix(END)}{line}{END}"
