"""Split formulas where a line may end, measure them, and mend the MathML of KaTeX.

Letters become signs of their own, which a font for formulas has: MathML of today knows
no other way, and what a device makes bold by itself it smears.

A browser breaks a line on both sides of a formula, whatever stands there, so the signs
that must stay on its line are found.
"""

import re
import unicodedata

from lxml import etree
from lxml.html import HtmlElement

# Widths in em: of a sign, of what stands around a sign that relates two, and of an
# index beside its letter. They are near enough to say what a page has room for.
_SIGN, _AROUND, _SMALLER = 0.6, 0.6, 0.75
_NARROW = "()[]{},.|\N{DOUBLE VERTICAL LINE}\N{PRIME}"
_ENDS = (")", "]", "}", "!", "\N{PRIME}")
_TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|.", re.DOTALL)
_OPEN = {"(", "[", "{", r"\{", r"\begin", r"\left"}
_CLOSE = {")", "]", "}", r"\}", r"\end", r"\right"}
_APPLICATION, _MINUS = "\N{FUNCTION APPLICATION}", "\N{MINUS SIGN}"
# KaTeX writes the line above a letter with a sign that fonts for formulas lack.
_MODIFIER, _MACRON = "\N{MODIFIER LETTER MACRON}", "\N{MACRON}"
_SCRIPTED = ("msub", "msup", "msubsup", "munder", "mover", "munderover")
_SCRIPT_PARTS, _THIN = 2, "0.1667em"
# Some devices know no letters of these kinds, but the font of formulas has the signs.
_LETTERS = {
    ("bold", "\N{SCRIPT SMALL L}"): "\N{MATHEMATICAL BOLD SCRIPT SMALL L}",
    ("double-struck", "E"): "\N{MATHEMATICAL DOUBLE-STRUCK CAPITAL E}",
    ("double-struck", "R"): "\N{DOUBLE-STRUCK CAPITAL R}",
    ("script", "L"): "\N{SCRIPT CAPITAL L}",
    ("script", "N"): "\N{MATHEMATICAL SCRIPT CAPITAL N}",
}
_BOLD = "bold"
_CLOSING = re.compile(r"[.,;:!?)”]+")
_OPENING = re.compile(r"[(“]+$")


def mend(math: etree._Element) -> None:
    """Mend what is no MathML, and what would be seen otherwise than KaTeX means it.

    It writes an operator such as mod as letters that are elements, the space behind a
    name such as max as a third part of its index, and nothing between log and n; and a
    device sets the sign of (-1) apart like that of a difference.
    """
    for operator in [*math.iter("mo")]:
        if len(operator):
            words = "".join(operator.itertext())
            operator[:], operator.text = [], words
        elif operator.text == _MODIFIER:
            operator.text = _MACRON
        elif operator.text == _APPLICATION:
            set_apart(operator)
        elif operator.text == _MINUS and is_at_start(operator):
            operator.set("form", "prefix")
    for script in math.iter("msub", "msup"):
        if len(script) > _SCRIPT_PARTS:
            row = etree.Element("mrow")
            row.extend(script[1:])
            script.append(row)


def is_at_start(operator: etree._Element) -> bool:
    """Return whether a sign has nothing before it that it could stand behind."""
    before = operator.getprevious()
    return before is not None and before.tag == "mo" and before.text not in _ENDS


def set_apart(application: etree._Element) -> None:
    """Put a thin space on both sides of the name of a function."""
    name, around = application.getprevious(), application.getparent()
    if around.getparent().tag in _SCRIPTED:  # with an index, as of the least over all t
        name = around.getparent()
    around.remove(application)
    if name is None:
        return
    for beside, put in (
        (name.getprevious(), name.addprevious),
        (name.getnext(), name.addnext),
    ):
        if beside is not None and beside.tag not in ("mo", "mspace", "mtext"):
            put(etree.Element("mspace", width=_THIN))


def split(latex: str, signs: set[str]) -> list[str]:
    """Split LaTeX behind each of the signs that stands in no brackets.

    A sign before which nothing stands, such as that of -x, belongs to what follows.
    """
    parts, depth = [""], 0
    for token in _TOKEN.findall(latex):
        depth += (token in _OPEN) - (token in _CLOSE)
        parts[-1] += token
        if depth == 0 and token in signs and parts[-1].strip() != token:
            parts.append("")
    return [part for part in parts if part.strip()]


def measure(part: etree._Element) -> float:
    """Estimate how wide a part of a formula is, in em."""
    inside = [measure(child) for child in part]
    match part.tag:
        case "mspace":
            return float(part.get("width", "0em").removesuffix("em"))
        case "mtable":
            rows = [[measure(cell) for cell in row] for row in part]
            return sum(map(max, zip(*rows, strict=False))) + len(rows[0]) / 2
        case "mfrac" | "munder" | "mover" | "munderover":
            return max(inside)
        case "msub" | "msup":
            return inside[0] + _SMALLER * inside[1]
        case "msubsup":
            return inside[0] + _SMALLER * max(inside[1:])
        case "mo" if (part.text or "") not in _NARROW:
            return _SIGN * len(part.text) + _AROUND
    return sum(inside) + _SIGN * len((part.text or "").strip())


def set_letters(math: etree._Element) -> None:
    """Write bold letters and others as signs of their own."""
    for letter in math.iter("mi", "mn"):
        kind, word = letter.get("mathvariant"), letter.text or ""
        sign = _LETTERS.get((kind, word))
        if kind == _BOLD and not sign:
            sign = "".join(find_letter("BOLD", part) for part in word)
        if sign and sign != word:
            del letter.attrib["mathvariant"]
            letter.text = sign


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


def take_signs(formula: HtmlElement) -> tuple[str, str]:
    """Take the signs that belong to a formula out of the text around it.

    Args:
        formula: The element that holds the formula and nothing else.

    Returns:
        Those before the formula, and those behind it.
    """
    after = _CLOSING.match(formula.tail or "")
    if after:
        formula.tail = formula.tail[after.end() :]
    previous, around = formula.getprevious(), formula.getparent()
    words = (around.text if previous is None else previous.tail) or ""
    before = _OPENING.search(words)
    if before and previous is None:
        around.text = words[: before.start()]
    elif before:
        previous.tail = words[: before.start()]
    return before[0] if before else "", after[0] if after else ""
