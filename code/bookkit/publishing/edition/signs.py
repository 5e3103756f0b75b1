"""Find the signs that must stay on the line of the formula beside them.

A browser breaks a line on both sides of a formula, whatever stands there.
"""

import re

from lxml.html import HtmlElement

_CLOSING = re.compile(r"[.,;:!?)”]+")
_OPENING = re.compile(r"[(“]+$")


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
