"""Write the font for formulas that an EPUB carries, a small part of a large one.

A device without such a font sets indices on the line of their letter, and brackets as
low as a word. A font for formulas has a table, named MATH, that says where all belongs.
"""

import io
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.ttLib.tables._g_l_y_f import Glyph
from lxml import etree

from bookkit.book.errors import BookError
from bookkit.book.files import replace_file
from bookkit.publishing.edition.letters import find_letter

FONT = "book/_editions/formulas.woff"
LICENSE = "book/_editions/formulas_license.txt"
FAMILY = "Book Formulas"
TABLE = "MATH"
# What formulas are made of: the next one is likely to find its signs here too.
_BLOCKS = (
    (0x0020, 0x007E),  # letters and digits
    (0x00A0, 0x00F7),  # signs such as that of a product
    (0x02C6, 0x02DD),  # accents
    (0x0391, 0x03F6),  # Greek
    (0x2000, 0x2064),  # spaces, dots and primes
    (0x2102, 0x2134),  # letters such as that of the real numbers
    (0x2190, 0x21D5),  # arrows
    (0x2200, 0x22FF),  # operators
    (0x2308, 0x230B),  # floor and ceiling
    (0x23B4, 0x23E1),  # braces above and below
    (0x27E6, 0x27EB),  # double brackets and angles
    (0x1D400, 0x1D467),  # bold and italic letters
    (0x1D49C, 0x1D4CF),  # script letters
    (0x1D4F5, 0x1D4F5),  # bold script l
    (0x1D538, 0x1D56B),  # double-struck letters
    (0x1D6A8, 0x1D71B),  # bold and italic Greek
    (0x1D7CE, 0x1D7D7),  # bold digits
)
# Its letters are larger than those that devices set text in. With an em of so many of
# its units, of which it has 1000, they are of one height.
_EM = 1100
_FAMILY, _FULL_NAME, _POSTSCRIPT, _LICENSE_TEXT = 1, 4, 6, 13
_LICENSE_IDS = (_LICENSE_TEXT, 14)
_TOKENS = ("mi", "mn", "mo", "mtext")
# A single letter is set in italics, and this one had its sign already.
_ITALIC_H = "\N{PLANCK CONSTANT}"
_UNSEEN = {"Cf", "Cc"}


def write_font(root: Path, source: Path) -> int:
    """Write the font for formulas and return how many signs it has.

    Args:
        root: The root of the book; the license of the font stands there.
        source: A font with a table for formulas, such as DejaVu Math TeX Gyre.

    Raises:
        BookError: The source has no such table.
    """
    with TTFont(source, recalcTimestamp=False) as font:
        if TABLE not in font:
            raise BookError(
                f"A font for formulas must have the table {TABLE}, and {source.name} "
                "has none; take DejaVuMathTeXGyre.ttf of Debian's fonts-dejavu-extra."
            )
        signs = {
            sign
            for sign in font.getBestCmap()
            if any(first <= sign <= last for first, last in _BLOCKS)
        }
        _rename(font, (root / LICENSE).read_text("utf-8"))
        options = subset.Options(flavor="woff", hinting=False, layout_features=[])
        options.drop_tables += ["FFTM"]  # of the program that the font was drawn with
        options.name_IDs = [*options.name_IDs, *_LICENSE_IDS]
        subsetter = subset.Subsetter(options)
        subsetter.populate(unicodes=signs)
        subsetter.subset(font)
        _fit_lines(font)
        _hide_unseen(font)
        written = io.BytesIO()
        subset.save_font(font, written, options)
    replace_file(root / FONT, written.getvalue())
    return len(signs)


def _rename(font: TTFont, license_text: str) -> None:
    """Name a font anew, as a part of another, and let it say its license."""
    names = font["name"]
    for number in (_FAMILY, _FULL_NAME, _POSTSCRIPT):
        name = FAMILY.replace(" ", "") if number == _POSTSCRIPT else FAMILY
        names.setName(name, number, 3, 1, 0x409)
    names.setName(license_text, _LICENSE_TEXT, 3, 1, 0x409)


def _fit_lines(font: TTFont) -> None:
    """Let formulas stand in a line of text, which a large sum would push apart."""
    lines, marks = font["hhea"], font["OS/2"]
    marks.usWinAscent, marks.usWinDescent = lines.ascent, -lines.descent
    marks.sTypoLineGap = lines.lineGap = 0
    font["head"].unitsPerEm = _EM


def _hide_unseen(font: TTFont) -> None:
    """Draw nothing for signs such as the one between a function and its argument."""
    for sign, name in font.getBestCmap().items():
        if unicodedata.category(chr(sign)) in _UNSEEN:
            font["glyf"][name], font["hmtx"][name] = Glyph(), (0, 0)


def read_signs(tree: etree._Element) -> set[str]:
    """List the signs that the formulas of a page are set in, letters in italics."""
    return {
        sign
        for token in tree.iter(*(f"{{*}}{name}" for name in _TOKENS))
        for sign in _set(token)
        if unicodedata.category(sign) not in _UNSEEN
    }


def _set(token: etree._Element) -> Iterator[str]:
    words = (token.text or "").strip()
    is_name = etree.QName(token).localname == "mi" and not token.get("mathvariant")
    yield from [_italic(words)] if is_name and len(words) == 1 else words


def _italic(letter: str) -> str:
    """Return the sign that a single letter of a formula is set in."""
    if letter == "h":
        return _ITALIC_H
    return find_letter("ITALIC", letter)
