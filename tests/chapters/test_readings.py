"""A right answer passes in whatever types it comes, and a wrong one in none."""

import runpy
from collections import namedtuple
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache, partial
from inspect import isfunction
from pathlib import Path

import numpy as np
import pytest
import torch

from chapters.exercises import check
from chapters.readings import Returned, SevenDigits, listed, readings

FILES = sorted(Path(__file__).parent.glob("*/cases.py"))
CASES = [runpy.run_path(str(path)) for path in FILES]
RIGHT = [case for chapter in CASES for case in chapter["RIGHT"]]
WRONG = [case for chapter in CASES for case in chapter["WRONG"]]
# One asks for a gradient, the other for numbers of half precision: no list has either.
TENSORS = ("ex-layer-norm-code", "ex-rms-half")
WITHOUT_LOOP = "ex-encode-code"  # and nested tuples are made in one


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
    return tuple(map(nested_tuple, value)) if isinstance(value, list) else value


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


@pytest.mark.parametrize("dress", [float32, tensor, array])
@pytest.mark.parametrize(("label", "answer"), RIGHT)
def test_a_right_answer_in_another_type_passes(label, answer, dress, capsys):
    check(label, *(dressed(value, dress) for value in answer))
    assert "Not yet" not in capsys.readouterr().out


@pytest.mark.parametrize("dress", [numpy_array, nested_list])
@pytest.mark.parametrize(("label", "answer"), RIGHT)
def test_a_function_may_return_arrays_or_lists(label, answer, dress, capsys):
    check(label, *(dressed(v, dress) if isfunction(v) else v for v in answer))
    said = capsys.readouterr().out
    assert "Not yet" not in said or label in TENSORS


@pytest.mark.parametrize(
    "dress", [rows, lambda value: nested_tuple(nested_list(value))]
)
@pytest.mark.parametrize(("label", "answer"), RIGHT)
def test_a_function_may_return_rows_or_tuples(label, answer, dress, capsys):
    check(label, *(dressed(v, dress) if isfunction(v) else v for v in answer))
    said = capsys.readouterr().out
    assert "Not yet" not in said or label in (*TENSORS, WITHOUT_LOOP)


DRESSES = [whole_float, fraction, decimal, quoted, grouped, in_brackets, title]


@pytest.mark.parametrize("dress", DRESSES)
@pytest.mark.parametrize(("label", "answer"), RIGHT)
def test_a_right_value_in_other_letters_or_digits_passes(label, answer, dress, capsys):
    check(label, *(v if isfunction(v) else dressed(v, dress) for v in answer))
    assert "Not yet" not in capsys.readouterr().out


@pytest.mark.parametrize("dress", [float32, numpy_array, nested_list, fraction])
@pytest.mark.parametrize(("label", "answer"), [case[:2] for case in WRONG])
def test_a_wrong_answer_stays_wrong_in_another_type(label, answer, dress, capsys):
    check(label, *(dressed(value, dress) for value in answer))
    assert capsys.readouterr().out.startswith("Not yet: ")


WRONG_VALUES = [case[:2] for case in WRONG if not any(map(isfunction, case[1]))]


@pytest.mark.parametrize("dress", DRESSES)
@pytest.mark.parametrize(("label", "answer"), WRONG_VALUES)
def test_a_wrong_value_stays_wrong_in_other_letters(label, answer, dress, capsys):
    check(label, *(dressed(value, dress) for value in answer))
    assert capsys.readouterr().out.startswith("Not yet: ")


class Doubler:
    def __call__(self, values):
        return [2 * value for value in values]

    def method(self, values):
        return 2 * np.array(values)

    def yields(self, values):
        yield from self(values)


DOUBLE = Doubler()


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    ("written", "number"),
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


@pytest.mark.parametrize(
    ("computed", "plain"),
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


@pytest.mark.parametrize("written", ["top-k", "Top_K", "top k."])
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
