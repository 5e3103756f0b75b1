"""Answers to the exercises on rotary position embedding, right ones and wrong ones."""

import math

import torch

from transformer.layers import RotaryEmbedding


def rotate(sign=1.0, step=1.0):
    """The right answer, or one that turns the wrong way or by another angle."""

    def answer(x, position, frequencies):
        angles = sign * step * position * frequencies
        first, second = x.chunk(2)
        c, s = angles.cos(), angles.sin()
        return torch.cat((first * c - second * s, second * c + first * s))

    return answer


PLACES = (1, 2), (2, 1), (6, 3)  # of the query and the key


def score(query_at, key_at):
    """The score by hand, computed with sines, which leaves some rounding."""
    turned = []
    for x, place in (((1.0, 2.0), query_at), ((3.0, -1.0), key_at)):
        c, s = math.cos(place * math.pi / 2), math.sin(place * math.pi / 2)
        turned.append((c * x[0] - s * x[1], s * x[0] + c * x[1]))
    return sum(one * other for one, other in zip(*turned, strict=True))


def without_partners(x, position, frequencies):
    first, second = x.chunk(2)
    c = (position * frequencies).cos()
    return torch.cat((first * c, second * c))


def to_half(weight, num_heads):
    heads = weight.unflatten(0, (num_heads, -1))
    return torch.cat((heads[:, 0::2], heads[:, 1::2]), dim=1).flatten(end_dim=1)


def across_heads(weight, num_heads):
    return torch.cat((weight[0::2], weight[1::2]))


def rotate_by_the_package(x, position, frequencies):
    rotary = RotaryEmbedding(x.size(-1), layout="half")
    return rotary(x[None], torch.tensor([position]))[0]


def rotate_by_its_own(x, position, frequencies):
    """The frequencies are never read."""
    planes = torch.arange(x.numel() // 2)
    return rotate()(x, position, 10_000.0 ** (-2 * planes / x.numel()))


def rotate_pairs(x, position, frequencies):
    """The interleaved layout."""
    angles = position * frequencies
    first, second = x[0::2], x[1::2]
    c, s = angles.cos(), angles.sin()
    return torch.stack((first * c - second * s, second * c + first * s), 1).flatten()


def rotate_with_two_signs(x, position, frequencies):
    angles = position * frequencies
    first, second = x.chunk(2)
    c, s = angles.cos(), angles.sin()
    return torch.cat((first * c + second * s, second * c + first * s))


def rotate_the_partner_late(x, position, frequencies):
    """The second half reads what the first has become."""
    angles = position * frequencies
    first, second = x.chunk(2)
    c, s = angles.cos(), angles.sin()
    first = first * c - second * s
    return torch.cat((first, second * c + first * s))


def rotate_all_alike(x, position, frequencies):
    return rotate()(x, position, frequencies[:1].expand(x.numel() // 2))


def rotate_halves_exchanged(x, position, frequencies):
    first, second = rotate()(x, position, frequencies).chunk(2)
    return torch.cat((second, first)) if position else x


def rotate_where_it_is_short(x, position, frequencies):
    """Turns by the position, once around at most."""
    return rotate()(x, position % 7, frequencies)


def rotate_to_whole_places(x, position, frequencies):
    return rotate()(x, int(position), frequencies)


def rotate_if_there_are_planes(x, position, frequencies):
    """Takes two features for too few."""
    return rotate()(x, position, frequencies) if x.numel() > 2 else x


def blocks_of_eight(weight, num_heads):
    """Takes heads of eight rows wherever their number allows it."""
    heads = len(weight) // 8 if len(weight) % 8 == 0 else num_heads
    return to_half(weight, heads)


def heads_of_ten(weight, num_heads):
    """The number of heads is never read."""
    return to_half(weight, len(weight) // 10)


def back_again(weight, num_heads):
    """From the half layout to the interleaved one."""
    heads = weight.unflatten(0, (num_heads, 2, -1))
    return heads.transpose(1, 2).flatten(0, 2)


def columns_moved(weight, num_heads):
    return torch.cat((weight[:, 0::2], weight[:, 1::2]), dim=1)


def odd_rows_first(weight, num_heads):
    heads = weight.unflatten(0, (num_heads, -1))
    return torch.cat((heads[:, 1::2], heads[:, 0::2]), dim=1).flatten(end_dim=1)


def first_head_alone(weight, num_heads):
    size = len(weight) // num_heads
    return torch.cat((to_half(weight[:size], 1), weight[size:]))


def heads_backwards(weight, num_heads):
    heads = to_half(weight, num_heads).unflatten(0, (num_heads, -1))
    return heads.flip(0).flatten(end_dim=1)


def rotate_in_place(x, position, frequencies):
    x.copy_(rotate()(x, position, frequencies))
    return x


def turn_neighbors(x, position):
    return rotate_pairs(x, position, 10_000.0 ** (-torch.arange(0, len(x), 2) / len(x)))


def pointer(key, back):
    return turn_neighbors(key, -back)


def point_with_a_list(key, back):
    return [3 * number for number in pointer(key, back).tolist()]


def point_at_most(most):
    return lambda key, back: pointer(key, min(back, most))


def point_in_the_fast_plane(key, back):
    return torch.cat((pointer(key, back)[:2], key[2:]))


def point_in_the_other_layout(key, back):
    return rotate_by_its_own(key, -back, None)


def point_by_whole_turns(key, back):
    """All planes as fast as the first."""
    return rotate_pairs(key, -back, torch.ones(len(key) // 2))


RIGHT = [
    ("ex-rotary-point", (pointer,)),
    ("ex-rotary-point", (point_with_a_list,)),
    ("ex-rotary-by-hand", (7, -7, 7)),
    ("ex-rotary-by-hand", tuple(score(*places) for places in PLACES)),
    ("ex-rotary-code", (rotate(),)),
    ("ex-rotary-code", (rotate_in_place,)),
    ("ex-rotary-layout-code", (to_half,)),
    ("ex-rotary-think", ("stays", "changes", "changes", "stays")),
    ("ex-rotary-layout-code", ([0, 2, 1, 3, 4, 6, 5, 7],)),
    ("ex-rotary-layout-code", (torch.tensor([0, 2, 1, 3, 4, 6, 5, 7]),)),
    ("ex-rotary-layout-code", (["0", 2.0, "1", 3, 4, 6, 5, "7."],)),
]

WRONG = [
    ("ex-rotary-point", (lambda key, back: key[:2],), "one query"),
    ("ex-rotary-point", (lambda key, back: 0 * key,), "back = 0"),
    ("ex-rotary-point", (lambda key, back: key,), "back = 1"),
    ("ex-rotary-point", (lambda key, back: turn_neighbors(key, back),), "or ahead"),
    ("ex-rotary-point", (point_at_most(1),), "any distance"),
    ("ex-rotary-point", (point_at_most(40),), "any distance"),
    ("ex-rotary-point", (point_in_the_fast_plane,), "any distance"),
    ("ex-rotary-point", (point_in_the_other_layout,), "back = 1"),
    ("ex-rotary-point", (point_by_whole_turns,), "back = 1"),
    ("ex-rotary-by-hand", (1, -7, 7), "by one quarter"),
    ("ex-rotary-by-hand", (7.01, -7, 7), "by one quarter"),
    ("ex-rotary-by-hand", (7, 7, 7), "sign of the offset"),
    ("ex-rotary-by-hand", (7, -7, -7), "three quarters"),
    ("ex-rotary-by-hand", (-7, -7, 7), "by one quarter"),
    ("ex-rotary-by-hand", (-1, -7, 7), "by one quarter"),
    ("ex-rotary-by-hand", (7, 1, 7), "sign of the offset"),
    ("ex-rotary-by-hand", (7, -7, 1), "three quarters"),
    ("ex-rotary-by-hand", (7, -7, -1), "three quarters"),
    ("ex-rotary-code", (lambda x, *_: x[:2],), "shape"),
    ("ex-rotary-code", (lambda x, *_: 2 * x,), "position 0"),
    ("ex-rotary-code", (without_partners,), "length"),
    ("ex-rotary-code", (rotate(sign=-1.0),), "counterclockwise"),
    ("ex-rotary-code", (rotate_by_the_package,), "without the package"),
    ("ex-rotary-code", (rotate_by_its_own,), "frequency"),
    ("ex-rotary-code", (rotate_pairs,), "pair feature i"),
    ("ex-rotary-code", (rotate_with_two_signs,), "length"),
    ("ex-rotary-code", (rotate_the_partner_late,), "length"),
    ("ex-rotary-code", (rotate_all_alike,), "counterclockwise"),
    ("ex-rotary-code", (rotate_halves_exchanged,), "counterclockwise"),
    ("ex-rotary-code", (rotate_where_it_is_short,), "counterclockwise"),
    ("ex-rotary-code", (rotate(step=2.0),), "counterclockwise"),
    ("ex-rotary-code", (rotate_to_whole_places,), "the position times its frequency"),
    ("ex-rotary-code", (rotate_if_there_are_planes,), "each plane must turn"),
    ("ex-rotary-layout-code", (lambda weight, _: weight[:2],), "shape"),
    ("ex-rotary-layout-code", (lambda weight, _: 2 * weight,), "another order"),
    ("ex-rotary-layout-code", (lambda weight, _: weight.flip(0),), "single head"),
    ("ex-rotary-layout-code", (across_heads,), "each head"),
    ("ex-rotary-layout-code", (heads_of_ten,), "each head"),
    ("ex-rotary-layout-code", (blocks_of_eight,), "each head"),
    ("ex-rotary-layout-code", (back_again,), "single head"),
    ("ex-rotary-layout-code", (columns_moved,), "another order"),
    ("ex-rotary-layout-code", (odd_rows_first,), "single head"),
    ("ex-rotary-layout-code", (first_head_alone,), "each head"),
    ("ex-rotary-layout-code", (heads_backwards,), "each head"),
    ("ex-rotary-think", ("no", "changes", "changes", "stays"), "answer with"),
    ("ex-rotary-think", ("changes", "changes", "changes", "stays"), "raised"),
    ("ex-rotary-think", ("stays", "stays", "changes", "stays"), "doubled"),
    ("ex-rotary-think", ("stays", "changes", "stays", "stays"), "swapped"),
    ("ex-rotary-think", ("stays", "changes", "changes", "changes"), "turn alike"),
    ("ex-rotary-think", ("changes", "stays", "stays", "changes"), "raised"),
    ("ex-rotary-layout-code", ([0, 2, 4, 6, 1, 3, 5, 7],), "keeps its own rows"),
    ("ex-rotary-layout-code", ([*range(8)],), "and then the second"),
    ("ex-rotary-layout-code", ([0, 4, 1, 5, 2, 6, 3, 7],), "keeps its own rows"),
    ("ex-rotary-layout-code", ([0, 1, 4, 5, 2, 3, 6, 7],), "keeps its own rows"),
    ("ex-rotary-layout-code", ([1, 3, 0, 2, 5, 7, 4, 6],), "and then the second"),
    ("ex-rotary-layout-code", ([1, 0, 3, 2, 5, 4, 7, 6],), "and then the second"),
    ("ex-rotary-layout-code", ([0, 2, 1, 3],), "eight rows"),
]
