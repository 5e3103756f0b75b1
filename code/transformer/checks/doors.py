"""Doors: what somebody hands in is checked once, where it comes in.

A door is a constructor, a function, or a module that is called from outside. Behind
it, nothing is checked again: the parts that a call uses let everything pass. So a layer
that is called by hand checks its input, and inside a model it only computes. What
PyTorch or Python refuses is theirs to say.
"""

import inspect
import threading
from collections.abc import Callable
from functools import cache, wraps
from typing import ParamSpec, TypeVar

import torch

Check = Callable[..., dict | None]
Late = Callable[[], Check]
Kind = Callable[[str, object], None]
Class = TypeVar("Class", bound=type)
Given = ParamSpec("Given")
Result = TypeVar("Result")

_BY_NAME = inspect.Parameter.POSITIONAL_OR_KEYWORD


class _Place(threading.local):
    """Whether a thread is behind a door."""

    inside = False


_place = _Place()


def door(
    check: Check | Late, *, always: bool = False
) -> Callable[[Callable[Given, Result]], Callable[Given, Result]]:
    """Decorate a function with the check of its arguments, for calls from outside.

    Args:
        check: Takes those arguments that it names. A name that the function does not
            have stands for the object of a method. It raises if something does not
            fit, and may return arguments to take instead. A check that stands below
            what it guards is given as a function without arguments that returns it:
            `door(lambda: check)`. It is looked up at the first call, and only once.
        always: Whether calls from behind a door are checked too.
    """

    def guard(function: Callable[Given, Result]) -> Callable[Given, Result]:
        ask = _asker(check, function)

        @wraps(function)
        def guarded(*args: Given.args, **kwargs: Given.kwargs) -> Result:
            if _recording() or (_place.inside and not always):
                return function(*args, **kwargs)
            args, kwargs = ask(args, kwargs)
            before, _place.inside = _place.inside, True
            try:
                return function(*args, **kwargs)
            finally:
                _place.inside = before

        # Code of its own: the compiler counts what it has made of each piece of code.
        guarded.__code__ = guarded.__code__.replace()
        return guarded

    return guard


def doors(**checks: Check | Late) -> Callable[[Class], Class]:
    """Decorate a class with the checks of its methods' arguments.

    Args:
        checks: By the name of the method, as for `door`. `init` is the constructor,
            which always checks.
    """

    def guard(cls: Class) -> Class:
        for name, check in checks.items():
            if name == "init":
                cls.__init__ = _checked_init(cls.__init__, check)
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


def _asker(check: Check | Late, function: Callable) -> Callable[[tuple, dict], tuple]:
    """Return what checks the arguments of a call and returns those to take."""
    signature = inspect.signature(function)

    @cache
    def found() -> tuple[Check, list[str]]:
        names = list(inspect.signature(check).parameters)
        if names:
            return check, names
        late = check()
        return late, list(inspect.signature(late).parameters)

    def ask(args: tuple, kwargs: dict) -> tuple[tuple, dict]:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError:
            return args, kwargs  # Python says what is wrong when the call is made
        bound.apply_defaults()
        given = bound.arguments
        asked, names = found()
        changed = asked(*(given[n] if n in given else given["self"] for n in names))
        if not changed:
            return args, kwargs
        given.update(changed)
        return bound.args, bound.kwargs

    return ask


def _checked_init(init: Callable, check: Check | Late) -> Callable:
    """Return a constructor that checks its arguments first."""
    ask = _asker(check, init)

    @wraps(init)
    def checked(*args, **kwargs) -> None:
        ask(args, kwargs)
        init(*args, **kwargs)

    return checked
