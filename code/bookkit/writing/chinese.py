"""Write the font with the Chinese signs of the book, a small part of a large one."""

import io
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTCollection, TTFont

from bookkit.book.chinese import FONT, read_signs
from bookkit.book.errors import BookError
from bookkit.book.files import replace_file

# A collection has a font for each language; this one writes simplified Chinese.
_WRITES_SIMPLIFIED = "CJK SC"
_LICENSE = (13, 14)  # what the font says of its license, which must go with it
_FULL_NAME = 4


def write_font(root: Path, source: Path) -> int:
    """Write the font of the book and return how many signs it has.

    Args:
        root: The root of the book.
        source: A font or a collection of fonts, such as Noto Serif CJK.

    Raises:
        BookError: The source is no font, or lacks a sign.
    """
    signs = {ord(sign) for sign in read_signs(root)}
    with _open(source) as font:
        missing = "".join(sorted(map(chr, signs - set(font.getBestCmap()))))
        if missing:
            raise BookError(f"The font must have all signs of the book, not {missing}.")
        options = subset.Options(flavor="woff", hinting=False, layout_features=[])
        options.name_IDs = [*options.name_IDs, *_LICENSE]
        subsetter = subset.Subsetter(options)
        subsetter.populate(unicodes=signs)
        subsetter.subset(font)
        written = io.BytesIO()
        subset.save_font(font, written, options)
    (root / FONT).parent.mkdir(parents=True, exist_ok=True)
    replace_file(root / FONT, written.getvalue())
    return len(signs)


def _open(source: Path) -> TTFont:
    """Open a font, from a collection the one for simplified Chinese."""
    if source.suffix not in {".ttc", ".otc"}:
        return TTFont(source, recalcTimestamp=False)
    for number, font in enumerate(TTCollection(source, lazy=True).fonts):
        if _WRITES_SIMPLIFIED in font["name"].getDebugName(_FULL_NAME):
            return TTFont(source, fontNumber=number, recalcTimestamp=False)
    raise BookError(f"{source.name} must hold a font named {_WRITES_SIMPLIFIED}.")
