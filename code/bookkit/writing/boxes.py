"""Write boxes and equations so that they read well, numbered, without the site.

Colab and GitHub join the lines of a paragraph, also those that open and close a box,
and number nothing. So blank lines set the text of a box apart, and a theorem, an
exercise, an equation and a figure carry the number that references to them name. The
site shows the number in its own way and leaves out this one.
"""

import re
from collections.abc import Mapping

from bookkit.book.numbering import BOXES, Number

_FENCE = re.compile(r"(`{3,}|~{3,})")
_OPENING = re.compile(r":{3,}\{([\w:-]+)\}")
_CLOSING = re.compile(r":{3,}[ \t]*")
_OPTION = re.compile(r":[\w-]+:")
_LABEL = re.compile(r":label:[ \t]*(\S+)")
_WORDS = "|".join(BOXES.values())
MARK = re.compile(rf"\*\*(?:{_WORDS}) \d+(?:\.\d+)*\.\*\*(?:[ \t]+|\n+)?")
# A paragraph that a mark can begin; lists, tables, formulas and boxes stand alone.
_PARAGRAPH = re.compile(r"(?!\$\$|[:`]{3}|[-+*>|#] |\||\d+[.)] )")
_EQUATION = re.compile(
    r"(?:\\tag\{[\d.]+\}\n)?^(?P<end>\$\$[ \t]*\((?P<label>[^)\s]+)\))", re.M
)
_FIGURE_MARK = re.compile(r"\A# Figure \d+(?:\.\d+)*\n")


def write_boxes(text: str, numbers: Mapping[str, Number]) -> str:
    """Set the boxes of a text apart by blank lines, and number what is in them."""
    lines = _apart(text.split("\n"))
    return _tagged(_marked("\n".join(lines), numbers), numbers)


def _apart(lines: list[str]) -> list[str]:
    """Put blank lines around the lines that open and close a box."""
    written: list[str] = []
    fence, is_head, is_closed = "", False, False
    for line in lines:
        last = written[-1] if written else ""
        found = _FENCE.match(line)
        is_inside = bool(fence)
        if found and (not fence or line.startswith(fence)):
            fence = "" if fence else found[1]
        is_opening = not is_inside and bool(_OPENING.match(line))
        is_closing = not is_inside and bool(_CLOSING.fullmatch(line))
        is_option = is_head and bool(_OPTION.match(line))
        # An empty box needs no blank line: its two lines are its text.
        ends_head = is_head and not is_option and not is_closing
        ends_body = is_closing and not is_head
        needs_gap = is_opening or is_closed or ends_head or ends_body
        if needs_gap and last.strip() and line.strip():
            written.append("")
        written.append(line)
        is_head = is_opening or is_option
        is_closed = is_closing
    return written


def _marked(text: str, numbers: Mapping[str, Number]) -> str:
    """Begin each numbered box with its number."""
    blocks = text.split("\n\n")
    for place, block in enumerate(blocks[:-1]):
        label = _LABEL.search(block)
        opening = _OPENING.match(block)
        number = numbers.get(label[1]) if opening and label else None
        if number and number.kind != "figure":
            body = _without_mark("\n\n".join(blocks[place + 1 :]))
            gap = " " if _PARAGRAPH.match(body) else "\n\n"
            rest = f"**{number.text}.**{gap}{body}"
            return "\n\n".join([*blocks[: place + 1], _rest(rest, numbers)])
    return text


def _rest(text: str, numbers: Mapping[str, Number]) -> str:
    """Mark what follows the first block of a text, which has its mark."""
    first, gap, rest = text.partition("\n\n")
    return f"{first}{gap}{_marked(rest, numbers)}"


def _without_mark(body: str) -> str:
    """Take the number off the beginning of a box."""
    match = MARK.match(body)
    return body[match.end() :] if match else body


def _tagged(text: str, numbers: Mapping[str, Number]) -> str:
    """Give each labeled equation the number that its references name."""

    def tag(match: re.Match) -> str:
        number = numbers.get(match["label"])
        return (f"\\tag{{{number.number}}}\n" if number else "") + match["end"]

    return _EQUATION.sub(tag, text)


def write_figure_mark(source: str, number: Number | None) -> str:
    """Begin the code of a figure with the number of the figure."""
    source = _FIGURE_MARK.sub("", source)
    return f"# {number.text}\n{source}" if number else source


def without_marks(text: str) -> str:
    """Leave out the numbers that boxes, equations and figures carry for Colab."""
    text = re.sub(r"^" + MARK.pattern, "", _FIGURE_MARK.sub("", text), flags=re.M)
    return re.sub(r"^\\tag\{[\d.]+\}\n(?=\$\$)", "", text, flags=re.M)
