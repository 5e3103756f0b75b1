"""Properties of the answers to the exercises on long texts."""

import math

import torch
from torch import Tensor

from chapters.exercises import Property
from chapters.forms import form_of_rows, right_where, shaped
from chapters.start import gaussian
from transformer.layers import window_mask


def part_of(scores: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the largest score, the sum and the mix of each row."""
    maximum = scores.amax(dim=-1)
    numbers = (scores - maximum[:, None]).exp()
    return maximum, numbers.sum(dim=-1), numbers @ values


def nothing(rows: int, features: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return what is known before the first key."""
    zeros = torch.zeros(rows)
    return zeros - torch.inf, zeros, torch.zeros(rows, features)


def pieces(*, rows: int = 5, features: int = 3, size: float = 1.0, cut: int = 4):
    """Return two parts, and what is known after both."""
    scores, values = size * gaussian(rows, 9, seed=1), gaussian(9, features, seed=2)
    one = part_of(scores[:, :cut], values[:cut])
    other = part_of(scores[:, cut:], values[cut:])
    return one, other, part_of(scores, values)


def same(found, expected) -> bool:
    """Return whether three tensors are three others."""
    return len(found) == 3 and all(
        torch.as_tensor(one).shape == two.shape
        and torch.allclose(torch.as_tensor(one).to(two), two, rtol=1e-5, atol=1e-6)
        for one, two in zip(found, expected, strict=True)
    )


def copied(part: tuple) -> tuple:
    """Return a part that an answer may write to."""
    return tuple(one.clone() for one in part)


def merges(answer, **choices) -> bool:
    """Return whether an answer joins two parts, whichever comes first."""
    one, other, both = pieces(**choices)
    return same(answer(copied(one), copied(other)), both) and same(
        answer(copied(other), copied(one)), both
    )


def shown(answer, *, time: int, window: int, kept: int) -> Tensor:
    """Return the mask of an answer as Boolean numbers."""
    return torch.as_tensor(answer(time, window, kept)).bool()


def sees_right(answer, *, time: int, window: int, kept: int = 0) -> bool:
    """Return whether an answer shows what the package shows."""
    expected = window_mask(time, window=window, sink_tokens=kept)
    return torch.equal(shown(answer, time=time, window=window, kept=kept), expected)


def places(answer, *, window: int, kept: int, count: int = 60) -> list[int]:
    """Return where an answer puts the first tokens of a text."""
    return [int(answer(t, window, kept)) for t in range(count)]


SHAPES = [(4, 0), (5, 2), (3, 4), (1, 3), (7, 1)]  # windows, and tokens that stay
HEADS, TIME, D_HEAD, D_LATENT = 3, 4, 5, 2


def absorbed_scores(answer, *, heads: int = HEADS, d_head: int = D_HEAD):
    """Return the scores of an answer, and those with unpacked keys."""
    query = gaussian(heads, TIME, d_head, seed=3)
    matrix = gaussian(heads, d_head, D_LATENT, seed=4)
    latent = gaussian(7, D_LATENT, seed=5)
    keys = latent @ matrix.transpose(1, 2)  # (heads, 7, d_head)
    found = torch.as_tensor(answer(query.clone(), matrix.clone()))
    return found @ latent.T, query @ keys.transpose(1, 2)


def scores_agree(answer, **sizes) -> bool:
    """Return whether an absorbed query scores as the query does."""
    found, expected = absorbed_scores(answer, **sizes)
    return found.shape == expected.shape and torch.allclose(found, expected, atol=1e-6)


EXERCISES = {
    "ex-long-merge-by-hand": [
        Property(
            "the first tile shrinks by e to the old largest score minus the new one.",
            lambda shrink, total, output: math.isclose(shrink, 0.5, abs_tol=1e-3),
        ),
        Property(
            "the sum is that of all four exponentials, each divided by the largest.",
            lambda shrink, total, output: math.isclose(total, 2, abs_tol=1e-3),
        ),
        Property(
            "the output is the mix of all four values over the sum, and no mean of "
            "two means.",
            lambda shrink, total, output: math.isclose(output, 3, abs_tol=1e-3),
        ),
    ],
    "ex-long-merge": [
        Property(
            "it must return three tensors: largest score, sum and mix.",
            lambda answer: len(answer(*map(copied, pieces()[:2]))) == 3,
        ),
        Property(
            "each row keeps the larger of its two largest scores.",
            lambda answer: torch.equal(
                answer(*map(copied, pieces()[:2]))[0], pieces()[2][0]
            ),
        ),
        Property(
            "the sums belong to different largest scores: which of them must shrink "
            "before they are added, and by how much?",
            lambda answer: all(
                torch.allclose(answer(*map(copied, two))[1], pieces()[2][1])
                for two in (pieces()[:2], pieces()[1::-1])
            ),
        ),
        Property(
            "the mixes shrink as their sums do, all features of a row alike, also "
            "when there are as many rows as features.",
            lambda answer: merges(answer) and merges(answer, rows=3, features=3),
        ),
        Property(
            "scores of a few thousand must not overflow: exponentials of differences "
            "alone are safe.",
            lambda answer: merges(answer, size=3000.0),
        ),
        Property(
            "a part that has seen no key, with a largest score of minus infinity, "
            "changes nothing.",
            lambda answer: all(
                same(answer(*map(copied, two)), pieces()[0])
                for two in (
                    (pieces()[0], nothing(5, 3)),
                    (nothing(5, 3), pieces()[0]),
                )
            ),
        ),
        Property(
            "two parts that have seen no key make another such part, and not nan: "
            "what is minus infinity minus itself?",
            lambda answer: same(answer(nothing(5, 3), nothing(5, 3)), nothing(5, 3)),
        ),
    ],
    "ex-long-band": [
        Property(
            "the mask must have a row for each query and a column for each key.",
            lambda answer: shown(answer, time=7, window=3, kept=0).shape == (7, 7),
        ),
        Property(
            "no position sees a later one, and the first tokens are no exception.",
            lambda answer: (
                not shown(answer, time=7, window=3, kept=0).triu(1).any()
                and not shown(answer, time=7, window=3, kept=4).triu(1).any()
            ),
        ),
        Property(
            "each position sees itself.",
            lambda answer: bool(
                shown(answer, time=7, window=1, kept=0).diagonal().all()
            ),
        ),
        Property(
            "a window counts the position itself: with 3 a late row has three Trues.",
            lambda answer: all(
                sees_right(answer, time=7, window=window) for window in (1, 3, 4)
            ),
        ),
        Property(
            "a window may be wider than the text.",
            lambda answer: sees_right(answer, time=5, window=9),
        ),
        Property(
            "the first tokens stay in the sight of all later rows, beside the window.",
            lambda answer: all(
                sees_right(answer, time=11, window=window, kept=kept)
                for window, kept in ((3, 1), (3, 4), (1, 2), (9, 5))
            ),
        ),
    ],
    "ex-long-place": [
        Property(
            "a cache of kept + window places has no place below 0 or beyond its last.",
            lambda answer: all(
                0 <= place < kept + window
                for window, kept in SHAPES
                for place in places(answer, window=window, kept=kept)
            ),
        ),
        Property(
            "the first tokens stay: no later token may be written where one of them "
            "stands.",
            lambda answer: all(
                not {*found[:kept]} & {*found[kept:]} and len({*found[:kept]}) == kept
                for window, kept in SHAPES
                for found in [places(answer, window=window, kept=kept)]
            ),
        ),
        Property(
            "a new token takes the place of the one that has left the window, which "
            "came `window` tokens before it.",
            lambda answer: all(
                found[t] == found[t - window]
                for window, kept in SHAPES
                for found in [places(answer, window=window, kept=kept)]
                for t in range(kept + window, len(found))
            ),
        ),
        Property(
            "tokens that are in the window together need places of their own.",
            lambda answer: all(
                len({*found[t : t + window]}) == window
                for window, kept in SHAPES
                for found in [places(answer, window=window, kept=kept)]
                for t in range(kept, len(found) - window)
            ),
        ),
        Property(
            "the places fill up in order: before anything is written over, token t "
            "stands at place t.",
            lambda answer: all(
                places(answer, window=window, kept=kept, count=window + kept)
                == [*range(window + kept)]
                for window, kept in SHAPES
            ),
        ),
    ],
    "ex-long-absorb": [
        Property(
            "each head gets a query of d_latent features for each position: shape "
            "(heads, time, d_latent).",
            lambda answer: (
                torch.as_tensor(
                    answer(
                        gaussian(HEADS, TIME, D_HEAD, seed=3),
                        gaussian(HEADS, D_HEAD, D_LATENT, seed=4),
                    )
                ).shape
                == (HEADS, TIME, D_LATENT)
            ),
        ),
        Property(
            "with one head its scores with the latent vectors must be those of the "
            "query with unpacked keys.",
            lambda answer: scores_agree(answer, heads=1),
        ),
        Property(
            "each head has a matrix of its own.",
            lambda answer: scores_agree(answer),
        ),
        Property(
            "it must hold where d_head and d_latent are equal too: is the matrix the "
            "right way around?",
            lambda answer: scores_agree(answer, d_head=D_LATENT),
        ),
    ],
    "ex-long-think": [
        Property(
            "answer five times with True or False.",
            lambda *said: len(said) == 5 and all(type(word) is bool for word in said),
        ),
        Property(
            "as to (1), the triple after the last tile is softmax over all keys.",
            lambda *said: said[0] is False,
        ),
        Property(
            "as to (2), how many places does a circle have after so many tokens?",
            lambda *said: said[1] is False,
        ),
        Property(
            "as to (3), multiply the layers by the window less one.",
            lambda *said: said[2] is True,
        ),
        Property(
            "as to (4), what is kept of a token, and does it know the heads?",
            lambda *said: said[3] is False,
        ),
        Property(
            "as to (5), the sink takes its part and brings no value.",
            lambda *said: said[4] is True,
        ),
    ],
}

BAND = [  # a window of 2, 1 kept
    [1, 0, 0, 0, 0],
    [1, 1, 0, 0, 0],
    [1, 1, 1, 0, 0],
    [1, 0, 1, 1, 0],
    [1, 0, 0, 1, 1],
]
PLACES = [0, 1, 2, 3, 4, 2, 3, 4, 2, 3]  # a window of 3, 2 kept
BY_HAND = {
    "ex-long-band": [
        Property("give five rows of five numbers, each 1 or 0.", shaped(BAND)),
        Property(
            "no position sees a later one, and the first token is no exception.",
            right_where(BAND, lambda query, key: key > query),
        ),
        Property(
            "each position sees itself.",
            right_where(BAND, lambda query, key: key == query),
        ),
        Property(
            "a window of two holds the position itself and the one before.",
            right_where(BAND, lambda query, key: key > 0),
        ),
        Property(
            "the first token stays in the sight of all later rows.", right_where(BAND)
        ),
    ],
    "ex-long-place": [
        Property("give ten places, for the tokens 0 to 9.", shaped(PLACES)),
        Property(
            "the cache has five places, and they fill up in order.",
            right_where(PLACES, lambda token: token < 5),
        ),
        Property(
            "token 5 takes the place of the one that has left the window, and the two "
            "first tokens stay.",
            right_where(PLACES, lambda token: token == 5),
        ),
        Property(
            "the circle has three places, and the next token has the next one.",
            right_where(PLACES),
        ),
    ],
}

FIELDS = {
    "ex-long-band": form_of_rows(BAND),
    "ex-long-place": (PLACES,),
    "ex-long-merge-by-hand": (0.5, 2, 3),
    "ex-long-think": 5 * ({True, False},),
}
