"""Compute the worked examples of a page: what has a value between dollars."""

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bookkit.checking.formulas.computing import NAMES, Scope
from bookkit.checking.formulas.parser import Reader
from bookkit.checking.formulas.tokens import levels, split, statements_of, tokens_of
from bookkit.checking.formulas.values import FormulaError

MATH = re.compile(r"\$\$(?P<shown>.+?)\$\$|(?<![\\$])\$(?P<inline>[^$\n]+?)\$", re.S)
SCOPE = Scope(NAMES, {}, 1, attained=False, bold=False)
_PLAIN = (
    (re.compile(r"\\tag\{[^}]*\}|\\(?:limits|displaystyle)"), ""),
    (re.compile(r"\\[td]frac"), r"\\frac"),
    (re.compile(r"\{,\}"), ""),
    (re.compile(r"\\mathrm\{e\}"), "e"),
    (re.compile(r"\\text\{[^}]*\}"), r"\\qquad "),
    (
        re.compile(
            r"\\underbrace\{((?:[^{}]|\{[^{}]*\})*)\}_\{(?:[^{}]|\{[^{}]*\})*\}"
        ),
        r"\1",
    ),
    (re.compile(r"\\sqrt\s*(\d)(?!\d)"), r"\\sqrt{\1}"),
    (re.compile(r"\\sqrt\[(\d)\]\{([^{}]*)\}"), r"(\2)^{\\frac{1}{\1}}"),
    (re.compile(r"\\?%"), ""),
    (re.compile(r"(?<![\d\w])\.(?=\d)"), "0."),
    (re.compile(r"(?<=\d)\.(?=\s*$)"), ""),
    (re.compile(r"\\times"), r"\\cdot"),
)
_SIGNS = ("=", r"\approx", "<", ">", r"\le", r"\ge", r"\mapsto", r"\to")
_EQUAL = {"=", r"\approx"}


@dataclass
class Worked:
    """What the formulas of a text come to.

    Args:
        true: Where an equation holds, and the numbers in it, as they are written.
        false: The equations that cannot hold, however their numbers were rounded.
        values: The values of what can be computed.
    """

    true: list[tuple[int, int, frozenset[str]]] = field(default_factory=list)
    false: list[str] = field(default_factory=list)
    values: list[float] = field(default_factory=list)

    def holds(self, begin: int, end: int, text: str) -> bool:
        """Say whether a number stands in an equation that holds."""
        plain = re.sub(r"[{},]", "", text).removeprefix("0")
        return any(
            first <= begin and end <= last + 1 and plain in numbers
            for first, last, numbers in self.true
        )


def worked_in(text: str) -> Worked:
    """Compute what stands between the dollars of a text."""
    found = Worked()
    for match in MATH.finditer(text):
        latex = match["shown"] or match["inline"]
        try:
            statements = statements_of(tokens_of(_plain(latex)), frozenset())
        except (FormulaError, IndexError):
            continue
        true = Counter(number for one in statements for number in _follow(one, found))
        every = Counter(_number(x) for one in statements for x in one if x[0].isdigit())
        if numbers := frozenset(x for x in true if true[x] >= every[x]):
            found.true.append((*match.span(), numbers))
    return found


def value_of(latex: str) -> list[float]:
    """Compute formulas of numbers alone, with semicolons between."""
    values = (_value(part) for part in split(tokens_of(_plain(latex)), ";"))
    return [x for value in values if value is not None for x in np.ravel(value)]


def _plain(latex: str) -> str:
    """Leave out of a formula what does not count, and write it as it is read."""
    for pattern, plain in _PLAIN:
        latex = pattern.sub(plain, latex)
    return latex


def _follow(statement: list[str], found: Worked) -> Iterator[str]:
    """Compute the sides of an equation; yield the numbers of those that agree."""
    signs = [x for x, depth in levels(statement) if depth == 0 and x in _SIGNS]
    sides = split(statement, *_SIGNS)
    values = [_value(side) for side in sides]
    for side, value in zip(sides, values, strict=True):
        if value is not None and not _is_plain(side):
            found.values += np.ravel(value).tolist()
    agreed: set[int] = set()
    for i, sign in enumerate(signs):
        left, right = sides[i : i + 2]
        one, two = values[i : i + 2]
        if sign not in _EQUAL or one is None or two is None:
            continue
        apart = _differ(one, two, max(_unit(left), _unit(right)))
        if apart <= 0:
            agreed |= {i, i + 1}
        elif sign == "=" and apart > _rounding(left, one) + _rounding(right, two):
            found.false.append(" ".join([*left, sign, *right]))
    for i in agreed:
        yield from (_number(x) for x in sides[i] if x[0].isdigit())


def _number(token: str) -> str:
    """Return a number without the zero before its point."""
    return token.removeprefix("0")


def _value(side: list[str]) -> Any:
    """Compute one side of an equation, if it holds nothing but numbers."""
    if not any(token[0].isdigit() for token in side):
        return None
    try:
        with np.errstate(all="ignore"):
            value = Reader(side, SCOPE).whole()(SCOPE.names)
    except (FormulaError, ValueError, ArithmeticError, TypeError, LookupError):
        return None
    return np.asarray(value, dtype=float) if np.all(np.isfinite(value)) else None


def _differ(one: np.ndarray, two: np.ndarray, unit: float) -> float:
    """Return by how much two sides differ beyond what is written of them."""
    if one.shape != two.shape:
        return math.inf
    return float(np.max(np.abs(one - two))) - unit / 2 * (1 + 1e-9) - 1e-9


def _rounding(side: list[str], before: np.ndarray) -> float:
    """Return by how much a side may move if each of its decimals was rounded."""
    moved = 0.0
    for i, token in enumerate(side):
        if "." in token:
            half = 0.5 * 10.0 ** -len(token.partition(".")[2])
            after = _value([*side[:i], f"{float(token) + half:.12f}", *side[i + 1 :]])
            moved += (
                math.inf if after is None else float(np.max(np.abs(after - before)))
            )
    return moved


def _is_plain(side: list[str]) -> bool:
    """Say whether a side is numbers as they are, which show nothing but themselves."""
    ten = re.fullmatch(r"-?10\^\{?-?\d+\}?", "".join(side))
    return bool(ten) or all(
        token[0].isdigit() or token in {"-", "(", ")", ","} for token in side
    )


def _unit(side: list[str]) -> float:
    """Return what the last place of a written result is worth; zero of a formula."""
    for i in range(len(side)):
        if side[i : i + 3] == [r"\cdot", "10", "^"]:
            power = "".join(side[i + 3 :]).strip("{}")
            return 10.0 ** int(power) * _unit(side[:i])
    if not all(token[0].isdigit() or token in {"-", "(", ")", ","} for token in side):
        return 0.0
    numbers = [token for token in side if token[0].isdigit()]
    return max((10.0 ** -len(x.partition(".")[2]) for x in numbers), default=0.0)
