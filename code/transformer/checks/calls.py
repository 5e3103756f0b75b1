"""Calls that Python refuses, where a sentence can say what to write."""

import inspect
from collections.abc import Callable
from functools import wraps

from transformer.checks.names import meant

ATTENDED = ("query", "key", "value")


def explain_call(
    function: str, signature: inspect.Signature, args: tuple, kwargs: dict
) -> str:
    """Return what is wrong with a call, or nothing where Python's own words do.

    Args:
        function: The name of what is called.
        signature: Its parameters.
        args: What is given by place.
        kwargs: What is given by name.
    """
    known = signature.parameters
    for name in kwargs:
        if name not in known and (hint := meant(name, [*known])):
            return f"{function}() has no argument {name!r}{hint}."
    given = {*[*known][: len(args)], *kwargs}
    if {*ATTENDED} <= {*known} and {*ATTENDED} & given == {"query"}:
        return (
            f"{function}() must be given query, key and value, and got only query; for "
            "self-attention pass the same tensor three times, as in attention(x, x, x)."
        )
    return ""


def explained(function: Callable) -> Callable:
    """Decorate a function without a door of its own: it explains calls, too."""
    signature = inspect.signature(function)

    @wraps(function)
    def called(*args, **kwargs):
        try:
            signature.bind(*args, **kwargs)
        except TypeError:
            if said := explain_call(function.__name__, signature, args, kwargs):
                raise TypeError(said) from None
        return function(*args, **kwargs)

    return called
