"""Write the letters of formulas as signs of their own, which a font for formulas has.

What a device makes bold by itself it smears, and a prime that stands high in its font
is too small when it is raised like an exponent.
"""

import unicodedata

from lxml import etree
from lxml.html import HtmlElement

# Some devices know no letters of these kinds, but the font of formulas has the signs.
_LETTERS = {
    ("bold", "\N{SCRIPT SMALL L}"): "\N{MATHEMATICAL BOLD SCRIPT SMALL L}",
    ("double-struck", "E"): "\N{MATHEMATICAL DOUBLE-STRUCK CAPITAL E}",
    ("double-struck", "R"): "\N{DOUBLE-STRUCK CAPITAL R}",
    ("script", "L"): "\N{SCRIPT CAPITAL L}",
    ("script", "N"): "\N{MATHEMATICAL SCRIPT CAPITAL N}",
}
_BOLD = "bold"
_PRIME = "\N{PRIME}"
_PRIMES = {_PRIME: _PRIME, _PRIME * 2: "\N{DOUBLE PRIME}"}
# What may hold the parts of a formula side by side.
_ROWS = ("mrow", "mstyle", "mtd")


def set_letters(math: HtmlElement) -> None:
    """Write bold letters and others as signs, and primes beside what they belong to."""
    for letter in math.iter("mi", "mn"):
        kind, word = letter.get("mathvariant"), letter.text or ""
        sign = _LETTERS.get((kind, word))
        if kind == _BOLD and not sign:
            sign = "".join(find_letter("BOLD", part) for part in word)
        if sign and sign != word:
            del letter.attrib["mathvariant"]
            letter.text = sign
    for script in list(math.iter("msup", "msubsup")):
        if sign := _PRIMES.get("".join(script[-1].itertext())):
            _lower(script, sign)


def find_letter(kind: str, letter: str) -> str:
    """Return the sign of a letter or a digit in the formulas of a kind, if it has one.

    Args:
        kind: The kind, as in the names of signs: BOLD or ITALIC.
        letter: A Latin or Greek letter, or a digit.
    """
    name = unicodedata.name(letter)
    for alphabet in ("GREEK ", "LATIN ", "LETTER "):
        name = name.replace(alphabet, "")
    try:
        return unicodedata.lookup(f"MATHEMATICAL {kind} {name}")
    except KeyError:
        return letter


def _lower(script: HtmlElement, sign: str) -> None:
    """Put a prime beside its letter, and an index below both."""
    script.remove(script[-1])
    prime = etree.Element("mo", lspace="0em", rspace="0em")
    prime.text = sign
    if script.tag == "msubsup":
        script.tag = "msub"
        row = etree.Element("mrow")
        row.extend([script[0], prime])
        script.insert(0, row)
    else:
        script.tag = "mrow"
        script.append(prime)
        if script.getparent().tag in _ROWS:
            script.drop_tag()
