"""Change a formula as a slip of the hand would: each version has one change."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from bookkit.checking.formulas.tokens import tokens_of

EXCHANGED = {
    "+": "-",
    "-": "+",
    r"\cdot": "+",
    r"\odot": "+",
    "/": r"\cdot",
    r"\sin": r"\cos",
    r"\cos": r"\sin",
    r"\exp": r"\ln",
    r"\ln": r"\exp",
    r"\log": r"\exp",
    r"\tanh": r"\sin",
    r"\max": r"\min",
    r"\min": r"\max",
    "<": ">",
    r"\le": r"\ge",
    r"\ge": r"\le",
    r"\sum": r"\prod",
}
NUMBER = re.compile(r"(?<!\S)\d[\d.]*(?!\S)")
# The first letter below a name, and a side of an equation; no bound of a sum is one.
INDEX = re.compile(
    r"(?<=_ )(?<!\\(?:sum|max) _ )(?P<open>\{ )?(?P<letter>[a-zA-Z])(?!\S)(?! =| \\in)"
)
SIDE = re.compile(r"^|(?<== )(?<!\{ \w = )")


@dataclass(frozen=True)
class Tampered:
    """A changed formula, and what was changed."""

    what: str
    latex: str


def tampered(latex: str) -> list[Tampered]:
    """Return all versions of a formula with one change, each told by its name."""
    count: Counter[str] = Counter()
    found = []
    for what, changed in _versions(" ".join(tokens_of(latex))):
        count[what] += 1
        number = f" ({count[what]})" if count[what] > 1 else ""
        found.append(Tampered(what + number, changed))
    return found


def _versions(latex: str) -> Iterator[tuple[str, str]]:
    """Exchange a sign, move a number or an index by one, negate or double a side."""

    def put(match: re.Match[str], new: str) -> str:
        return f"{latex[: match.start()]}{new}{latex[match.end() :]}"

    for match in re.finditer(r"\S+", latex):
        if new := EXCHANGED.get(match[0]):
            yield f"{match[0]} → {new}", put(match, new)
    for match in NUMBER.finditer(latex):
        yield f"{match[0]} + 1", put(match, f"{{ {match[0]} + 1 }}")
    for match in INDEX.finditer(latex):
        comma = (
            " ," if match["open"] and re.match(r" [\w\\]", latex[match.end() :]) else ""
        )
        moved = f"{{ {match['letter']} + 1{comma}{'' if match['open'] else ' }'}"
        yield f"index {match['letter']} + 1", put(match, moved)
    for match in SIDE.finditer(latex):
        yield "a side negated", put(match, "- ")
        yield "a side doubled", put(match, "2 ")
