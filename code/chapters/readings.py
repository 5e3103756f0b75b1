"""The same answer in other types: a tensor, an array, a list, float32, a fraction."""

from collections.abc import Callable, Iterator, MappingView
from contextlib import AbstractContextManager, nullcontext, suppress
from decimal import Decimal
from functools import partial, wraps
from inspect import isroutine, unwrap
from math import isclose, isfinite
from numbers import Real
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from chapters.written import SEPARATORS, bare_word, meaning, respelled

Convert = Callable[[Any], Any]


def is_function(value: object) -> bool:
    """Return whether a value is a function: a plain, partial, cached or bound one."""
    return isroutine(value) or isinstance(value, partial) or isroutine(unwrap(value))


def file_of(value: object) -> str | None:
    """Return the file, or the cell, that holds the code of what can be called."""
    while isinstance(value, partial):
        value = value.func
    value = unwrap(value)
    code = value if isroutine(value) else type(value).__call__
    return getattr(getattr(code, "__code__", None), "co_filename", None)


class Returned:
    """Keep what the functions of an answer returned last; nothing if one stopped."""

    def __init__(self):
        self.values: list[object] = []

    def watch(self, value: Any) -> Any:
        """Return a value as it is, or a function whose result is kept.

        What the function yields one by one is kept, and returned, as a list.
        """
        if not is_function(value):
            return value

        @wraps(value)
        def watched(*given, **named):
            self.values.clear()
            result = value(*given, **named)
            result = list(result) if isinstance(result, Iterator) else result
            self.values.append(result)
            return result

        return watched


def listed(value: object) -> object:
    """Return a list for what yields its values one by one, such as a zip."""
    return list(value) if isinstance(value, Iterator | MappingView) else value


def readings(
    answer: tuple, returned: Returned
) -> Iterator[tuple[tuple, AbstractContextManager]]:
    """Yield an answer as given, in Python's numbers, in tensors, and in float64 ones.

    Each comes with the context in which to judge it. Words are read without capitals
    and without space, quotes or stops around them, and with each separator in turn;
    numbers in quotes as numbers, and one number in brackets as a number. What a
    function returns is read like a value, but for the brackets, and kept in `returned`
    as it came. If that was several values, the last reading joins them to one tensor.
    """
    given = tuple(returned.watch(_word(value)) for value in answer)
    yield given, nullcontext()
    yield tuple(_read(_unwrapped(value), plain) for value in given), nullcontext()
    yield tuple(_read(value, _stacked) for value in given), nullcontext()
    if any(isinstance(value, str) for value in given):
        for sign in SEPARATORS:
            yield tuple(_named(value, sign) for value in given), nullcontext()
    seven = SevenDigits()
    yield tuple(_read(value, seven.double) for value in given), seven
    if returned.values and isinstance(returned.values[0], tuple | list):
        seven = SevenDigits()

        def joined(value):
            return seven.double(_joined(value))

        yield tuple(_read(value, joined) for value in given), seven


class SevenDigits(TorchFunctionMode):
    """Read float32 as float64, and from then on compare as closely as float32 can.

    Arrays are read as tensors.
    """

    def __init__(self):
        super().__init__()
        self.met_float32 = False

    def double(self, value: Any) -> Any:
        """Return a value with float64 in place of float32, and tensors for arrays."""
        if isinstance(value, tuple | list):
            return _each(self.double, value)
        if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
            value = torch.from_numpy(value.copy())  # a flipped array is none of torch's
        if not isinstance(value, Tensor) or value.dtype != torch.float32:
            return value
        self.met_float32 = True
        return value.double()

    def __torch_function__(self, func, types, args=(), kwargs=None):
        compares = func in (torch.allclose, torch.equal) and self.met_float32
        if not compares or not args[0].is_floating_point():
            return func(*args, **(kwargs or {}))
        found, expected = args[:2]
        same_shape = func is torch.allclose or found.shape == expected.shape
        own = kwargs or {}  # a property may be content with less
        rtol, atol = max(1e-5, own.get("rtol", 0)), max(1e-6, own.get("atol", 0))
        return same_shape and torch.allclose(found, expected, rtol=rtol, atol=atol)


def _read(value: Any, convert: Convert) -> Any:
    """Return a value converted, or a function that converts what it returns."""
    if isinstance(value, type | nn.Module) or not callable(value):
        return convert(value)
    return wraps(value)(lambda *given, **named: convert(value(*given, **named)))


def _each(convert: Convert, values: tuple | list) -> tuple | list:
    """Return several values converted, as a list or as a plain tuple."""
    converted = map(convert, values)
    return list(converted) if isinstance(values, list) else tuple(converted)


def _word(value: Any) -> Any:
    """Return a word without capitals and without what stands around it."""
    if isinstance(value, tuple | list):
        return _each(_word, value)
    return bare_word(value) if isinstance(value, str) else value


def _named(value: Any, separator: str) -> Any:
    """Return a name with this separator between its parts."""
    return respelled(value, separator) if isinstance(value, str) else value


def _unwrapped(value: Any) -> Any:
    """Return tensors and arrays without the axes of size one, and one value alone."""
    if isinstance(value, tuple | list):
        return _unwrapped(value[0]) if len(value) == 1 else _each(_unwrapped, value)
    return value.squeeze() if isinstance(value, Tensor | np.ndarray) else value


def _stacked(value: Any) -> Any:
    """Return a tensor for a list of numbers, or of such lists of one length."""
    if isinstance(value, tuple):
        return _each(_stacked, value)
    if not isinstance(value, list):
        return value
    try:
        return torch.tensor(value)
    except (RuntimeError, TypeError, ValueError):  # words, or rows of many lengths
        return list(map(_stacked, value))


def _joined(value: Any) -> Any:
    """Return one tensor for a tuple or a list of numbers, tensors or arrays."""
    if isinstance(value, np.ndarray):
        return torch.tensor(value)
    if not isinstance(value, tuple | list) or not value:
        return value
    parts = [_joined(part) for part in value]
    with suppress(RuntimeError, TypeError, ValueError):  # of several kinds or shapes
        if isinstance(parts[0], Tensor):
            return torch.stack(parts)
        return torch.tensor(plain(parts))
    return tuple(parts) if isinstance(value, tuple) else parts


def plain(value: Any) -> Any:
    """Return Python's numbers and lists for tensors, arrays, fractions and texts.

    A float that misses a whole number by rounding is that number.
    """
    if isinstance(value, Tensor | np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, tuple | list):
        return _each(plain, value)
    if isinstance(value, set | frozenset):
        return set(map(plain, value))
    if isinstance(value, str):
        value = meaning(value)
    if isinstance(value, Real | Decimal) and not isinstance(value, int):
        value = float(value)
    if not isinstance(value, float) or not isfinite(value):
        return value
    near = isclose(value, round(value), rel_tol=1e-12, abs_tol=1e-12)
    return round(value) if near else value
