"""What a text means: a word, a number or a truth, however it is written."""

import ast
import math
import operator
import re
from collections.abc import Mapping
from contextlib import suppress
from fractions import Fraction
from types import MappingProxyType

MINUS, EN_DASH, TIMES = "\N{MINUS SIGN}", "\N{EN DASH}", "\N{MULTIPLICATION SIGN}"
SEPARATORS = "_ -"  # between the parts of a name such as top-k
_GROUPED = re.compile(r"(-?[1-9]\d{0,2})(?:,\d{3}|\s\d{3})+(?:\.\d+)?")
_MARKS = " \t\n\"'`*()"  # around a word: space, quotes, and what the page sets it with
_STOPS = ".,;:"  # behind a word
_TRUTHS = {"true": True, "false": False}
_UNITS = {"k": 1000, "m": 1000**2, "b": 1000**3}
_NUMBER = r"\d+(?:\.\d+)?"
# A text is written as Python writes a number: sqrt(3) for \u221a3, and 2**10 for 2^10.
_SPELLINGS = (
    (rf"\u221a\s*({_NUMBER})", r"sqrt(\1)"),
    (r"\u221a", "sqrt"),
    (r"\^", "**"),
    (r"[\u00d7\u00b7]", "*"),
    (rf"({_NUMBER})\s*(?=sqrt|ln)", r"\1*"),
)
_OPERATIONS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_FUNCTIONS = {"sqrt": math.sqrt, "ln": math.log, "exp": math.exp}
_OF_FORMULAS = {"relu": lambda number: max(number, 0)}
_LARGEST_POWER = 64


def bare_word(text: str) -> str:
    """Return a word without capitals, and without what stands around it.

    A bracket at an end stays if its other half is within, as in 1/sqrt(3).
    """
    bare = text.strip(_MARKS).rstrip(_STOPS + _MARKS).casefold()
    missing = bare.count("(") - bare.count(")")
    return "(" * -missing + bare + ")" * missing


def respelled(text: str, separator: str) -> str:
    """Return a name with this separator between its parts."""
    return re.sub(f"[{SEPARATORS}]", separator, text)


def meaning(text: str) -> Fraction | float | bool | str:
    """Return what a text such as 4/9, 44%, 2x, 1,024, 64k, 1/√3 or True says.

    What says nothing of that kind is returned as it is.
    """
    if text.strip().casefold() in _TRUTHS:
        return _TRUTHS[text.strip().casefold()]
    digits = text.replace(MINUS, "-").replace(EN_DASH, "-").strip()
    whole = 100 if digits.endswith("%") else 1
    digits = digits.rstrip(f"%x{TIMES}").lstrip(f"x{TIMES}").strip()
    if _GROUPED.fullmatch(digits):
        digits = re.sub(r"[,\s]", "", digits)
    unit = _UNITS.get(digits[-1:].casefold(), 1)
    digits = digits[:-1] if unit > 1 else digits
    with suppress(ValueError, ZeroDivisionError):
        return Fraction(digits) * unit / whole
    for spelling, python in _SPELLINGS:
        digits = re.sub(spelling, python, digits)
    with suppress(SyntaxError, ValueError, ArithmeticError):
        return _compute(ast.parse(digits, mode="eval").body, digits) * unit / whole
    return text


def value_of(formula: str, names: dict[str, float]) -> Fraction | float:
    """Return the value of a formula that is written as Python writes it.

    Args:
        formula: Sums, products and powers of numbers and names, and `relu` of them.
        names: The numbers that the names stand for.

    Raises:
        ValueError: If a name stands for nothing, or the formula has anything else.
    """
    return _compute(ast.parse(formula, mode="eval").body, formula, names | _OF_FORMULAS)


def _compute(
    part: ast.expr, text: str, names: Mapping = MappingProxyType(_FUNCTIONS)
) -> Fraction | float:
    """Return the value of a part of a text that is written as Python writes a number.

    Raises:
        ValueError: If it is anything else.
    """
    match part:
        case ast.Constant(value=int() | float()):
            return Fraction(ast.get_source_segment(text, part))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_compute(operand, text, names)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATIONS:
            first, second = (_compute(side, text, names) for side in (left, right))
            if isinstance(op, ast.Pow) and abs(second) > _LARGEST_POWER:
                raise ValueError
            return _OPERATIONS[type(op)](first, second)
        case ast.Call(func=ast.Name(id=name), args=[one]) if name in names:
            return names[name](_compute(one, text, names))
        case ast.Name(id=name) if not callable(names.get(name, callable)):
            return names[name]
    raise ValueError
