"""What the pages of the site need in order to judge answers as `check` does.

Beside its EXERCISES, an `answers.py` may have FIELDS: what each answer of an exercise
is. A set holds the words to choose from; a number, a row of numbers or a word is the
right one. From that and from the properties,

    .venv/bin/python -m chapters.fields

prints as JSON what the script of a page reads. Where all answers are choices, all of
them are tried, and a table says which property is missing first. Elsewhere the ends
between which a number may lie are searched for, property by property, with the other
answers right. A property that weighs several numbers against each other is a `Region`.
Where several fields make one answer, such as the rows of a matrix, they are a `Form`.
"""

import json
from collections.abc import Callable, Iterator
from itertools import product
from math import inf, isfinite
from typing import Any

from chapters.exercises import Property, asked_by, by_hand, exercises, gathered
from chapters.forms import Form, Shaped
from chapters.readings import plain
from chapters.regions import Band, Computed, Region
from chapters.written import bare_word

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
HOLDS = "."  # in a table: nothing is missing
FURTHEST = 1e12
OTHER = "another word"
Row = tuple[Any, ...]
Holds = Callable[..., bool]


def fields() -> dict[str, Form]:
    """Return what is asked for in each exercise that a page can judge, by label."""
    judged = exercises() | by_hand()
    rows = gathered("FIELDS", {})
    return {label: form_of(judged[label], row) for label, row in rows.items()}


def compiled() -> dict[str, dict[str, Any]]:
    """Return what the script of a page needs for each exercise that it can judge."""
    small = by_hand()
    judged = exercises() | small
    found = {label: compile_one(judged[label], row) for label, row in fields().items()}
    for label in small:
        found[label]["code"] = True
    return found


def form_of(properties: list[Property], row: Row | Form) -> Form:
    """Return the form of an exercise; a row has a field for each answer."""
    if isinstance(row, Form):
        return row
    return Form(tuple(row), _names(properties, len(row)), lambda *answer: answer)


def compile_one(properties: list[Property], row: Row | Form) -> dict[str, Any]:
    """Return the fields of an exercise, its sentences, and how to judge answers."""
    form = form_of(properties, row)
    shown = zip(form.names, form.parts, strict=True)
    found = {
        "fields": [{"name": name} | _field(part) for name, part in shown],
        "say": [sentence for sentence, _ in properties],
    }
    judges = [_of_fields(holds, form) for _, holds in properties]
    if all(isinstance(part, set) for part in form.parts):
        return found | {"table": _table(judges, form.parts)}
    right = list(map(_read, form.parts))
    return found | {"must": [_condition(holds, right) for holds in judges]}


def _of_fields(holds: Holds, form: Form) -> Holds:
    """Return a property of fields; a region reads their numbers one by one anyway."""
    if isinstance(holds, Region | Shaped | Computed):
        return holds
    return lambda *parts: holds(*form.answer(*parts))


def _names(properties: list[Property], count: int) -> tuple[str, ...]:
    """Return what the properties call the answers, or else their numbers."""
    for _, holds in properties:
        if len(names := asked_by(holds)) == count:
            return tuple(name.replace("_", " ") for name in names)
    return tuple(f"({number})" for number in range(1, count + 1))


def _field(part: Any) -> dict[str, Any]:
    """Return what a page shows for one answer."""
    if isinstance(part, set):
        return {"kind": "choice", "options": _options(part)}
    if isinstance(part, tuple | list):
        return {"kind": "numbers", "count": len(part)}
    return {"kind": "word" if isinstance(part, str) else "number"}


def _options(words: set) -> list[str]:
    """Return words in an order that tells nothing."""
    return sorted(map(str, words))


def _read(part: Any) -> Any:
    """Return one answer as a property is given it."""
    if isinstance(part, str):
        return bare_word(part)
    return list(map(plain, part)) if isinstance(part, tuple | list) else plain(part)


def _table(judges: list[Holds], row: Row) -> str:
    """Return for each choice of words which property is missing first."""
    given = {str(word): _read(word) for words in row for word in words}
    found = []
    for words in product(*map(_options, row)):
        answer = [given[word] for word in words]
        missing = (n for n, holds in enumerate(judges) if not holds(*answer))
        found.append(next((DIGITS[n] for n in missing), HOLDS))
    return "".join(found)


def _condition(holds: Holds, right: list) -> dict[str, Any]:
    """Return when a property holds of numbers and words; what is empty is left out."""
    if isinstance(holds, Shaped):
        return {"counts": True} | _condition(holds.region, right)
    if isinstance(holds, Computed):
        return {"near": holds.wanted, "within": holds.within}
    words = {
        place: part
        for place, part in enumerate(right)
        if isinstance(part, str) and not holds(*_with(right, place, OTHER))
    }
    is_region = isinstance(holds, Region)
    alternatives = holds.alternatives if is_region else [list(_ends(holds, right))]
    found = {
        "words": words,
        "counts": any(_counts(holds, right)),
        "whole": is_region and holds.whole,
        "any": [list(map(_written, bands)) for bands in alternatives if bands],
    }
    return {name: value for name, value in found.items() if value}


def _with(right: list, place: int, part: Any) -> list:
    """Return the right answer with another part at one place."""
    return [*right[:place], part, *right[place + 1 :]]


def _counts(holds: Holds, right: list) -> Iterator[bool]:
    """Yield for each row of numbers whether a property sees one too many."""
    for place, part in enumerate(right):
        if isinstance(part, list):
            try:
                yield not holds(*_with(right, place, [*part, part[-1]]))
            except (RuntimeError, ValueError):  # rows of two lengths
                yield True


def _ends(holds: Holds, right: list) -> Iterator[Band]:
    """Yield a band for each number that a property holds between two ends."""
    places = [
        (place, inner)
        for place, part in enumerate(right)
        if not isinstance(part, str)
        for inner in range(len(part) if isinstance(part, list) else 1)
    ]
    for number, (place, inner) in enumerate(places):
        part = right[place]
        start = part[inner] if isinstance(part, list) else part

        def is_kept(value: float, place=place, part=part, inner=inner) -> bool:
            read = plain(value)
            other = _with(part, inner, read) if isinstance(part, list) else read
            return bool(holds(*_with(right, place, other)))

        low, high = (_end(is_kept, float(start), sign) for sign in (-1, 1))
        if isfinite(low) or isfinite(high):
            weights = tuple(float(n == number) for n in range(len(places)))
            yield Band(weights, low, high)


def _end(is_kept: Callable[[float], bool], start: float, sign: int) -> float:
    """Return the last number, from the right one up or down, that is kept.

    Raises:
        ValueError: If the right one is not.
    """
    if not is_kept(start):
        raise ValueError(f"FIELDS must hold a right answer, got {start!r}; mend it.")
    kept, step = start, 2.0**-50
    while is_kept(beyond := start + sign * step):
        kept, step = beyond, 2 * step
        if step > FURTHEST:
            return sign * inf
    while kept != (middle := (kept + beyond) / 2) != beyond:
        kept, beyond = (middle, beyond) if is_kept(middle) else (kept, middle)
    return kept


def _written(band: Band) -> dict[str, Any]:
    """Return a band without what is zero or endless."""
    weights = {n: weight for n, weight in enumerate(band.weights) if weight}
    ends = {"low": band.low, "high": band.high}
    found = {"of": weights} | {name: at for name, at in ends.items() if isfinite(at)}
    return found


if __name__ == "__main__":
    print(json.dumps(compiled()))
