"""Write the letters of formulas as signs of their own, which a font for formulas has.

MathML of today knows no other way, and what a device makes bold by itself it smears.
"""

import unicodedata

from lxml import etree

# Some devices know no letters of these kinds, but the font of formulas has the signs.
_LETTERS = {
    ("bold", "\N{SCRIPT SMALL L}"): "\N{MATHEMATICAL BOLD SCRIPT SMALL L}",
    ("double-struck", "E"): "\N{MATHEMATICAL DOUBLE-STRUCK CAPITAL E}",
    ("double-struck", "R"): "\N{DOUBLE-STRUCK CAPITAL R}",
    ("script", "L"): "\N{SCRIPT CAPITAL L}",
    ("script", "N"): "\N{MATHEMATICAL SCRIPT CAPITAL N}",
}
_BOLD = {"bold": "BOLD", "bold-italic": "BOLD ITALIC"}


def set_letters(math: etree._Element) -> None:
    """Write bold letters and others as signs of their own."""
    for letter in math.iter("mi", "mn"):
        kind, word = letter.get("mathvariant"), letter.text or ""
        sign = _LETTERS.get((kind, word))
        if kind in _BOLD and not sign:
            sign = "".join(find_letter(_BOLD[kind], part) for part in word)
        if sign and sign != word:
            del letter.attrib["mathvariant"]
            letter.text = sign


def find_letter(kind: str, letter: str) -> str:
    """Return the sign of a letter or a digit in the formulas of a kind, if it has one.

    Args:
        kind: The kind, as in the names of signs: such as BOLD.
        letter: A Latin or Greek letter, or a digit.
    """
    name = unicodedata.name(letter)
    for alphabet in ("GREEK ", "LATIN ", "LETTER "):
        name = name.replace(alphabet, "")
    try:
        return unicodedata.lookup(f"MATHEMATICAL {kind} {name}")
    except KeyError:
        return letter
