"""A right answer passes in whatever types it comes, and a wrong one in none."""

import runpy
from collections import namedtuple
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache, partial, wraps
from inspect import isfunction
from pathlib import Path

import numpy as np
import pytest
import torch

from bookkit.checking.facts import facts
from chapters.exercises import (
    Property,
    by_hand,
    complaints,
    exercises,
    properties_for,
)
from chapters.readings import Returned, SevenDigits, listed, readings

pytestmark = pytest.mark.usefixtures("untyped")

FILES = sorted(Path(__file__).parent.glob("*/cases.py"))
CASES = [runpy.run_path(str(path)) for path in FILES]
RIGHT = [case for chapter in CASES for case in chapter["RIGHT"]]
WRONG = [case for chapter in CASES for case in chapter["WRONG"]]
EXERCISES = exercises() | {
    f"{label} by hand": properties for label, properties in by_hand().items()
}
# One asks for a gradient, another for numbers of half precision: no list has either.
# The third has no loop, and nested tuples are made in one.
EXCUSED = {
    "ex-layer-norm-code": {"numpy_array", "nested_list", "nested_tuple"},
    "ex-rms-half": {"nested_list", "nested_tuple"},
    "ex-encode-code": {"nested_tuple"},
}
PLAIN = (bool, int, float, str, Fraction, Decimal, type(None))


@pytest.fixture(autouse=True)
def _double():
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def is_number(value):
    return isinstance(value, int | float) and not isinstance(value, bool)


def float32(value):
    is_double = isinstance(value, torch.Tensor) and value.dtype == torch.float64
    return value.float() if is_double else value


def tensor(value):
    return torch.tensor(value) if is_number(value) else value


def array(value):
    kinds = {bool: np.bool_, int: np.int32, float: np.float32}
    return kinds.get(type(value), lambda same: same)(value)


def numpy_array(value):
    return value.numpy(force=True) if isinstance(value, torch.Tensor) else value


def nested_list(value):
    return value.tolist() if isinstance(value, torch.Tensor) else value


def nested_tuple(value):
    return _tuples(nested_list(value))


def _tuples(value):
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def rows(value):
    has_rows = isinstance(value, torch.Tensor) and value.ndim > 0
    return list(value) if has_rows else value


def fraction(value):
    return Fraction(value) if is_number(value) else value


def decimal(value):
    return Decimal(value) if is_number(value) else value


def whole_float(value):
    return float(value) if is_number(value) else value


def quoted(value):
    return f" {value} " if is_number(value) else value


def grouped(value):
    return f"{value:,}" if is_number(value) else value


def in_brackets(value):
    return torch.tensor([[value]]) if is_number(value) else value


def title(value):
    return f' *"{value.title()}"* ' if isinstance(value, str) else value


def dressed(value, dress):
    """Return a value, or what a function will return, in another type."""
    if isfunction(value):
        return lambda *given, **named: dressed(value(*given, **named), dress)
    if type(value) in (tuple, list):
        return type(value)(dressed(part, dress) for part in value)
    return dress(value)


def any_value(value):
    return True


def no_function(value):
    return not isfunction(value)


TYPES = (float32, tensor, array)
ROWS = (numpy_array, nested_list, rows, nested_tuple)
OTHERS = (float32, numpy_array, nested_list, fraction)
LETTERS = (whole_float, fraction, decimal, quoted, grouped, in_brackets, title)
# Which values of an answer are dressed, and in what.
DRESSES_OF_RIGHT = ((any_value, TYPES), (isfunction, ROWS), (no_function, LETTERS))


def dresses_of_wrong(answer):
    letters = () if any(map(isfunction, answer)) else LETTERS
    return ((any_value, (*OTHERS, *letters)),)


def once(holds):
    """Judge numbers and words once in whatever dress they came."""
    judged = {}

    @wraps(holds)
    def judge(*answer):
        if not is_plain(answer):
            return holds(*answer)
        if (key := repr(answer)) not in judged:
            judged[key] = holds(*answer)
        return judged[key]

    return judge


def is_plain(value):
    if type(value) in (tuple, list):
        return all(map(is_plain, value))
    return type(value) in PLAIN


class Exercise:
    """The properties of an exercise, and what they say of an answer in each dress."""

    def __init__(self, label, begin):
        self.properties = [
            Property(sentence, once(holds)) for sentence, holds in EXERCISES[label]
        ]
        self.begin = begin
        self.questions = 0

    def complaint(self, answer):
        self.begin()
        return next(complaints(self.properties, answer), None)

    def judge(self, answer, dresses):
        """Return in which dresses an answer is accepted, and in which refused.

        A dress that changes nothing of what it is given is not asked about again.
        """
        verdicts = (set(), set())
        for wears, given in dresses:
            seen = Seen()
            refused = self.complaint(put_on(answer, seen, wears)) is not None
            verdicts[refused].add("as it is")
            for dress in filter(seen.changed_by, given):
                refused = self.complaint(put_on(answer, dress, wears)) is not None
                verdicts[refused].add(dress.__name__)
            self.questions += len(given)
        return verdicts


class Seen(list):
    """A dress that changes nothing and keeps what others would have changed."""

    def __call__(self, value):
        self.append(value)
        return value

    def changed_by(self, dress):
        return any(dress(value) is not value for value in self)


def of(label, cases):
    name, properties = label.removesuffix(" by hand"), EXERCISES[label]
    return [
        case
        for case in cases
        if case[0] == name and properties_for(*case[:2]) is properties
    ]


def put_on(answer, dress, wears):
    return tuple(dressed(v, dress) if wears(v) else v for v in answer)


@pytest.mark.authors
@pytest.mark.parametrize("label", EXERCISES)
def test_an_answer_is_right_or_wrong_in_every_dress(label, begin, record_property):
    exercise = Exercise(label, begin)
    right = [answer for _, answer in of(label, RIGHT)]
    wrong = [answer for _, answer, _ in of(label, WRONG)]
    refused = [exercise.judge(answer, DRESSES_OF_RIGHT)[1] for answer in right]
    accepted = [
        (answer, found)
        for answer in wrong
        if (found := exercise.judge(answer, dresses_of_wrong(answer))[0])
    ]
    record_property("facts", exercise.questions)
    other = sorted(set().union(*refused) ^ EXCUSED.get(label, set()))
    assert not other, (
        f"{label} must accept RIGHT of its cases.py, and does not: {', '.join(other)}."
    )
    assert not accepted, f"{label} must refuse WRONG of its cases.py: {accepted}."


class Doubler:
    def __call__(self, values):
        return [2 * value for value in values]

    def method(self, values):
        return 2 * np.array(values)

    def yields(self, values):
        yield from self(values)


DOUBLE = Doubler()


@facts(
    "double",
    [
        DOUBLE,
        DOUBLE.method,
        DOUBLE.yields,
        partial(DOUBLE.method),
        partial(lambda factor, values: tuple(factor * v for v in values), 2),
        lru_cache(lambda values: [Fraction(2 * value) for value in values]),
    ],
)
def test_whatever_can_be_called_is_read_like_a_function(double):
    def holds(reading):
        with suppress(Exception):
            return torch.equal(reading((1, 2)).double(), torch.tensor([2.0, 4.0]))
        return False

    returned = Returned()
    assert any(holds(*reading) for reading, _ in readings((double,), returned))


@facts(
    "written, number",
    [
        ("\N{MINUS SIGN}0.5", -0.5),
        ("44%", 0.44),
        ("12.5 %", 0.125),
        ("2x", 2),
        ("1.5 \N{MULTIPLICATION SIGN}", 1.5),
        ("1,024", 1024),
        ("2\N{NARROW NO-BREAK SPACE}208", 2208),
        ("16 000.", 16_000),
        ("\N{EN DASH}7", -7),
        ("\N{MULTIPLICATION SIGN}4", 4),
        ("(2)", 2),
        ([2.0], 2),
        ([[1.5], [2.5]], [1.5, 2.5]),
        ("True", True),
        ('"FALSE"', False),
        ("-58,100,000.5", -58_100_000.5),
        ("`4/8`", 0.5),
        ("64k", 64_000),
        ("1.5 M", 1_500_000),
        ("7B.", 7_000_000_000),
        ("2^10", 1024),
        ("2**-1", 0.5),
        ("(1 + 2) / 4", 0.75),
        ("3 \N{MULTIPLICATION SIGN} 10^2", 300),
        ("\N{SQUARE ROOT}16", 4),
        ("2\N{SQUARE ROOT}6.25", 5),
        ("1/sqrt(4)", 0.5),
        ("\N{MINUS SIGN}\N{SQUARE ROOT}(9)", -3),
        ("ln(exp(2))", 2),
        (torch.tensor([46]), 46),
        (np.array([[0.5]]), 0.5),
        (torch.tensor([[1.5, 2.5]]), [1.5, 2.5]),
    ],
)
def test_a_number_is_read_however_it_is_written(written, number):
    _, (plain, _), *_ = readings((written,), Returned())
    assert plain == (number,)


@facts(
    "computed, plain",
    [
        (0.1 + 0.2 + 6.7, 7),
        (-7 + 1e-14, -7),
        (1e-17, 0),
        (7 + 1e-9, 7 + 1e-9),
        (float("inf"), float("inf")),
        ({np.int64(3), 1.0}, {3, 1}),
        (frozenset([torch.tensor(3), 1]), {3, 1}),
    ],
)
def test_what_rounding_left_is_a_whole_number_and_no_more(computed, plain):
    _, (read, _), *_ = readings((computed,), Returned())
    assert read == (plain,)
    assert type(read[0]) is type(plain)


def test_numbers_are_read_from_tensors_and_arrays():
    answer = (torch.tensor([1.0, 2.5]), np.float32(0.5), (np.int32(7), True), None)
    _, (plain, _), *_ = readings(answer, Returned())
    assert plain == ([1, 2.5], 0.5, (7, True), None)
    assert [type(value) for value in plain[2]] == [int, bool]


def test_words_in_a_list_are_read_like_words():
    given, *_ = readings((["*Rome*", '"zero".'], " B ", "(c);"), Returned())
    assert given[0] == (["rome", "zero"], "b", "c")


@facts("written", ["top-k", "Top_K", "top k."])
def test_a_name_is_read_with_any_separator(written):
    read = [reading for reading, _ in readings((written, 1), Returned())]
    assert {("top-k", 1), ("top_k", 1), ("top k", 1)} <= set(read)


def test_what_yields_its_values_is_read_as_a_list():
    for value in (zip([1], [2], strict=True), {1: 2}.items()):
        assert listed(value) == [(1, 2)]
    assert listed("ab") == "ab"


def test_named_values_are_read_like_a_tuple():
    pair = namedtuple("Pair", "first second")(np.float32(0.5), "2x")
    _, (plain, _), *_ = readings((pair,), Returned())
    assert plain == ((0.5, 2),)


def test_words_and_what_is_no_number_stay_texts():
    texts = ("b", "nan", "1/0", "4y", "x", "%", "0,512", "1,02", "12,34,567", "")
    formulas = ("k", "rank", "2k^", "9**9**9", "ln(0)", "abs(1)", "sqrt(1, 2)", "1 < 2")
    for text in (*texts, *formulas):
        _, (plain, _), *_ = readings((text,), Returned())
        assert plain == (text,)


def test_float64_is_compared_to_its_last_digits():
    near = torch.tensor([1e-7])
    with SevenDigits() as seven:
        seven.double(near)
        assert not torch.allclose(near, torch.zeros(1))
        seven.double(near.float())
        assert torch.allclose(near, torch.zeros(1))
        assert not torch.equal(near, torch.zeros(2))
    assert not torch.allclose(near, torch.zeros(1))
