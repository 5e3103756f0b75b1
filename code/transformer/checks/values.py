"""Checks of plain values: sizes, probabilities, switches, choices."""

import sys
from collections.abc import Collection, Hashable, Iterable
from difflib import get_close_matches
from numbers import Integral, Real
from types import UnionType

LARGEST = sys.maxsize  # PyTorch counts with 64 bits


def meant(value: object, names: Iterable[object]) -> str:
    """Ask whether a name was meant that is spelled alike, or say nothing."""
    small = {name.lower(): name for name in names if isinstance(name, str)}
    close = get_close_matches(str(value).lower(), small, n=1)
    return f" (did you mean {small[close[0]]!r}?)" if close else ""


def shown_number(value: int | float, form: str = "") -> str:
    """Return a number as an error shows it: one of many digits by their count."""
    if isinstance(value, int) and abs(value) > LARGEST:
        return f"one of {value.bit_length()} bits"
    return format(value, form)


def check_size(
    name: str, value: object, *, minimum: int = 1, maximum: int | None = LARGEST
) -> None:
    """Check that a size is a whole number, of at least `minimum` and in 64 bits.

    While a model is exported for any length, a size may be a symbol.
    """
    symbol = type(value).__name__ == "SymInt"  # of PyTorch, which flags do without
    if isinstance(value, bool) or not (isinstance(value, Integral) or symbol):
        raise TypeError(
            f"{name} must be a whole number, got {value!r} "
            f"({type(value).__name__}); pass an int."
        )
    if value < minimum:
        raise ValueError(
            f"{name} must be at least {minimum}, got {shown_number(value)}; pass a "
            "larger number."
        )
    if isinstance(value, Integral) and maximum is not None and value > maximum:
        raise ValueError(
            f"{name} must be at most {maximum}, got {shown_number(value)}; pass a "
            "smaller number."
        )


def check_even(name: str, value: object) -> None:
    """Check that a number of features can be split into pairs."""
    check_size(name, value, minimum=2)
    if value % 2:
        raise ValueError(
            f"{name} must be even, because features come in pairs, got {value}; "
            f"choose {value - 1} or {value + 1}."
        )


def check_divisible(name: str, value: int, divisor_name: str, divisor: int) -> None:
    """Check that a size is divisible by another one."""
    if value % divisor:
        raise ValueError(
            f"{divisor_name} must divide {name}, got {name}={value} and "
            f"{divisor_name}={divisor}; change one of them."
        )


def check_dropout(name: str, dropout: object) -> None:
    """Check that a dropout probability lies in [0, 1)."""
    if isinstance(dropout, bool) or not isinstance(dropout, Real):
        raise TypeError(
            f"{name} must be a probability, got {dropout!r} "
            f"({type(dropout).__name__}); pass a number such as 0.1."
        )
    if not 0 <= dropout < 1:
        raise ValueError(
            f"{name} must be at least 0 and below 1, got {shown_number(dropout)}; "
            "pass the share of values to drop, such as 0.1."
        )


def check_positive(name: str, value: object, *, above: float = 0.0) -> None:
    """Check that a number is finite and above a bound, zero if none is given."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(
            f"{name} must be a number, got {value!r} ({type(value).__name__}); "
            "pass a float."
        )
    plain = value if isinstance(value, int) else float(value)  # one of numpy is narrow
    if not above < plain <= sys.float_info.max:
        raise ValueError(
            f"{name} must be finite and above {above:g}, got "
            f"{shown_number(value, '.6g')}; pass such a number."
        )


def check_flag(name: str, value: object) -> None:
    """Check that a switch is True or False."""
    if not isinstance(value, bool):
        raise TypeError(
            f"{name} must be True or False, got {value!r} ({type(value).__name__}); "
            "pass one of them."
        )


def check_kind(name: str, value: object, kind: type | UnionType) -> None:
    """Check that a value is an instance of a class, or of one of several."""
    if not isinstance(value, kind):
        kinds = getattr(kind, "__args__", (kind,))
        raise TypeError(
            f"{name} must be of type {' or '.join(x.__name__ for x in kinds)}, got "
            f"{type(value).__name__}; make one and pass it."
        )


def check_choice(name: str, value: object, choices: Collection[str]) -> None:
    """Check that a name is among the known ones."""
    if not isinstance(value, Hashable) or value not in choices:
        raise ValueError(
            f"{name} must be one of {', '.join(map(str, choices))}, got {value!r}"
            f"{meant(value, choices)}; choose one of them."
        )


def check_some(name: str, values: Collection[object]) -> None:
    """Check that a list is not empty."""
    if not values:
        raise ValueError(f"{name} must hold at least one, got none; pass some.")
