"""Compare two pieces of HTML: scripts and styles exactly, everything else as text.

A decimal in the words, in the attributes or in the data of a page may differ by one
unit of its last place, as in any text. A decimal in a program is no measurement: 0.5
and 0.6 are two programs, so scripts and styles must be the same to the character. A
script of the type ``application/json`` is data.
"""

import re
from itertools import zip_longest

from bookkit.checking.compare.text import compare_text, quote

_CODE = re.compile(
    r"(?P<open><(?P<kind>script|style)\b(?![^>]*application/json)[^>]*>)"
    r"(?P<code>.*?)(?P<close></(?P=kind)\s*>)",
    re.DOTALL | re.IGNORECASE,
)


def compare_html(stored: str, computed: str) -> str | None:
    """Describe the first difference between two pieces of HTML in one sentence.

    Args:
        stored: The HTML that stands in the notebook.
        computed: The HTML that the run gave.

    Returns:
        A sentence, or None when they are equal under the rules above.
    """
    if stored == computed:
        return None
    before, after = ([m["code"] for m in _CODE.finditer(x)] for x in (stored, computed))
    if len(before) != len(after):
        return f"{len(before)} scripts and styles are stored and {len(after)} computed"
    for number, (a, b) in enumerate(zip(before, after, strict=True), start=1):
        if a != b:
            line, old, new = _find_line(a, b)
            return (
                f"script or style {number}, its line {line}: stored {quote(old)}, "
                f"computed {quote(new)}"
            )
    rest = (_CODE.sub(_without_code, text) for text in (stored, computed))
    return compare_text(*rest)


def _without_code(match: re.Match[str]) -> str:
    """Keep the tags around a program, and its line ends so that lines keep a number."""
    return match["open"] + "\n" * match["code"].count("\n") + match["close"]


def _find_line(stored: str, computed: str) -> tuple[int, str, str]:
    """Find the first line that differs; a line that is missing is empty."""
    pairs = enumerate(zip_longest(stored.split("\n"), computed.split("\n")), start=1)
    return next((n, a or "", b or "") for n, (a, b) in pairs if a != b)
