"""Write the fonts with the Chinese signs of the book, small parts of large ones."""

import io
import string
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTCollection, TTFont

from bookkit.book.chinese import (
    FONT,
    LABEL_FAMILY,
    LABEL_FONT,
    read_label_signs,
    read_signs,
)
from bookkit.book.errors import BookError
from bookkit.book.files import replace_file

# A collection has a font for each language; this one writes simplified Chinese.
_WRITES_SIMPLIFIED = "CJK SC"
_LICENSE = (13, 14)  # what the font says of its license, which must go with it
_FULL_NAME = 4
_FAMILY_NAMES = (1, 3, 4, 6, 16)
# What stands in labels beside Chinese: a label with a formula knows no other font.
_LETTERS = set(string.printable) - set(string.whitespace) | {" "}


def write_font(root: Path, source: Path) -> int:
    """Write the font of the pages and return how many signs it has.

    Args:
        root: The root of the book.
        source: A font or a collection of fonts, such as Noto Serif CJK.

    Raises:
        BookError: The source is no font, or lacks a sign.
    """
    return _write(source, read_signs(root), root / FONT, flavor="woff")


def write_label_font(root: Path, source: Path) -> int:
    """Write the font of figures, from Noto Sans CJK, as `write_font` that of pages.

    It has a name of its own, so that figures are the same whatever is installed.
    """
    signs = read_label_signs(root) | _LETTERS
    return _write(source, signs, root / LABEL_FONT, family=LABEL_FAMILY)


def _write(
    source: Path,
    letters: set[str],
    target: Path,
    *,
    flavor: str | None = None,
    family: str = "",
) -> int:
    signs = set(map(ord, letters))
    with _open(source) as font:
        missing = "".join(sorted(map(chr, signs - set(font.getBestCmap()))))
        if missing:
            raise BookError(f"The font must have all signs of the book, not {missing}.")
        options = subset.Options(flavor=flavor, hinting=False, layout_features=[])
        options.name_IDs = [*options.name_IDs, *_LICENSE]
        subsetter = subset.Subsetter(options)
        subsetter.populate(unicodes=signs)
        subsetter.subset(font)
        for name in font["name"].names if family else ():
            if name.nameID in _FAMILY_NAMES:
                name.string = family.replace(" ", "") if name.nameID == 6 else family
        written = io.BytesIO()
        subset.save_font(font, written, options)
    target.parent.mkdir(parents=True, exist_ok=True)
    replace_file(target, written.getvalue())
    return len(signs)


def _open(source: Path) -> TTFont:
    """Open a font, from a collection the one for simplified Chinese."""
    if source.suffix not in {".ttc", ".otc"}:
        return TTFont(source, recalcTimestamp=False)
    for number, font in enumerate(TTCollection(source, lazy=True).fonts):
        if _WRITES_SIMPLIFIED in font["name"].getDebugName(_FULL_NAME):
            return TTFont(source, fontNumber=number, recalcTimestamp=False)
    raise BookError(f"{source.name} must hold a font named {_WRITES_SIMPLIFIED}.")
