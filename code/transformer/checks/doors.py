"""Doors: what somebody hands in is checked once, where it comes in.

A door is a constructor, a function, or a module that is called from outside. Behind
it, nothing is checked again: the parts that a call uses let everything pass. So a layer
that is called by hand checks its input, and inside a model it only computes. What only
PyTorch notices is explained after PyTorch has refused it.
"""

import inspect
import threading
from collections.abc import Callable
from functools import wraps

import torch
from torch import nn

from transformer.checks.calls import explain_call, mark
from transformer.checks.shown import keep_given, show_given

Check = Callable[..., dict | None]
Kind = Callable[[str, object], None]


_BY_NAME = inspect.Parameter.POSITIONAL_OR_KEYWORD


class _Place(threading.local):
    """Where a thread is: behind a door, or looking for the part that refused."""

    inside = False
    asking = False


_place = _Place()


def door(check: Check) -> Callable[[Callable], Callable]:
    """Decorate a function with the check of its arguments, for calls from outside.

    Args:
        check: Takes those arguments that it names. A name that the function does not
            have stands for the object of a method. It raises if something does not
            fit, and may return arguments to take instead.
    """

    def guard(function: Callable) -> Callable:
        ask = _asker(check, function)

        @wraps(function)
        def guarded(*args, **kwargs):
            if _place.inside or _recording():
                return function(*args, **kwargs)
            args, kwargs = ask(args, kwargs)
            return _enter(function, args, kwargs)

        return guarded

    return guard


def doors(**checks: Check) -> Callable[[type], type]:
    """Decorate a class with the checks of its methods' arguments.

    Args:
        checks: By the name of the method, as for `door`. `init` is the constructor,
            which always checks. `forward` is the call of a module; a subclass with a
            `forward` of its own has no door there.
    """

    def guard(cls: type) -> type:
        for name, check in checks.items():
            if name == "init":
                cls.__init__ = _checked_init(cls.__init__, check)
                if getattr(cls, "extra_repr", None) is nn.Module.extra_repr:
                    cls.extra_repr = show_given
            elif name == "forward":
                cls.__call__ = _checked_call(cls.forward, check)
            else:
                setattr(cls, name, door(check)(getattr(cls, name)))
        return cls

    return guard


def each(**kinds: Kind) -> Check:
    """Return a check of arguments one by one: each by its name, with its own check."""
    names = [inspect.Parameter(name, _BY_NAME) for name in kinds]

    def check(*values: object) -> None:
        for (name, kind), value in zip(kinds.items(), values, strict=True):
            kind(name, value)

    check.__signature__ = inspect.Signature(names)
    return check


def optional(kind: Kind) -> Kind:
    """Return a check that lets None pass."""

    def check(name: str, value: object) -> None:
        if value is not None:
            kind(name, value)

    return check


def handed_in(function: Callable) -> Callable:
    """Return a function that came through a door: what it calls is called from outside.

    Args:
        function: What a caller has passed as an argument.
    """

    def called(*args, **kwargs):
        before, _place.inside = _place.inside, False
        try:
            return function(*args, **kwargs)
        finally:
            _place.inside = before

    return called


def _recording() -> bool:
    """Return whether calls are recorded now: sizes are then no numbers to check."""
    return torch.compiler.is_compiling() or torch.jit.is_tracing()


def _asker(check: Check, function: Callable) -> Callable[[tuple, dict], tuple]:
    """Return what checks the arguments of a call and returns those to take."""
    signature, names = inspect.signature(function), inspect.signature(check).parameters
    mark(function)

    def ask(args: tuple, kwargs: dict) -> tuple[tuple, dict]:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError:
            if said := explain_call(function, signature, args, kwargs):
                raise TypeError(said) from None
            return args, kwargs  # Python says what is wrong when the call is made
        bound.apply_defaults()
        given = bound.arguments
        changed = check(*(given[n] if n in given else given["self"] for n in names))
        if not changed:
            return args, kwargs
        given.update(changed)
        return bound.args, bound.kwargs

    return ask


def _checked_init(init: Callable, check: Check) -> Callable:
    """Return a constructor that checks its arguments first, and keeps them to show."""
    ask, signature = _asker(check, init), inspect.signature(init)

    @wraps(init)
    def checked(*args, **kwargs) -> None:
        ask(args, kwargs)
        init(*args, **kwargs)
        keep_given(signature, args, kwargs)

    return checked


def _checked_call(forward: Callable, check: Check) -> Callable:
    """Return the `__call__` of a module: that of PyTorch, behind a door."""
    ask = _asker(check, forward)

    def checked(self: nn.Module, *args, **kwargs):
        call = self._compiled_call_impl or self._call_impl  # as `nn.Module` chooses
        if _place.inside or _recording() or type(self).forward is not forward:
            return call(*args, **kwargs)
        args, kwargs = ask((self, *args), kwargs)
        return _enter(call, args[1:], kwargs)

    return checked


def _enter(call: Callable, args: tuple, kwargs: dict) -> object:
    """Make a call from outside, behind whose door all doors are open.

    Where PyTorch refuses something in there, the call is made again with all doors
    closed, so that the part in question says in a sentence what does not fit.
    """
    if _place.asking:
        return call(*args, **kwargs)
    _place.inside = True
    try:
        return call(*args, **kwargs)
    except (AttributeError, IndexError, RuntimeError, TypeError):
        _place.inside, _place.asking = False, True
        call(*args, **kwargs)
        raise
    finally:
        _place.inside = _place.asking = False
