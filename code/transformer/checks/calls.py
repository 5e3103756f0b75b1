"""Calls that Python refuses, where a sentence can say what to write."""

import inspect
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import wraps
from inspect import Parameter
from types import NoneType, UnionType
from typing import Union, get_args, get_origin

from transformer.checks.names import meant

ATTENDED = ("query", "key", "value")
MARK = "explains_calls"
OBJECTS = ("self", "cls")  # what Python passes by itself
# What has no like here, and what to do instead.
INSTEAD = {
    "batch_first": "leave it out, the batch is always the first axis",
    "device": "move what is returned, with .to(device)",
    "is_causal": "write mask=causal_mask(length), which stands in transformer.layers",
    "labels": "compare the logits with torch.nn.functional.cross_entropy",
}
_BATCHES = "make them by sorted_batches(examples, batch_size=64)"
# How to come by what is missing, or is of another kind.
MADE = {
    **dict.fromkeys(["batches", "each of batches"], _BATCHES),
    "examples": "make them by encode_pairs(pairs, tokenizer)",
    "config": "make one, such as TransformerConfig(vocab_size=100)",
    "folder": "pass a str or a Path",
    "merges": "make the tokenizer by SubwordTokenizer.fit(texts)",
    "model": "make one and pass it, or load one by transformer.zoo.load",
    "path": "pass a str or a Path",
    "pieces": "make the tokenizer by {}.fit(texts)",
    "text": "pass one text at a time",
}
_WIDER = (Parameter.empty, Sequence, bool, float, int, object)
WRITTEN = {"attention_maps": "with attention_maps(model) as maps: model(ids)"}


def explain_call(
    call: Callable, signature: inspect.Signature, args: tuple, kwargs: dict
) -> str:
    """Return what is wrong with a call, or nothing where Python's own words do.

    Args:
        call: What is called.
        signature: Its parameters.
        args: What is given by place.
        kwargs: What is given by name.
    """
    known = {n: p for n, p in signature.parameters.items() if n not in OBJECTS}
    values = args[len(signature.parameters) - len(known) :]
    given = [*[*known][: len(values)], *kwargs]
    function = name_of(call, args)
    said = (
        _unknown(known, kwargs)
        or _too_many(function, known, len(values))
        or _missing(function, known, given)
    )
    return f"{function}() {said}." if said else ""


def _unknown(known: Mapping[str, Parameter], names: Iterable[str]) -> str:
    """Say which name is none, and what to write."""
    if any(parameter.kind is Parameter.VAR_KEYWORD for parameter in known.values()):
        return ""
    for name in names:
        if name not in known:
            others = INSTEAD.get(name, f"it takes {', '.join(known)}")
            return f"has no argument {name!r}{meant(name, known) or f'; {others}'}"
    return ""


def _too_many(function: str, known: Mapping[str, Parameter], count: int) -> str:
    """Say which arguments have a place, where there are more values."""
    kinds = [parameter.kind for parameter in known.values()]
    places = [n for n, p in known.items() if p.kind is Parameter.POSITIONAL_OR_KEYWORD]
    if count <= len(places) or Parameter.VAR_POSITIONAL in kinds:
        return ""
    by_name = [n for n, p in known.items() if p.kind is Parameter.KEYWORD_ONLY]
    rest = f"name the others, of {', '.join(by_name)}" if by_name else "pass no more"
    if function in WRITTEN:
        rest = f"write {WRITTEN[function]}"
    return (
        f"must be given {_listed(places) or 'nothing'} by place, got {count} "
        f"value{'s' * (count > 1)}; {rest}"
    )


def _missing(
    function: str, known: Mapping[str, Parameter], given: Collection[str]
) -> str:
    """Say what must be given, where something of it is not."""
    if {*ATTENDED} <= {*known} and {*ATTENDED} & {*given} == {"query"}:
        return (
            "must be given query, key and value, and got only query; for "
            "self-attention pass the same tensor three times, as in attention(x, x, x)"
        )
    variable = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    parameters = [p for p in known.values() if p.kind not in variable]
    needed = [p.name for p in parameters if p.default is Parameter.empty]
    missing = _listed([name for name in needed if name not in given])
    if not missing:
        return ""
    remedy = MADE.get(missing, f"pass {missing}{' too' * bool(given)}")
    return (
        f"must be given {_listed(needed)}, got {_listed(given) or 'nothing'}; "
        f"{remedy.format(function)}"
    )


def _listed(names: Collection[str]) -> str:
    """Return names as a sentence lists them."""
    *first, last = names or [""]
    return " and ".join([*[", ".join(first)] * bool(first), last])


def name_of(function: Callable, args: tuple = ()) -> str:
    """Return the name by which a function is called; a constructor by its class.

    Args:
        function: A function or a method.
        args: What it was given; of a method, its object or class first.
    """
    name = function.__qualname__
    if args and next(iter(inspect.signature(function).parameters), None) in OBJECTS:
        owner = args[0] if isinstance(args[0], type) else type(args[0])
        name = f"{owner.__name__}.{function.__name__}"
    return name.removesuffix(".__init__")


def explained(function: Callable) -> Callable:
    """Decorate a function without a door: what Python refuses of a call is explained.

    A call that succeeds costs nothing more.
    """
    mark(function)

    @wraps(function)
    def called(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except (AttributeError, TypeError) as error:
            _explain(function, args, kwargs, error)
            raise

    return called


def _explain(function: Callable, args: tuple, kwargs: dict, error: Exception) -> None:
    """Say what of a call does not fit the parameters, if anything of it does not.

    A value that a sentence has refused is left alone: Python's own have no full stop.
    """
    signature = inspect.signature(function)
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError:
        if said := explain_call(function, signature, args, kwargs):
            raise TypeError(said) from None
        return
    given = {} if str(error).endswith(".") else bound.arguments
    for name, value in given.items():
        kinds = _kinds(signature.parameters[name].annotation)
        if kinds and not isinstance(value, kinds):
            raise refused_kind(name, value, kinds)


def _kinds(annotation: object) -> tuple[type, ...]:
    """Return the classes that an annotation names; none where it says something else.

    What only behaves as a sequence does or a number is one, too.
    """
    union = get_origin(annotation) in (Union, UnionType)
    parts = get_args(annotation) if union else (annotation,)
    kinds = [get_origin(part) or getattr(part, "array_type", part) for part in parts]
    unclear = any(not isinstance(kind, type) or kind in _WIDER for kind in kinds)
    return () if unclear else tuple(kinds)


def refused_kind(name: str, value: object, kinds: Collection[type]) -> TypeError:
    """Return the error for a value that is an instance of none of some classes."""
    names = " or ".join(kind.__name__ for kind in kinds if kind is not NoneType)
    return TypeError(
        f"{name} must be a{'n' * (names[0] in 'AEIO')} {names}, got "
        f"{type(value).__name__}; {MADE.get(name, 'make one and pass it')}."
    )


def mark(function: Callable) -> None:
    """Remember that what wraps a function explains its calls; `wraps` copies this."""
    vars(function)[MARK] = True


def explain_exports(room: str, names: Iterable[str]) -> None:
    """Let functions and constructors that a room exports explain calls, if none does.

    Tuples are left as they are: they are results, made where time counts.
    """
    for name in names:
        one = vars(sys.modules[room])[name]
        if isinstance(one, type):
            made = vars(one).get("__init__")
            if inspect.isfunction(made) and not hasattr(made, MARK):
                one.__init__ = explained(made)
        elif inspect.isfunction(one) and not hasattr(one, MARK):
            wrapped = explained(one)
            for place in (room, one.__module__):
                setattr(sys.modules[place], name, wrapped)
