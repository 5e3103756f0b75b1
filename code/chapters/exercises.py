"""Checks that tell a learner which property still fails, without the answer.

An exercise is a list of properties, kept in `chapters.<chapter>.answers`. In a
notebook,

    check("ex-softmax", my_softmax)

prints the first property that does not hold, or that all of them do. An exercise that
asks for code may have a small case by hand, in BY_HAND: an answer without a function is
judged by its properties.
"""

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from inspect import signature
from pathlib import Path
from textwrap import fill
from traceback import extract_tb
from typing import Any, NamedTuple

import numpy as np
from torch import Tensor

import chapters
from chapters.readings import Returned, file_of, is_function, listed, readings
from chapters.written import meaning
from transformer.checks.values import meant

ONE_BY_ONE = "pass its values one by one, or write a * before it"


class Property(NamedTuple):
    """One thing that must hold of an answer, and the test of it."""

    sentence: str
    holds: Callable[..., bool]


def exercises() -> dict[str, list[Property]]:
    """Return the properties of every exercise of the book, by label."""
    return gathered("EXERCISES")


def by_hand() -> dict[str, list[Property]]:
    """Return the properties of the small cases of exercises with code, by label."""
    return gathered("BY_HAND", {})


def gathered(name: str, *absent: dict) -> dict[str, Any]:
    """Return what the chapters say of their exercises under a name, by label.

    Args:
        name: What an `answers.py` calls it.
        absent: What stands for it where a chapter says nothing; else each must.
    """
    found: dict[str, Any] = {}
    for module in modules_of_answers():
        for label, said in getattr(import_module(module), name, *absent).items():
            if label in found:
                raise ValueError(
                    f"an exercise label must be used once, got {label!r} again in "
                    f"{module}; rename one."
                )
            found[label] = said
    return found


def properties_for(label: str, answer: tuple) -> list[Property]:
    """Return by which properties an answer to an exercise is judged."""
    small = by_hand().get(label)
    return small if small and not any(map(callable, answer)) else exercises()[label]


@cache
def modules_of_answers() -> tuple[str, ...]:
    """Return the names of the modules that hold answers, one for each chapter."""
    files = sorted(Path(chapters.__file__).parent.glob("*/answers.py"))
    return tuple(f"chapters.{file.parent.name}.answers" for file in files)


def check(label: str, *answer: object) -> None:
    """Print which property of an exercise the answer still lacks, or that none does.

    Args:
        label: The label of the exercise, such as "ex-softmax".
        *answer: What the exercise asks for: a function, or one or more values.

    Raises:
        TypeError: If the label is no text.
        ValueError: If there is no exercise with this label.
    """
    if not isinstance(label, str):
        raise TypeError(
            f"the first argument must be the label of an exercise, got {_kind(label)}; "
            "write check('ex-...', answer)."
        )
    known = exercises()
    if label not in known:
        raise ValueError(
            f"label must name an exercise, got {label!r}{meant(label, known)}; copy it "
            "from the cell of the exercise."
        )
    properties = properties_for(label, answer)
    for complaint in complaints(properties, answer):
        print(fill(f"Not yet: {complaint}", width=80))
        return
    count = len(properties)
    print(f"All {count} properties hold." if count > 1 else "The property holds.")


def complaints(properties: list[Property], answer: tuple) -> Iterator[str]:
    """Yield a sentence for each property that the answer lacks, in order."""
    answer = tuple(map(listed, answer))
    for sentence, holds in properties:
        if (asked := asked_by(holds)) and len(asked) != len(answer):
            yield _miscounted(asked, answer)
            continue
        try:
            if not _holds(holds, answer):
                yield sentence if asked else sentence + _unpacked(answer)
        except UnwrittenError:
            yield "the starter still raises NotImplementedError; write your answer."
        except NameError as error:  # whatever the property asks, this comes first
            yield f"your code stopped with {_described(error, answer)}."
        except UnreadableError as error:
            yield f"{sentence} ({error})"
        except Exception as error:  # a learner's code may fail in any way
            yield f"{sentence} (Your code stopped with {_described(error, answer)})"


def asked_by(holds: Callable[..., bool]) -> list[str]:
    """Return the names of what a property judges; none if it takes any number."""
    names = signature(holds).parameters.values()
    any_number = any(name.kind is name.VAR_POSITIONAL for name in names)
    return [] if any_number else [name.name for name in names]


def _miscounted(asked: list[str], answer: tuple) -> str:
    """Return a sentence for an answer with too few or too many values."""
    names = f", {', '.join(asked)}" if len(asked) > 1 else ""
    wanted = f"{len(asked)} answers{names}," if names else "one answer,"
    one = answer[0] if len(answer) == 1 else None
    if _is_row(one) and len(one) == len(asked):
        return f"the exercise asks for {wanted} got {_kind(one)}; {ONE_BY_ONE}."
    came = ", ".join(map(_kind, answer)) or "none"
    if len(answer) < len(asked):
        do = "pass what is missing"
    elif len(asked) == 1 and not any(map(callable, answer)):
        do = "put them into one list"
    else:
        do = "leave the others out"
    return f"the exercise asks for {wanted} got {came}; {do}."


def _unpacked(answer: tuple) -> str:
    """Return a hint where values came as one, and any number of them may be right."""
    if len(answer) != 1 or not _is_row(answer[0]):
        return ""
    return f" (What came is {_kind(answer[0])}; {ONE_BY_ONE}.)"


def _is_row(value: object) -> bool:
    """Return whether a value holds several, one after the other."""
    is_array = isinstance(value, Tensor | np.ndarray) and value.ndim > 0
    return is_array or isinstance(value, tuple | list)


class UnwrittenError(Exception):
    """The starter still stands in the place of an answer."""


class UnreadableError(Exception):
    """A property cannot be judged, because the answer is of another kind."""


def _holds(holds: Callable[..., bool], answer: tuple) -> bool:
    """Return whether a property holds of the answer, in whatever types it came.

    Raises:
        UnwrittenError: If it is still the starter.
        UnreadableError: If no reading of it could be judged.
        Exception: What the answer raised as it came, if it did so in every reading.
    """
    errors: list[Exception] = []
    returned, judged = Returned(), False
    for reading, context in readings(answer, returned):
        try:
            with context:
                if bool(holds(*reading)):
                    return True
            judged = True
        except NameError:
            raise
        except Exception as error:
            if type(error) is NotImplementedError and not error.args:
                raise UnwrittenError from error  # torch would say what it cannot do
            reason = _unreadable(error, answer, returned)
            errors.append(UnreadableError(reason) if reason else error)
    if not judged:
        raise errors[0]
    return False


def _unreadable(error: Exception, answer: tuple, returned: Returned) -> str | None:
    """Return why a property stopped, or None if the code of the answer did."""
    reason = f"{type(error).__name__}: {_first_line(error)}"
    if returned.values:
        if returned.values[0] is None:
            return "Your function returned None; does it end in return?"
        came = _kind(returned.values[0])
        return f"Your function returned {came}; the check stopped with {reason}"
    if any(map(callable, answer)):
        return None
    if "not callable" in reason:
        return f"Pass your function itself; what came is {_kind(answer[0])}."
    texts = [v for v in answer if isinstance(v, str) and isinstance(meaning(v), str)]
    if texts and "'str'" in reason:
        return f"{texts[0]!r:.40} is no number; write one such as -0.5, 2/3 or 44%."
    came = ", ".join(map(_kind, answer))
    return f"What came is {came}; the check stopped with {reason}"


def _kind(value: object) -> str:
    """Return what a value is, in a few words."""
    if isinstance(value, Tensor | np.ndarray) and value.ndim:
        kind = "a tensor" if isinstance(value, Tensor) else "an array"
        return f"{kind} of shape {tuple(value.shape)}"
    if isinstance(value, tuple | list):
        count = "1 value" if len(value) == 1 else f"{len(value)} values"
        return f"a {type(value).__name__} of {count}"
    if isinstance(value, dict | set):
        return f"a {type(value).__name__}"
    return "a function" if is_function(value) else f"{value!r:.40}"


def _described(error: Exception, answer: tuple) -> str:
    """Return the kind of an error, its message, and the line of the learner's code."""
    cells = {file_of(value) for value in answer if callable(value)}
    frames = extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename in cells]
    where = f", in line {lines[-1]}" if lines else ""
    return f"{type(error).__name__}: {_first_line(error)}{where}"


def _first_line(error: Exception) -> str:
    """Return the first line of what an error says."""
    return str(error).splitlines()[0] if str(error) else "no message"
