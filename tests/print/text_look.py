"""How the text of a PDF is set: lengths of lines, sizes of letters, room left free."""

import ctypes
import math
from collections.abc import Iterator
from dataclasses import dataclass

import pypdfium2
from pypdfium2 import raw

TEXT = b"STIX"  # the letters of running text, also beside formulas
RUNNING = 9.5  # points: tables and captions are set smaller
SAME_LINE = 2.5  # points: an index of a formula stands a little lower
WORD_GAP = 14  # points: what is farther apart stands in another column
FOOT = 48  # points: below stands the number of the page
ENOUGH = 0.7  # of the letters of a line of text, so that no line of a formula counts


@dataclass(frozen=True)
class Line:
    """A line of a page: its words, its size, where it ends and how low it stands."""

    words: str
    size: float
    left: float
    right: float
    bottom: float


@dataclass
class _Sign:
    letter: str
    size: float
    is_text: bool
    left: float
    right: float
    bottom: float


def list_lines(page: pypdfium2.PdfPage) -> list[Line]:
    """List the lines of running text of a page, from top to bottom."""
    lines: list[list[_Sign]] = []
    for sign in _list_signs(page):
        if not lines or not _goes_on(lines[-1], sign):
            lines.append([])
        lines[-1].append(sign)
    return [_join(line) for line in lines if _is_text(line)]


def _goes_on(line: list[_Sign], sign: _Sign) -> bool:
    """Say whether a letter stands behind those of a line, not below or far away."""
    last = line[-1]
    return (
        abs(sign.bottom - line[0].bottom) < SAME_LINE * 2
        and last.left - 1 < sign.left < last.right + WORD_GAP
    )


def _is_text(line: list[_Sign]) -> bool:
    letters = [sign for sign in line if not sign.letter.isspace()]
    of_text = sum(sign.is_text for sign in letters)
    return bool(letters) and of_text >= ENOUGH * len(letters)


def _join(line: list[_Sign]) -> Line:
    sizes = sorted(sign.size for sign in line if sign.is_text)
    words = " ".join("".join(sign.letter for sign in line).split())
    right = max(sign.right for sign in line)
    return Line(words, sizes[len(sizes) // 2], line[0].left, right, line[0].bottom)


def _list_signs(page: pypdfium2.PdfPage) -> Iterator[_Sign]:
    text = page.get_textpage()
    sides = [ctypes.c_double() for _ in range(4)]
    matrix, font = raw.FS_MATRIX(), ctypes.create_string_buffer(80)
    for index in range(text.count_chars()):
        raw.FPDFText_GetCharBox(text, index, *sides)
        left, right = sides[0].value, sides[1].value
        raw.FPDFText_GetMatrix(text, index, matrix)
        size = raw.FPDFText_GetFontSize(text, index) * math.hypot(matrix.c, matrix.d)
        raw.FPDFText_GetFontInfo(text, index, font, 80, None)
        letter = chr(raw.FPDFText_GetUnicode(text, index))
        origin = [ctypes.c_double(), ctypes.c_double()]
        raw.FPDFText_GetCharOrigin(text, index, *origin)
        yield _Sign(letter, size, TEXT in font.value, left, right, origin[1].value)


def read_on(text: pypdfium2.PdfTextPage, start: int, count: int) -> str:
    """Read a page from a letter on.

    The reader takes some pages for columns of signs from top to bottom, and puts an end
    of a line behind each letter; it is none where the next letter stands beside it.
    """
    words, height = "", None
    x, y = ctypes.c_double(), ctypes.c_double()
    for index in range(start, min(start + count, text.count_chars())):
        sign = chr(raw.FPDFText_GetUnicode(text, index))
        if sign in "\r\n":
            continue
        raw.FPDFText_GetCharOrigin(text, index, x, y)
        if height is not None and abs(y.value - height) > SAME_LINE:
            words += " "
        words, height = words + sign, y.value
    return words


def lowest_letter(page: pypdfium2.PdfPage) -> float:
    """Return how low the last line of a page stands, in points, above its foot."""
    bottoms = [sign.bottom for sign in _list_signs(page) if not sign.letter.isspace()]
    return min((bottom for bottom in bottoms if bottom > FOOT), default=0)
