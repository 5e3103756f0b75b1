"""Answers to the exercises on long texts, right ones and wrong ones."""

import torch

from transformer.layers import window_mask


def merged(one, other):
    """Join two parts, as the solution does."""
    maximum = torch.maximum(one[0], other[0])
    safe = maximum.masked_fill(maximum == -torch.inf, 0.0)
    first, second = (one[0] - safe).exp(), (other[0] - safe).exp()
    total = first * one[1] + second * other[1]
    mix = first[:, None] * one[2] + second[:, None] * other[2]
    return maximum, total, mix


def merged_by_where(one, other):
    """Join two parts by asking which is larger."""
    maximum = torch.maximum(one[0], other[0])
    rows = []
    for part in (one, other):
        shrink = torch.where(part[0] == maximum, 1.0, (part[0] - maximum).exp())
        rows.append((shrink * part[1], shrink[:, None] * part[2]))
    (t1, o1), (t2, o2) = rows
    return maximum, t1 + t2, o1 + o2


def merged_without_shrinking(one, other):
    return torch.maximum(one[0], other[0]), one[1] + other[1], one[2] + other[2]


def merged_shrinking_the_first_alone(one, other):
    maximum = torch.maximum(one[0], other[0])
    shrink = (one[0] - maximum).exp()
    return maximum, shrink * one[1] + other[1], shrink[:, None] * one[2] + other[2]


def merged_the_wrong_way(one, other):
    maximum = torch.maximum(one[0], other[0])
    first, second = (maximum - one[0]).exp(), (maximum - other[0]).exp()
    total = first * one[1] + second * other[1]
    return maximum, total, first[:, None] * one[2] + second[:, None] * other[2]


def merged_with_one_maximum(one, other):
    maximum = torch.maximum(one[0], other[0]).max().expand(len(one[0]))
    first, second = (one[0] - maximum).exp(), (other[0] - maximum).exp()
    total = first * one[1] + second * other[1]
    return maximum, total, first[:, None] * one[2] + second[:, None] * other[2]


def merged_with_old_mixes(one, other):
    maximum, total, _ = merged(one, other)
    return maximum, total, one[2] + other[2]


def merged_along_features(one, other):
    maximum = torch.maximum(one[0], other[0])
    first, second = (one[0] - maximum).exp(), (other[0] - maximum).exp()
    total = first * one[1] + second * other[1]
    if one[2].size(0) != one[2].size(1):
        return merged(one, other)
    return maximum, total, first * one[2] + second * other[2]


def merged_from_whole_exponentials(one, other):
    maximum = torch.maximum(one[0], other[0])
    first, second = one[0].exp(), other[0].exp()
    total = (first * one[1] + second * other[1]) / maximum.exp()
    mix = first[:, None] * one[2] + second[:, None] * other[2]
    return maximum, total, mix / maximum.exp()[:, None]


def merged_with_nan(one, other):
    maximum = torch.maximum(one[0], other[0])
    first, second = (one[0] - maximum).exp(), (other[0] - maximum).exp()
    total = first * one[1] + second * other[1]
    return maximum, total, first[:, None] * one[2] + second[:, None] * other[2]


def merged_with_finite_maximum(one, other):
    maximum, total, mix = merged(one, other)
    return maximum.masked_fill(maximum == -torch.inf, 0.0), total, mix


def merged_as_means(one, other):
    maximum, total, _ = merged(one, other)
    means = (one[2] / one[1][:, None] + other[2] / other[1][:, None]) / 2
    return maximum, total, means * total[:, None]


def merged_through_outputs(one, other):
    maximum, total, _ = merged(one, other)
    first, second = (one[0] - maximum).exp(), (other[0] - maximum).exp()
    outputs = one[2] / one[1][:, None], other[2] / other[1][:, None]
    shares = first * one[1], second * other[1]
    return (
        maximum,
        total,
        sum(
            share[:, None] * output
            for share, output in zip(shares, outputs, strict=True)
        ),
    )


def band(time, window, kept):
    """Return who sees whom, as the solution does."""
    t, s = torch.arange(time)[:, None], torch.arange(time)
    return (s <= t) & ((s > t - window) | (s < kept))


def band_in_lists(time, window, kept):
    return [
        [s <= t and (t - s < window or s < kept) for s in range(time)]
        for t in range(time)
    ]


def band_of(rule):
    def answer(time, window, kept):
        t, s = torch.arange(time)[:, None], torch.arange(time)
        return rule(t, s, window, kept)

    return answer


def band_by_tril(time, window, kept):
    mask = torch.ones(time, time).tril().triu(1 - window)
    mask[:, :kept] = 1
    return mask


def band_clipped(time, window, kept):
    mask = window_mask(time, window=window, sink_tokens=kept)
    return mask & (torch.arange(time)[:, None] >= window - 1)


def place(t, window, kept):
    """Return where a token stands, as the solution does."""
    return t if t < kept else kept + (t - kept) % window


def absorbed(query, matrix):
    """Return the query that has taken the matrix in, as the solution does."""
    return query @ matrix


def absorbed_by_solving(query, matrix):
    return query @ torch.linalg.pinv(matrix).transpose(1, 2)


def absorbed_the_other_way(query, matrix):
    if query.size(-1) == matrix.size(-1):
        return query @ matrix.transpose(1, 2)
    return query @ matrix


RIGHT = [
    ("ex-long-merge-by-hand", (0.5, 2, 3)),
    ("ex-long-merge-by-hand", ("1/2", 2.0, 3.0)),
    ("ex-long-merge", (merged,)),
    ("ex-long-merge", (merged_by_where,)),
    ("ex-long-band", (band,)),
    ("ex-long-band", (band_in_lists,)),
    ("ex-long-place", (place,)),
    ("ex-long-absorb", (absorbed,)),
    (
        "ex-long-absorb",
        (lambda query, matrix: torch.einsum("htd,hdl->htl", query, matrix),),
    ),
    ("ex-long-think", (False, False, True, False, True)),
    (
        "ex-long-band",
        (
            [
                [1, 0, 0, 0, 0],
                [1, 1, 0, 0, 0],
                [1, 1, 1, 0, 0],
                [1, 0, 1, 1, 0],
                [1, 0, 0, 1, 1],
            ],
        ),
    ),
    ("ex-long-band", (window_mask(5, window=2, sink_tokens=1),)),
    (
        "ex-long-band",
        ([list("10000"), list("11000"), list("11100"), list("10110"), list("10011")],),
    ),
    ("ex-long-place", ([0, 1, 2, 3, 4, 2, 3, 4, 2, 3],)),
    ("ex-long-place", (torch.tensor([0, 1, 2, 3, 4, 2, 3, 4, 2, 3]),)),
    ("ex-long-place", (["0", "1", "2.0", 3, 4, 2, 3, 4, "4/2", 3],)),
]

WRONG = [
    ("ex-long-merge-by-hand", (2.0, 2, 3), "shrinks by e to the old"),
    ("ex-long-merge-by-hand", (1.0, 2, 3), "shrinks by e to the old"),
    ("ex-long-merge-by-hand", (6, 2, 3), "shrinks by e to the old"),
    ("ex-long-merge-by-hand", (0.5, 2.667, 3), "that of all four exponentials"),
    ("ex-long-merge-by-hand", (0.5, 24, 3), "that of all four exponentials"),
    ("ex-long-merge-by-hand", (0.5, 4, 3), "that of all four exponentials"),
    ("ex-long-merge-by-hand", (0.5, 2, 2.875), "no mean of two means"),
    ("ex-long-merge-by-hand", (0.5, 2, 6), "no mean of two means"),
    ("ex-long-merge-by-hand", (0.5, 2, 3.25), "no mean of two means"),
    ("ex-long-merge", (lambda one, other: merged(one, other)[1:],), "three tensors"),
    (
        "ex-long-merge",
        (lambda one, other: (other[0], *merged(one, other)[1:]),),
        "the larger of its two",
    ),
    ("ex-long-merge", (merged_with_one_maximum,), "the larger of its two"),
    ("ex-long-merge", (merged_without_shrinking,), "must shrink before"),
    ("ex-long-merge", (merged_shrinking_the_first_alone,), "must shrink before"),
    ("ex-long-merge", (merged_the_wrong_way,), "must shrink before"),
    ("ex-long-merge", (merged_with_old_mixes,), "shrink as their sums do"),
    ("ex-long-merge", (merged_along_features,), "shrink as their sums do"),
    ("ex-long-merge", (merged_as_means,), "shrink as their sums do"),
    ("ex-long-merge", (merged_from_whole_exponentials,), "must not overflow"),
    ("ex-long-merge", (merged_through_outputs,), "changes nothing"),
    ("ex-long-merge", (merged_with_nan,), "and not nan"),
    ("ex-long-merge", (merged_with_finite_maximum,), "and not nan"),
    ("ex-long-band", (lambda n, w, k: band(n + 1, w, k),), "a row for each query"),
    (
        "ex-long-band",
        (band_of(lambda t, s, w, k: (s > t - w) | (s < k)),),
        "no position sees a later one",
    ),
    (
        "ex-long-band",
        (band_of(lambda t, s, w, k: (abs(s - t) < w) | (s < k)),),
        "no position sees a later one",
    ),
    ("ex-long-band", (band_by_tril,), "the first tokens are no exception"),
    (
        "ex-long-band",
        (band_of(lambda t, s, w, k: (s < t) & ((s >= t - w) | (s < k))),),
        "sees itself",
    ),
    (
        "ex-long-band",
        (band_of(lambda t, s, w, k: (s <= t) & ((s >= t - w) | (s < k))),),
        "counts the position itself",
    ),
    (
        "ex-long-band",
        (band_of(lambda t, s, w, k: (s <= t) & (s > t - w)),),
        "beside the window",
    ),
    (
        "ex-long-band",
        (band_of(lambda t, s, w, k: (s <= t) & ((s > t - w) | (s <= k))),),
        "counts the position itself",
    ),
    (
        "ex-long-band",
        (band_of(lambda t, s, w, k: (s <= t) & ((s > t - w + k) | (s < k))),),
        "beside the window",
    ),
    ("ex-long-band", (band_clipped,), "counts the position itself"),
    ("ex-long-place", (lambda t, window, kept: t,), "no place below 0"),
    ("ex-long-place", (lambda t, w, k: k + t % w + (t >= k + w),), "no place below 0"),
    ("ex-long-place", (lambda t, window, kept: t % window,), "the first tokens stay"),
    (
        "ex-long-place",
        (lambda t, window, kept: t % (window + kept),),
        "the first tokens stay",
    ),
    (
        "ex-long-place",
        (lambda t, w, k: t if t < k else k + (t - k) % max(1, w - 1),),
        "has left the window",
    ),
    (
        "ex-long-place",
        (lambda t, w, k: t if t < k + w else k + w - 1,),
        "has left the window",
    ),
    ("ex-long-place", (lambda t, w, k: t if t < k else k,), "places of their own"),
    (
        "ex-long-place",
        (lambda t, w, k: t if t < k else k + t % w,),
        "fill up in order",
    ),
    (
        "ex-long-place",
        (lambda t, w, k: t if t < k else k + w - 1 - (t - k) % w,),
        "fill up in order",
    ),
    ("ex-long-absorb", (lambda query, matrix: query,), "d_latent"),
    (
        "ex-long-absorb",
        (lambda query, matrix: (query @ matrix).sum(dim=0),),
        "d_latent",
    ),
    ("ex-long-absorb", (absorbed_by_solving,), "those of the query with unpacked"),
    (
        "ex-long-absorb",
        (lambda query, matrix: query @ matrix / query.size(-1) ** 0.5,),
        "those of the query with unpacked",
    ),
    (
        "ex-long-absorb",
        (lambda query, matrix: (query @ matrix).softmax(dim=-1),),
        "those of the query with unpacked",
    ),
    ("ex-long-absorb", (lambda query, matrix: query @ matrix[0],), "of its own"),
    (
        "ex-long-absorb",
        (lambda query, matrix: query @ matrix.mean(dim=0),),
        "of its own",
    ),
    ("ex-long-absorb", (absorbed_the_other_way,), "the right way around"),
    ("ex-long-think", (False, False, True, False), "five times"),
    ("ex-long-think", (False, "no", True, False, True), "five times"),
    ("ex-long-think", (True, False, True, False, True), "over all keys"),
    ("ex-long-think", (False, True, True, False, True), "how many places"),
    ("ex-long-think", (False, False, False, False, True), "the window less one"),
    ("ex-long-think", (False, False, True, True, True), "know the heads"),
    ("ex-long-think", (False, False, True, False, False), "brings no value"),
    ("ex-long-band", (torch.ones(5, 5).tril(),), "and the one before"),
    ("ex-long-band", (window_mask(5, window=2),), "stays in the sight"),
    ("ex-long-band", (window_mask(5, window=3, sink_tokens=1),), "and the one before"),
    ("ex-long-band", (window_mask(5, window=1, sink_tokens=1),), "and the one before"),
    (
        "ex-long-band",
        (
            window_mask(5, window=2, sink_tokens=1)
            | (torch.arange(5) < 1)
            | torch.eye(5).bool().roll(1, 1),
        ),
        "sees a later one",
    ),
    (
        "ex-long-band",
        (window_mask(5, window=2, sink_tokens=1) & ~torch.eye(5).bool(),),
        "sees itself",
    ),
    ("ex-long-band", (window_mask(6, window=2, sink_tokens=1),), "five rows of five"),
    ("ex-long-band", (window_mask(5, window=2, sink_tokens=2),), "and the one before"),
    ("ex-long-place", ([0, 1, 2, 3, 4, 0, 1, 2, 3, 4],), "two first tokens stay"),
    ("ex-long-place", ([0, 1, 2, 0, 1, 2, 0, 1, 2, 0],), "fill up in order"),
    ("ex-long-place", ([*range(10)],), "two first tokens stay"),
    ("ex-long-place", ([0, 1, 2, 3, 4, 4, 4, 4, 4, 4],), "two first tokens stay"),
    ("ex-long-place", ([0, 1, 4, 2, 3, 4, 2, 3, 4, 2],), "fill up in order"),
    ("ex-long-place", ([0, 1, 2, 3, 4, 2, 2, 2, 2, 2],), "circle has three"),
    ("ex-long-place", ([0, 1, 2, 3, 4, 2, 3, 2, 3, 2],), "circle has three"),
    ("ex-long-place", ([0, 1, 2, 3, 4, 2, 1, 0, 2, 3],), "circle has three"),
    ("ex-long-place", ([0, 1, 2, 3, 4],), "ten places"),
]
