"""Answers to the exercises on rotary position embedding, right ones and wrong ones."""

import torch


def rotate(sign=1.0, step=1.0):
    """The right answer, or one that turns the wrong way or by another angle."""

    def answer(x, position, frequencies):
        angles = sign * step * position * frequencies
        first, second = x.chunk(2)
        c, s = angles.cos(), angles.sin()
        return torch.cat((first * c - second * s, second * c + first * s))

    return answer


def without_partners(x, position, frequencies):
    first, second = x.chunk(2)
    c = (position * frequencies).cos()
    return torch.cat((first * c, second * c))


def to_half(weight, num_heads):
    heads = weight.unflatten(0, (num_heads, -1))
    return torch.cat((heads[:, 0::2], heads[:, 1::2]), dim=1).flatten(end_dim=1)


def across_heads(weight, num_heads):
    return torch.cat((weight[0::2], weight[1::2]))


RIGHT = [
    ("ex-rotary-by-hand", (7, -7, 7)),
    ("ex-rotary-code", (rotate(),)),
    ("ex-rotary-layout-code", (to_half,)),
    ("ex-rotary-think", ("stays", "changes", "changes", "stays")),
]

WRONG = [
    ("ex-rotary-by-hand", (1, -7, 7), "by one quarter"),
    ("ex-rotary-by-hand", (7, 7, 7), "sign of the offset"),
    ("ex-rotary-by-hand", (7, -7, -7), "three quarters"),
    ("ex-rotary-code", (lambda x, *_: x[:2],), "shape"),
    ("ex-rotary-code", (lambda x, *_: 2 * x,), "position 0"),
    ("ex-rotary-code", (without_partners,), "length"),
    ("ex-rotary-code", (rotate(sign=-1.0),), "counterclockwise"),
    ("ex-rotary-layout-code", (lambda weight, _: weight[:2],), "shape"),
    ("ex-rotary-layout-code", (lambda weight, _: 2 * weight,), "another order"),
    ("ex-rotary-layout-code", (lambda weight, _: weight.flip(0),), "single head"),
    ("ex-rotary-layout-code", (across_heads,), "each head"),
    ("ex-rotary-think", ("no", "changes", "changes", "stays"), "answer with"),
    ("ex-rotary-think", ("changes", "changes", "changes", "stays"), "raised"),
    ("ex-rotary-think", ("stays", "stays", "changes", "stays"), "doubled"),
    ("ex-rotary-think", ("stays", "changes", "stays", "stays"), "swapped"),
    ("ex-rotary-think", ("stays", "changes", "changes", "changes"), "turn alike"),
]
