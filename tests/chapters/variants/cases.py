"""Answers to the exercises on variants of the feed-forward layer."""

import torch
import torch.nn.functional as F


def by_two_units(first, second, down):
    gate, up = torch.cat((first, -first), dim=1), torch.cat((second, -second), dim=1)
    return gate, up, torch.cat((down, down))


def as_it_is(first, second, down):
    return first, second, down


def sign_forgotten(first, second, down):
    gate, up = torch.cat((first, -first), dim=1), torch.cat((second, second), dim=1)
    return gate, up, torch.cat((down, down))


def causal(hidden, kernel):
    padded = F.pad(hidden, (0, 0, len(kernel) - 1, 0))
    return sum(row * padded[j : j + len(hidden)] for j, row in enumerate(kernel))


def both_sides(hidden, kernel):
    back = len(kernel) // 2
    padded = F.pad(hidden, (0, 0, back, len(kernel) - 1 - back))
    return sum(row * padded[j : j + len(hidden)] for j, row in enumerate(kernel))


def unpadded(hidden, kernel):
    time = len(hidden) - len(kernel) + 1
    return sum(row * hidden[j : j + time] for j, row in enumerate(kernel))


def turned_around(hidden, kernel):
    return causal(hidden, kernel.flip(0))


RIGHT = [
    ("ex-variants-by-hand", (-6, 0, 0.3576)),
    ("ex-variants-product", (by_two_units,)),
    ("ex-variants-convolution", (causal,)),
    ("ex-variants-shut", ("linear", "zero", "zero", "zero")),
]

WRONG = [
    ("ex-variants-by-hand", (6, 0, 0.3576), "as they are"),
    ("ex-variants-by-hand", (-6, -6, 0.3576), "through a ReLU"),
    ("ex-variants-by-hand", (-6, 0, 2.6424), "the gate is sigmoid(-2)"),
    ("ex-variants-product", (as_it_is,), "twice as wide"),
    ("ex-variants-product", (sign_forgotten,), "what the bilinear layer"),
    ("ex-variants-convolution", (unpadded,), "the shape of the sequence"),
    ("ex-variants-convolution", (both_sides,), "a later input"),
    ("ex-variants-convolution", (turned_around,), "that of the package"),
    ("ex-variants-shut", ("half", "zero", "zero", "zero"), "answer with"),
    ("ex-variants-shut", ("zero", "zero", "zero", "linear"), "not zero at zero"),
]
