"""Compute the worked examples of a page: what stands between dollars and has a value."""

import re
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
    (re.compile(r"\\underbrace\{((?:[^{}]|\{[^{}]*\})*)\}_\{(?:[^{}]|\{[^{}]*\})*\}"), r"\1"),
    (re.compile(r"\\sqrt\s*(\d)(?!\d)"), r"\\sqrt{\1}"),
    (re.compile(r"\\sqrt\[(\d)\]\{([^{}]*)\}"), r"(\2)^{\\frac{1}{\1}}"),
    (re.compile(r"\\?%"), ""),
    (re.compile(r"(?<![\d\w])\.(?=\d)"), "0."),
    (re.compile(r"(?<=\d)\.(?=\s*$)"), ""),
    (re.compile(r"\\times"), r"\\cdot"),
)
_SIGNS = ("=", r"\approx", "<", ">", r"\le", r"\ge", r"\mapsto", r"\to")
_EQUAL = {"=", r"\approx"}
_DECIMAL = re.compile(r"\d+\.\d+")


@dataclass
class Worked:
    """What the formulas of a text come to.

    Args:
        true: The spans of the text in which an equation is true.
        false: The equations that can be computed and are not true.
        values: The values of what can be computed.
    """

    true: list[tuple[int, int]] = field(default_factory=list)
    false: list[str] = field(default_factory=list)
    values: list[float] = field(default_factory=list)


def worked_in(text: str) -> Worked:
    """Compute what stands between the dollars of a text."""
    found = Worked()
    for match in MATH.finditer(text):
        latex = match["shown"] or match["inline"]
        for pattern, plain in _PLAIN:
            latex = pattern.sub(plain, latex)
        try:
            statements = statements_of(tokens_of(latex), frozenset())
        except (FormulaError, IndexError):
            continue
        checked = False
        for statement in statements:
            checked |= _follow(statement, found)
        if checked:
            found.true.append(match.span())
    return found


def _follow(statement: list[str], found: Worked) -> bool:
    """Compute the sides of a chain of equations; say whether two agree."""
    signs = [token for token, depth in levels(statement) if depth == 0 and token in _SIGNS]
    sides = split(statement, *_SIGNS)
    values = [_value(side) for side in sides]
    found.values += [
        float(part)
        for side, value in zip(sides, values, strict=True)
        if value is not None and len(side) > 1
        for part in np.ravel(value)
    ]
    agreed = False
    for i, sign in enumerate(signs):
        left, right = values[i], values[i + 1]
        if sign not in _EQUAL or left is None or right is None:
            continue
        if _agree(left, right, sides[i], sides[i + 1]):
            agreed = True
        else:
            found.false.append(" ".join([*sides[i], sign, *sides[i + 1]]))
            return False
    return agreed


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


def _agree(left: Any, right: Any, *sides: list[str]) -> bool:
    """Say whether two values agree to what is written of them."""
    if np.shape(left) != np.shape(right):
        return False
    unit = max(_unit(side) for side in sides)
    return bool(np.all(np.abs(left - right) <= unit / 2 * (1 + 1e-9) + 1e-9))


def _unit(side: list[str]) -> float:
    """Return what the last place of a written result is worth; zero of a formula."""
    for i in range(len(side)):
        if side[i : i + 3] == [r"\cdot", "10", "^"]:
            power = "".join(side[i + 3 :]).strip("{}")
            return 10.0 ** int(power) * _unit(side[:i])
    if not all(token[0].isdigit() or token in {"-", "(", ")", ","} for token in side):
        return 0.0
    numbers = [token for token in side if token[0].isdigit()]
    return max(10.0 ** -len(number.partition(".")[2]) for number in numbers)
