"""Calls that Python refuses, where a sentence can say what to write."""

import inspect
from collections.abc import Callable
from functools import wraps
from inspect import Parameter

from transformer.checks.names import meant

ATTENDED = ("query", "key", "value")
# What has no like here, and what to write instead.
INSTEAD = {"is_causal": "mask=causal_mask(length), which stands in transformer.layers"}
WRITTEN = {"attention_maps": "with attention_maps(model) as maps: model(ids)"}


def explain_call(
    function: str, signature: inspect.Signature, args: tuple, kwargs: dict
) -> str:
    """Return what is wrong with a call, or nothing where Python's own words do.

    Python says by itself what is missing, and counts an object among the arguments.

    Args:
        function: The name of what is called.
        signature: Its parameters.
        args: What is given by place.
        kwargs: What is given by name.
    """
    known = {n: p for n, p in signature.parameters.items() if n != "self"}
    kinds = [parameter.kind for parameter in known.values()]
    for name in kwargs:
        if name not in known and Parameter.VAR_KEYWORD not in kinds:
            if name in INSTEAD and "mask" in known:
                return f"{function}() has no argument {name!r}; write {INSTEAD[name]}."
            hint = meant(name, known) or f"; it takes {', '.join(known)}"
            return f"{function}() has no argument {name!r}{hint}."
    values = args["self" in signature.parameters :]
    by_name = [n for n, p in known.items() if p.kind is Parameter.KEYWORD_ONLY]
    places = [n for n, p in known.items() if p.kind is Parameter.POSITIONAL_OR_KEYWORD]
    if len(values) > len(places) and Parameter.VAR_POSITIONAL not in kinds:
        named = f"name the others, of {', '.join(by_name)}"
        rest = named if by_name else "pass no more"
        if function in WRITTEN:
            rest = f"write {WRITTEN[function]}"
        return (
            f"{function}() must be given {', '.join(places) or 'nothing'} by place, "
            f"got {len(values)} values; {rest}."
        )
    given = {*[*known][: len(values)], *kwargs}
    if {*ATTENDED} <= {*known} and {*ATTENDED} & given == {"query"}:
        return (
            f"{function}() must be given query, key and value, and got only query; for "
            "self-attention pass the same tensor three times, as in attention(x, x, x)."
        )
    return ""


def name_of(function: Callable) -> str:
    """Return the name by which a function is called; a constructor by its class."""
    return function.__qualname__.removesuffix(".__init__")


def explained(function: Callable) -> Callable:
    """Decorate a function without a door of its own: it explains calls, too."""
    signature = inspect.signature(function)

    @wraps(function)
    def called(*args, **kwargs):
        try:
            signature.bind(*args, **kwargs)
        except TypeError:
            if said := explain_call(name_of(function), signature, args, kwargs):
                raise TypeError(said) from None
        return function(*args, **kwargs)

    return called
