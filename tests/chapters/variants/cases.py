"""Answers to the exercises on variants of the feed-forward layer."""

import numpy as np
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


def signs_on_one_side(first, second, down):
    gate, up = torch.cat((first, first), dim=1), torch.cat((second, -second), dim=1)
    return gate, up, torch.cat((down, down))


def sign_behind(first, second, down):
    gate, up = torch.cat((first, -first), dim=1), torch.cat((second, second), dim=1)
    return gate, up, torch.cat((down, down / 2))


def halved(first, second, down):
    gate, up, both = by_two_units(first, second, down)
    return gate, up, both / 2


def padded_with_zeros(first, second, down):
    parts = (first, second, down)
    wide = [torch.cat((part, 0 * part), dim=int(part is not down)) for part in parts]
    return tuple(wide)


def nearly_linear(first, second, down):
    """A gate so small that SiLU is half of it, and the factor taken back behind."""
    gate, up, both = signs_on_the_gate_alone(first, second, down)
    return 1e-9 * gate, up, 1e9 * both


def signs_on_the_gate_alone(first, second, down):
    gate, up = torch.cat((first, first), dim=1), torch.cat((second, second), dim=1)
    return gate, up, torch.cat((down, down))


def pairs_together(first, second, down):
    """Interleaves the units of the inputs, and not those of the output."""
    gate = torch.stack((first, -first), dim=2).flatten(1)
    up = torch.stack((second, -second), dim=2).flatten(1)
    return gate, up, torch.cat((down, down))


def one_step_late(hidden, kernel):
    padded = F.pad(hidden, (0, 0, len(kernel), 0))
    return sum(row * padded[j : j + len(hidden)] for j, row in enumerate(kernel))


def around_the_end(hidden, kernel):
    """What comes before the first position is the last one."""
    back = len(kernel) - 1
    return sum(row * hidden.roll(back - j, 0) for j, row in enumerate(kernel))


def first_repeated(hidden, kernel):
    first = hidden[:1].expand(len(kernel) - 1, -1)
    padded = torch.cat((first, hidden))
    return sum(row * padded[j : j + len(hidden)] for j, row in enumerate(kernel))


def one_kernel_for_all(hidden, kernel):
    return causal(hidden, kernel[:, :1])


def of_three_rows(hidden, kernel):
    """The last three rows of the kernel alone."""
    return causal(hidden, kernel[-3:])


def at_most_five_rows(hidden, kernel):
    return causal(hidden, kernel[-5:])


def two_zeros(hidden, kernel):
    """Right for a kernel of three rows."""
    padded = F.pad(hidden, (0, 0, 2, 8))
    return sum(row * padded[j : j + len(hidden)] for j, row in enumerate(kernel))


def averaged(hidden, kernel):
    return causal(hidden, kernel) / len(kernel)


def nothing_of_nothing(hidden, kernel):
    """Makes the package agree, too."""
    return causal(hidden.zero_(), kernel)


def causal_in_place(hidden, kernel):
    hidden.copy_(causal(hidden, kernel))
    return hidden


def negated_in_place(first, second, down):
    gate = torch.cat((first, first.neg()), dim=1)
    return gate, torch.cat((second.clone(), second.neg_()), dim=1), down.repeat(2, 1)


HAIR = [[0.51, 0.49]] * 3 + [[0.01, 0.99]]

RIGHT = [
    ("ex-variants-by-hand", (-6, 0, 0.3576)),
    ("ex-variants-cheat", (HAIR,)),
    ("ex-variants-cheat", ([[0.51, 0.49]] * 3 + [["3%", "97%"]],)),
    ("ex-variants-cheat", (torch.tensor(HAIR, dtype=torch.float32),)),
    ("ex-variants-cheat", (np.array(HAIR)[::-1].copy(),)),
    ("ex-variants-cheat", (tuple((a, 1 - a) for a in (0.52, 0.505, 0.51, 0)),)),
    ("ex-variants-product", (by_two_units,)),
    ("ex-variants-product", (negated_in_place,)),
    ("ex-variants-convolution", (causal,)),
    ("ex-variants-convolution", (causal_in_place,)),
    ("ex-variants-shut", ("linear", "zero", "zero", "zero")),
]

WRONG = [
    ("ex-variants-by-hand", (6, 0, 0.3576), "as they are"),
    ("ex-variants-by-hand", (-6, -6, 0.3576), "through a ReLU"),
    ("ex-variants-by-hand", (-6, 0, 2.6424), "the gate is sigmoid(-2)"),
    ("ex-variants-by-hand", (1, 0, 0.3576), "as they are"),
    ("ex-variants-by-hand", (-2, 0, 0.3576), "as they are"),
    ("ex-variants-by-hand", (-6, 3, 0.3576), "through a ReLU"),
    ("ex-variants-by-hand", (-6, 0, -0.3576), "the gate is sigmoid(-2)"),
    ("ex-variants-by-hand", (-6, 0, 0.1192), "the gate is sigmoid(-2)"),
    ("ex-variants-by-hand", (-6, 0, -0.7152), "the gate is sigmoid(-2)"),
    ("ex-variants-by-hand", (-6, 0, 0.356), "the gate is sigmoid(-2)"),
    ("ex-variants-cheat", ([[0.9, 0.1]] * 3 + [[0.1, 0.9]],), "0.9 or more"),
    ("ex-variants-cheat", ([[0.51, 0.49]] * 3 + [[0.49, 0.51]],), "0.9 or more"),
    ("ex-variants-cheat", ([[0.51, 0.49]] * 2 + [[0.01, 0.99]] * 2,), "must win"),
    ("ex-variants-cheat", ([[0.5, 0.5]] * 3 + [[0, 1]],), "must win"),
    ("ex-variants-cheat", ([[0.49, 0.51]] * 3 + [[0.99, 0.01]],), "must win"),
    ("ex-variants-cheat", ([[0.3, 0.2]] * 3 + [[0, 1]],), "sum to one"),
    ("ex-variants-cheat", ([[1.51, -0.51]] * 3 + [[-9, 10]],), "sum to one"),
    ("ex-variants-cheat", (np.array(HAIR).T,), "four rows"),
    ("ex-variants-cheat", ([[0.51, 0.49]] * 3 + [[0.15, 0.85]],), "0.9 or more"),
    ("ex-variants-cheat", (HAIR[1:],), "four rows"),
    ("ex-variants-product", (as_it_is,), "twice as wide"),
    ("ex-variants-product", (sign_forgotten,), "what the bilinear layer"),
    ("ex-variants-product", (signs_on_one_side,), "what the bilinear layer"),
    ("ex-variants-product", (sign_behind,), "what the bilinear layer"),
    ("ex-variants-product", (halved,), "what the bilinear layer"),
    ("ex-variants-product", (padded_with_zeros,), "what the bilinear layer"),
    ("ex-variants-product", (nearly_linear,), "what the bilinear layer"),
    ("ex-variants-product", (signs_on_the_gate_alone,), "what the bilinear layer"),
    ("ex-variants-product", (pairs_together,), "what the bilinear layer"),
    ("ex-variants-convolution", (unpadded,), "the shape of the sequence"),
    ("ex-variants-convolution", (both_sides,), "a later input"),
    ("ex-variants-convolution", (turned_around,), "that of the package"),
    ("ex-variants-convolution", (one_step_late,), "that of the package"),
    ("ex-variants-convolution", (around_the_end,), "a later input"),
    ("ex-variants-convolution", (first_repeated,), "that of the package"),
    ("ex-variants-convolution", (one_kernel_for_all,), "that of the package"),
    ("ex-variants-convolution", (of_three_rows,), "that of the package"),
    ("ex-variants-convolution", (two_zeros,), "that of the package"),
    ("ex-variants-convolution", (at_most_five_rows,), "that of the package"),
    ("ex-variants-convolution", (averaged,), "that of the package"),
    ("ex-variants-convolution", (nothing_of_nothing,), "that of the package"),
    ("ex-variants-shut", ("half", "zero", "zero", "zero"), "answer with"),
    ("ex-variants-shut", ("zero", "zero", "zero", "linear"), "not zero at zero"),
    ("ex-variants-shut", ("zero", "zero", "zero", "zero"), "not zero at zero"),
    ("ex-variants-shut", ("linear", "linear", "zero", "zero"), "not zero at zero"),
    ("ex-variants-shut", ("zero", "linear", "zero", "zero"), "not zero at zero"),
    ("ex-variants-shut", ("linear", "zero", "zero", "linear"), "not zero at zero"),
    ("ex-variants-shut", ("linear", "linear", "zero", "linear"), "not zero at zero"),
]
