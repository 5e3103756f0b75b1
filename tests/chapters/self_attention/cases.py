"""Answers to the exercises on self-attention, right ones and wrong ones."""

import torch
import torch.nn.functional as F

from transformer.layers import causal_mask, scaled_dot_product_attention


def attend_unscaled(query, key, value):
    return (query @ key.mT).softmax(dim=-1) @ value


def attend_over_queries(query, key, value):
    return (query @ key.mT / query.size(-1) ** 0.5).softmax(dim=1) @ value


def attend_first_batch(query, key, value):
    return attend_unscaled(query, key, value)[0]


def attend_in_order(query, key, value):
    scores = query @ key.mT + torch.arange(key.size(1))
    return scores.softmax(dim=-1) @ value


def window(length, radius):
    position = torch.arange(length)
    return (position[:, None] - position).abs() <= radius


def attend(query, key, value):
    scores = query @ key.transpose(-2, -1) / query.size(-1) ** 0.5
    return scores.softmax(dim=-1) @ value


def attend_with_exponentials(shift):
    """The right answer with a softmax of its own, or one that is not safe."""

    def answer(query, key, value):
        scores = query @ key.mT / query.size(-1) ** 0.5
        shares = (scores - shift(scores)).exp()
        return shares @ value / shares.sum(dim=-1, keepdim=True)

    return answer


def largest_of_the_row(scores):
    return scores.amax(dim=-1, keepdim=True)


def attend_by_the_package(query, key, value):
    return scaled_dot_product_attention(query, key, value, need_weights=True).values


def attend_scaled_by(number):
    def answer(query, key, value):
        return attend_unscaled(query / number(query, key, value), key, value)

    return answer


def attend_causally(query, key, value):
    scores = query @ key.mT / query.size(-1) ** 0.5
    blocked = ~causal_mask(key.size(1))[: query.size(1)]
    return scores.masked_fill(blocked, -torch.inf).softmax(dim=-1) @ value


def attend_causally_if_square(query, key, value):
    """Takes as many queries as keys for a decoder."""
    same = query.size(1) == key.size(1)
    return (attend_causally if same else attend)(query, key, value)


def attend_to_the_nearest(query, key, value):
    """Takes the value of the largest score."""
    best = (query @ key.mT).argmax(dim=-1, keepdim=True)
    return value.gather(1, best.expand(-1, -1, value.size(-1)))


def attend_evenly(query, key, value):
    return value.mean(dim=1, keepdim=True).expand(-1, query.size(1), -1)


def attend_in_the_first_text(query, key, value):
    return attend(query, key[:1].expand_as(key), value)


def window_with(inside):
    """A mask whose rule for the distance is another one."""

    def answer(length, radius):
        position = torch.arange(length)
        return inside(position[:, None] - position, radius, length)

    return answer


def attend_in_place(query, key, value):
    query /= query.size(-1) ** 0.5
    return attend_unscaled(query, key, value)


def look_back(n):
    return 20 * n**0.5 * torch.eye(n).roll(-1, dims=1), torch.eye(n)


def look_back_by_keys(n):
    """The right answer, with keys that say what comes behind them."""
    return torch.eye(n), 100 * n * torch.eye(n).roll(1, dims=1)


def look_back_by_waves(n):
    """The right answer in two features: an angle for each place."""
    return look_by_angles(n, 2 * n**2)


def look_by_angles(n, factor):
    angle = torch.arange(n) * 2 * torch.pi / n
    query, key = (
        torch.stack([at.cos(), at.sin()], dim=1)
        for at in (angle - 2 * torch.pi / n, angle)
    )
    return factor * query, key


def look_with(query):
    """An answer with plain keys and another query."""
    return lambda n: (query(n), torch.eye(n))


RIGHT = [
    ("ex-look-back", (look_back,)),
    ("ex-look-back", (look_back_by_keys,)),
    ("ex-look-back", (look_back_by_waves,)),
    ("ex-attention-by-hand", ([1 / 8, 2 / 8, 5 / 8], 2.0)),
    ("ex-attention-by-hand", ([0.13, 0.25, 0.63], 2.0)),
    ("ex-attention-by-hand", ([0.13, 0.25, 0.63], 2.04)),
    ("ex-attention-by-hand", ([0.12, 0.25, 0.62], 2.0)),
    ("ex-attention-code", (attend,)),
    ("ex-attention-code", (attend_with_exponentials(largest_of_the_row),)),
    ("ex-attention-code", (attend_in_place,)),
    ("ex-louder-queries", ("sharper", "unchanged", "unchanged")),
    ("ex-window-mask", (window,)),
    ("ex-window-mask", (lambda n, r: torch.ones(n, n).triu(-r).tril(r).bool(),)),
    ("ex-window-mask", ([[1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 1, 1], [0, 0, 1, 1]],)),
    ("ex-window-mask", (torch.ones(4, 4).tril(1).triu(-1).bool(),)),
    ("ex-window-mask", ([list("1100"), list("1110"), list("0111"), list("0011")],)),
]

WRONG = [
    ("ex-look-back", (look_with(lambda n: torch.eye(n + 1)),), "one row for each"),
    ("ex-look-back", (look_with(lambda n: 90 * torch.eye(n)),), "itself, or ahead"),
    (
        "ex-look-back",
        (look_with(lambda n: 90 * torch.eye(n).roll(1, dims=1)),),
        "itself, or ahead",
    ),
    (
        "ex-look-back",
        (lambda n: (90 * torch.eye(n).roll(-1, dims=1),) * 2,),
        "itself, or ahead",
    ),
    (
        "ex-look-back",
        (
            look_with(
                lambda n: (
                    90 * torch.eye(n).roll(-1, dims=1) * (torch.arange(n) < 5)[:, None]
                )
            ),
        ),
        "any n",
    ),
    (
        "ex-look-back",
        (look_with(lambda n: torch.eye(n).roll(-1, dims=1)),),
        "at least 0.99",
    ),
    (
        "ex-look-back",
        (look_with(lambda n: 20 * torch.eye(n).roll(-1, dims=1)),),
        "at least 0.99",
    ),
    (
        "ex-look-back",
        (look_with(lambda n: 9 * n**0.5 * torch.eye(n).roll(-1, dims=1)),),
        "among many places",
    ),
    ("ex-look-back", (lambda n: look_by_angles(n, 1e4),), "among many places"),
    (
        "ex-look-back",
        (look_with(lambda n: 1000 * torch.eye(n).roll(-1, dims=1)),),
        "factor that is fixed",
    ),
    (
        "ex-look-back",
        (look_with(lambda n: 1e6 * torch.eye(n).roll(-1, dims=1)),),
        "factor that is fixed",
    ),
    ("ex-attention-by-hand", ([1.0], 2.0), "three weights"),
    ("ex-attention-by-hand", ([1, 2, 5], 2.0), "sum to one"),
    ("ex-attention-by-hand", ([0.2, 0.3, 0.5], 2.0), "double the weight"),
    ("ex-attention-by-hand", ([0.2, 0.4, 0.4], 2.0), "third weight"),
    ("ex-attention-by-hand", ([1 / 8, 2 / 8, 5 / 8], 4.0), "weighted mean"),
    ("ex-attention-by-hand", ([0.13, 0.25, 0.65], 2.0), "sum to one"),
    ("ex-attention-by-hand", ([0.13, 0.26, 0.61], 2.0), "third weight"),
    ("ex-attention-by-hand", ([0.14, 0.25, 0.61], 2.0), "double the weight"),
    ("ex-attention-by-hand", ([1 / 8, 2 / 8, 5 / 8], 2.04), "weighted mean"),
    ("ex-attention-by-hand", ([0.13, 0.25, 0.63], 2.1), "weighted mean"),
    ("ex-attention-by-hand", ([0.125, 0.25, 0.625], 16 / 3), "weighted mean"),
    ("ex-attention-by-hand", ([0.0, 0.3, 0.7], 1.2), "double the weight"),
    ("ex-attention-code", (attend_first_batch,), "shape"),
    ("ex-attention-code", (attend_over_queries,), "between the smallest"),
    ("ex-attention-code", (attend_in_order,), "shuffling"),
    ("ex-attention-code", (attend_unscaled,), "scale"),
    ("ex-attention-code", (F.scaled_dot_product_attention,), "the attention of"),
    ("ex-attention-code", (attend_by_the_package,), "without the attention of"),
    (
        "ex-attention-code",
        (attend_scaled_by(lambda q, k, v: 5**0.5),),
        "is the scale right",
    ),
    (
        "ex-attention-code",
        (attend_scaled_by(lambda q, k, v: q.size(-1)),),
        "is the scale right",
    ),
    (
        "ex-attention-code",
        (attend_scaled_by(lambda q, k, v: k.size(1) ** 0.5),),
        "is the scale right",
    ),
    (
        "ex-attention-code",
        (attend_scaled_by(lambda q, k, v: v.size(-1) ** 0.5),),
        "is the scale right",
    ),
    (
        "ex-attention-code",
        (attend_with_exponentials(lambda scores: 0),),
        "must not overflow",
    ),
    (
        "ex-attention-code",
        (attend_with_exponentials(torch.max),),
        "must not overflow",
    ),
    ("ex-attention-code", (attend_causally,), "shuffling"),
    ("ex-attention-code", (attend_to_the_nearest,), "is the scale right"),
    ("ex-attention-code", (attend_evenly,), "is the scale right"),
    ("ex-attention-code", (attend_causally_if_square,), "see all keys"),
    ("ex-attention-code", (attend_in_the_first_text,), "is the scale right"),
    ("ex-window-mask", (lambda n, r: torch.ones(n, n),), "Boolean"),
    ("ex-window-mask", (lambda n, r: causal_mask(n)[:2],), "one row for each query"),
    ("ex-window-mask", (lambda n, r: causal_mask(n),), "radius 0"),
    ("ex-window-mask", (lambda n, r: torch.eye(n).bool(),), "at most radius"),
    (
        "ex-window-mask",
        (window_with(lambda there, radius, n: there.abs() < radius),),
        "radius 0",
    ),
    (
        "ex-window-mask",
        (window_with(lambda there, radius, n: (there >= 0) & (there <= radius)),),
        "as well as ahead",
    ),
    (
        "ex-window-mask",
        (window_with(lambda there, radius, n: there <= radius),),
        "radius 0",
    ),
    (
        "ex-window-mask",
        (window_with(lambda there, radius, n: there.abs() > radius),),
        "True says",
    ),
    (
        "ex-window-mask",
        (window_with(lambda there, radius, n: there % n <= radius),),
        "at most radius",
    ),
    (
        "ex-window-mask",
        (window_with(lambda there, radius, n: there.abs() <= min(radius, 2)),),
        "at most radius",
    ),
    (
        "ex-window-mask",
        (window_with(lambda there, radius, n: there.abs() <= 2 * (radius > 0)),),
        "at most radius",
    ),
    (
        "ex-window-mask",
        (window_with(lambda there, radius, n: there**2 <= radius),),
        "at most radius",
    ),
    ("ex-louder-queries", ("louder", "unchanged", "unchanged"), "answer with"),
    ("ex-louder-queries", ("unchanged", "unchanged", "unchanged"), "doubling"),
    ("ex-louder-queries", ("sharper", "flatter", "unchanged"), "added to every key"),
    ("ex-louder-queries", ("sharper", "unchanged", "flatter"), "halved key"),
    ("ex-louder-queries", ("flatter", "unchanged", "unchanged"), "doubling"),
    ("ex-louder-queries", ("sharper", "sharper", "unchanged"), "added to every key"),
    ("ex-louder-queries", ("sharper", "unchanged", "sharper"), "halved key"),
    ("ex-window-mask", (torch.ones(4, 4).tril(),), "sees the next one"),
    ("ex-window-mask", (torch.eye(4),), "sees the next one"),
    ("ex-window-mask", (torch.ones(4, 4),), "outside a radius"),
    (
        "ex-window-mask",
        ([[1, 1, 1, 0], [1, 1, 1, 1], [1, 1, 1, 1], [0, 1, 1, 1]],),
        "outside a radius",
    ),
    (
        "ex-window-mask",
        ([[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]],),
        "attend to itself",
    ),
    ("ex-window-mask", (torch.ones(4, 4).triu(),), "the one before"),
    (
        "ex-window-mask",
        ([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1], [0, 0, 0, 1]],),
        "the one before",
    ),
    ("ex-window-mask", ([[1, 1], [1, 1, 1], [1, 1, 1], [1, 1]],), "four rows of four"),
    ("ex-window-mask", ([[0, 1], [0, 1, 2], [1, 2, 3], [2, 3]],), "four rows of four"),
]
