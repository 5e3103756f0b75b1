"""Answers to the exercises on residual connections, right and wrong ones."""

from itertools import pairwise

import torch


def parts(x, sublayers):
    entries = [x]
    for sublayer in sublayers:
        entries.append(sublayer(x))
        x = x + entries[-1]
    return entries


def as_a_tensor(x, sublayers):
    return torch.stack(parts(x, sublayers))


def one_by_one(x, sublayers):
    yield x
    for sublayer in sublayers:
        change = sublayer(x)
        yield change
        x = x + change


def by_differences(x, sublayers):
    stream = [x]
    for sublayer in sublayers:
        stream.append(stream[-1] + sublayer(stream[-1]))
    return (x, *(b - a for a, b in pairwise(stream)))


def all_read_the_input(x, sublayers):
    return [x] + [sublayer(x) for sublayer in sublayers]


def without_the_input(x, sublayers):
    return parts(x, sublayers)[1:]


def the_stream(x, sublayers):
    stream = [x]
    for sublayer in sublayers:
        stream.append(stream[-1] + sublayer(stream[-1]))
    return stream


def a_plain_stack(x, sublayers):
    entries = [x]
    for sublayer in sublayers:
        entries.append(sublayer(entries[-1]))
    return entries


def added_in_place(x, sublayers):
    entries = [x.clone()]
    for sublayer in sublayers:
        entries.append(sublayer(x))
        x += entries[-1]
    return entries


def backward(x, sublayers):
    return parts(x, sublayers)[::-1]


def evenly(x, sublayers):
    first, *others = parts(x, sublayers)
    return [first] + [sum(others) / len(others)] * len(others)


def in_another_order(x, sublayers):
    return parts(x, sublayers[::-1])


def of_three(x, sublayers):
    return parts(x, sublayers[:3])


def each_once(x, sublayers):
    """Looks up what a sublayer has added before."""
    known = {}
    for sublayer in sublayers:
        known.setdefault(sublayer, sublayer(x))
        x = x + known[sublayer]
    first = x - sum(known[sublayer] for sublayer in sublayers)
    return [first, *(known[sublayer] for sublayer in sublayers)]


def without_repeats(x, sublayers):
    return parts(x, dict.fromkeys(sublayers))


def turned(x, sublayers):
    first, *others = parts(x, sublayers)
    return [first, *others[::-1]]


RIGHT = [
    ("ex-residual-paths", (3, 0.75, 0.125)),
    ("ex-residual-paths", (3.0, 3 / 4, 1 / 8)),
    ("ex-residual-parts", (parts,)),
    ("ex-residual-parts", (as_a_tensor,)),
    ("ex-residual-parts", (one_by_one,)),
    ("ex-residual-parts", (by_differences,)),
    ("ex-residual-predict", ("little", "little", "much", "much")),
]

WRONG = [
    ("ex-residual-paths", (2, 0.75, 0.125), "go around one"),
    ("ex-residual-paths", (6, 1.5, 0.125), "go around one"),
    ("ex-residual-paths", (1, 0.25, 0.125), "go around one"),
    ("ex-residual-paths", (3, 0.25, 0.125), "all paths of two"),
    ("ex-residual-paths", (3, -0.75, 0.125), "all paths of two"),
    ("ex-residual-paths", (3, 0.75, -0.125), "1 + w"),
    ("ex-residual-paths", (3, 0.75, 3.375), "1 + w"),
    ("ex-residual-paths", (3, 0.75, 0.5), "1 + w"),
    ("ex-residual-parts", (without_the_input,), "one for each sublayer"),
    ("ex-residual-parts", (added_in_place,), "must not be changed"),
    ("ex-residual-parts", (backward,), "first entry is x"),
    ("ex-residual-parts", (all_read_the_input,), "what does each sublayer read"),
    ("ex-residual-parts", (the_stream,), "what does each sublayer read"),
    ("ex-residual-parts", (a_plain_stack,), "what does each sublayer read"),
    ("ex-residual-parts", (in_another_order,), "what does each sublayer read"),
    ("ex-residual-parts", (evenly,), "its own sublayer"),
    ("ex-residual-parts", (turned,), "its own sublayer"),
    ("ex-residual-parts", (of_three,), "of any length"),
    ("ex-residual-parts", (each_once,), "comes again"),
    ("ex-residual-parts", (without_repeats,), "comes again"),
    ("ex-residual-predict", ("a bit", "little", "much", "much"), "answer with"),
    ("ex-residual-predict", ("much", "little", "much", "much"), "a second time"),
    ("ex-residual-predict", ("little", "much", "much", "much"), "in either order"),
    (
        "ex-residual-predict",
        ("little", "little", "little", "much"),
        "was it trained to",
    ),
    ("ex-residual-predict", ("little", "little", "much", "little"), "come after it"),
    ("ex-residual-predict", ("much", "much", "much", "much"), "a second time"),
]
