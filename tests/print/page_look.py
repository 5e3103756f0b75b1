"""How a page of a PDF looks: how much is black or empty, which letters are lost."""

import ctypes
from dataclasses import dataclass

import numpy as np
import pypdfium2
from pypdfium2 import raw

POINTS_PER_MM = 72 / 25.4
RULE = 2  # columns: the line beside a section that may be skipped is no text
# At a quarter of a point letters are grey, and only areas stay black.
COARSE, FINE = 0.25, 2.0
BLACK, PAPER = 100, 245
CONTRAST = 24  # between a letter and what is around it, of 255
FOOT = 18 * POINTS_PER_MM  # below the text stands the number of the page
SMALLEST = 0.3  # points: what is smaller is no letter, but room between letters


@dataclass(frozen=True)
class Letter:
    """A letter and its box in points, from the lower left corner of the page."""

    sign: str
    left: float
    bottom: float
    right: float
    top: float


def draw(page: pypdfium2.PdfPage, scale: float) -> np.ndarray:
    """Return the page in grey, so many pixels a point."""
    return page.render(scale=scale, grayscale=True).to_numpy().squeeze()


def measure_black(grey: np.ndarray) -> float:
    """Return the share of a page, drawn coarsely, that black areas cover."""
    return float((grey < BLACK).mean())


def measure_filled(grey: np.ndarray) -> float:
    """Return how far down a page its text or its figures reach, from 0 to 1.

    Args:
        grey: The page, drawn coarsely.
    """
    body = grey[: grey.shape[0] - round(FOOT * COARSE)]
    rows = np.flatnonzero((body < PAPER).sum(axis=1) > RULE)
    return float(rows[-1] + 1) / len(body) if len(rows) else 0.0


def list_letters(page: pypdfium2.PdfPage) -> list[Letter]:
    """List the letters that the file holds on a page, seen or not."""
    text = page.get_textpage()
    letters = []
    sides = [ctypes.c_double() for _ in range(4)]
    for index in range(text.count_chars()):
        sign = chr(raw.FPDFText_GetUnicode(text, index))
        left, right, bottom, top = sides
        raw.FPDFText_GetCharBox(text, index, left, right, bottom, top)
        box = (left.value, bottom.value, right.value, top.value)
        is_large = min(box[2] - box[0], box[3] - box[1]) > SMALLEST
        if is_large and not sign.isspace():
            letters.append(Letter(sign, *box))
    return letters


def find_lost(page: pypdfium2.PdfPage, letters: list[Letter]) -> str:
    """Return the letters that leave no ink on a page, because something cuts them."""
    grey = draw(page, FINE)
    height = grey.shape[0]
    lost = []
    for letter in letters:
        rows = slice(
            max(0, int(height - letter.top * FINE) - 1),
            max(0, int(height - letter.bottom * FINE) + 2),
        )
        columns = slice(
            max(0, int(letter.left * FINE)), max(0, int(letter.right * FINE) + 1)
        )
        ink = grey[rows, columns]
        if not ink.size or int(ink.max()) - int(ink.min()) < CONTRAST:
            lost.append(letter.sign)
    return "".join(lost)


def find_outside(
    page: pypdfium2.PdfPage, letters: list[Letter], *, side: float, top: float
) -> str:
    """Return the letters in the margins beside and above, given in millimeters."""
    width, height = page.get_size()
    left, upper = side * POINTS_PER_MM, height - top * POINTS_PER_MM
    return "".join(
        letter.sign
        for letter in letters
        if letter.left < left or letter.right > width - left or letter.top > upper
    )
