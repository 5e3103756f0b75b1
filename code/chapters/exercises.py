"""Checks that tell a learner which property still fails, without the answer.

An exercise is a list of properties, kept in `chapters.<chapter>.answers`. In a
notebook,

    check("ex-softmax", my_softmax)

prints the first property that does not hold, or that all of them do.
"""

from collections.abc import Callable, Iterator
from importlib import import_module
from inspect import isfunction
from pathlib import Path
from textwrap import fill
from traceback import extract_tb
from typing import NamedTuple

import chapters
from chapters.readings import readings


class Property(NamedTuple):
    """One thing that must hold of an answer, and the test of it."""

    sentence: str
    holds: Callable[..., bool]


def exercises() -> dict[str, list[Property]]:
    """Return the properties of every exercise of the book, by label."""
    found: dict[str, list[Property]] = {}
    for module in _modules_of_answers():
        for label, properties in import_module(module).EXERCISES.items():
            if label in found:
                raise ValueError(
                    f"an exercise label must be used once, got {label!r} again in "
                    f"{module}; rename one."
                )
            found[label] = properties
    return found


def _modules_of_answers() -> Iterator[str]:
    """Yield the names of the modules that hold answers, one for each chapter."""
    for file in sorted(Path(chapters.__file__).parent.glob("*/answers.py")):
        yield f"chapters.{file.parent.name}.answers"


def check(label: str, *answer: object) -> None:
    """Print which property of an exercise the answer still lacks, or that none does.

    Args:
        label: The label of the exercise, such as "ex-softmax".
        *answer: What the exercise asks for: a function, or one or more values.

    Raises:
        ValueError: If there is no exercise with this label.
    """
    known = exercises()
    if label not in known:
        raise ValueError(
            f"label must name an exercise, got {label!r}; "
            f"choose one of {', '.join(sorted(known))}."
        )
    properties = known[label]
    for complaint in complaints(properties, answer):
        print(fill(f"Not yet: {complaint}", width=80))
        return
    count = len(properties)
    print(f"All {count} properties hold." if count > 1 else "The property holds.")


def complaints(properties: list[Property], answer: tuple) -> Iterator[str]:
    """Yield a sentence for each property that the answer lacks, in order."""
    for sentence, holds in properties:
        try:
            if not _holds(holds, answer):
                yield sentence
        except NotImplementedError:
            yield "the starter still raises NotImplementedError; write your answer."
        except NameError as error:  # whatever the property asks, this comes first
            yield f"your code stopped with {_described(error, answer)}."
        except Exception as error:  # a learner's code may fail in any way
            yield f"{sentence} (Your code stopped with {_described(error, answer)})"


def _holds(holds: Callable[..., bool], answer: tuple) -> bool:
    """Return whether a property holds of the answer, in whatever types it came.

    Raises:
        Exception: What the answer raised as it came, if no reading of it could be
            judged.
    """
    errors, judged = [], False
    for reading, context in readings(answer):
        try:
            with context:
                if bool(holds(*reading)):
                    return True
            judged = True
        except (NameError, NotImplementedError):
            raise
        except Exception as error:
            errors.append(error)
    if not judged:
        raise errors[0]
    return False


def _described(error: Exception, answer: tuple) -> str:
    """Return the kind of an error, its message, and the line of the learner's code."""
    reason = str(error).splitlines()[0] if str(error) else "no message"
    cells = {value.__code__.co_filename for value in answer if isfunction(value)}
    frames = extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename in cells]
    where = f", in line {lines[-1]}" if lines else ""
    return f"{type(error).__name__}: {reason}{where}"
