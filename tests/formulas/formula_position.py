"""Bindings for the part on positions."""

import math
from collections.abc import Iterator

import numpy as np
import torch
from formula_bindings import Draw, binds, on_arrays

from bookkit.checking.formulas import Binding, Family
from transformer.layers import (
    LearnedPositionalEmbedding,
    RotaryEmbedding,
    alibi_bias,
    relative_buckets,
    rotary_frequencies,
    sinusoidal_frequencies,
    sinusoidal_table,
)

D, TIME, D_HEAD, BASE = 10, 7, 5, 97.0
PAIRS, TIMES = range(D // 2), range(TIME)


@binds("eq-frequencies")
def frequencies(draw: Draw) -> Binding:
    names = {"omega": sinusoidal_frequencies(D), "d": D}
    return Binding(names, {"i": PAIRS}, first=0)


@binds("eq-sinusoidal")
def sinusoids(draw: Draw) -> Binding:
    names = {"omega": sinusoidal_frequencies(D), "PE": sinusoidal_table(TIME, D)}
    return Binding(names, {"i": PAIRS, "t": TIMES}, first=0)


@binds("eq-rotation")
def shift_of_a_sinusoid(draw: Draw) -> Binding:
    names = {"omega": sinusoidal_frequencies(D)}
    return Binding(names, {"i": PAIRS, "t": TIMES, "k": (-3, 0, 2)}, first=0)


@binds("eq-four-terms")
def score_of_sums(draw: Draw) -> Binding:
    names = {
        "x": draw(D),
        "y": draw(D),
        "p": sinusoidal_table(TIME, D),
        "G": draw(D, D_HEAD) @ draw(D, D_HEAD).T,
    }
    return Binding(names, {"t": TIMES, "s": TIMES}, first=0)


@binds("eq-rotary-pair")
def turned_pair(draw: Draw) -> Binding:
    pair, position = draw(2), 3  # a pair alone turns by one radian a position
    turned = RotaryEmbedding(2)(pair[None], torch.tensor([position]))[0]
    names = {"x_1": pair[0], "x_2": pair[1], "alpha": position}
    return Binding(names, values=[turned])


@binds("eq-rotary-frequencies")
def rotary_speeds(draw: Draw) -> Binding:
    names = {"omega": rotary_frequencies(D, base=BASE), "b": BASE, "d": D}
    return Binding(names, {"i": PAIRS}, first=0)


def rotation(layout: str = "interleaved", size: int = D) -> Family:
    """Return the matrices that turn columns, one for each position."""
    rotary, unit = RotaryEmbedding(size, base=BASE, layout=layout), torch.eye(size)
    return Family(lambda t: rotary(unit.double(), torch.full((size,), t)).T.numpy())


def turned(draw: Draw) -> Binding:
    """Bind two columns, and what turns them."""
    names = {"R": rotation(), "q": draw(D, 1), "k": draw(D, 1)}
    return Binding(names, {"t": TIMES, "s": TIMES})


binds("eq-rotary-law")(turned)
binds("eq-rotary-offset")(turned)


@binds("eq-rotary-matrix")
def blocks_of_a_rotation(draw: Draw) -> Binding:
    whole = rotation()

    def block(t: int, i: int) -> np.ndarray:
        pair = slice(2 * i, 2 * i + 2)
        return whole.at(t)[pair, pair]

    names = {"R": Family(block), "omega": rotary_frequencies(D, base=BASE)}
    return Binding(names, {"t": TIMES, "i": PAIRS}, first=0)


@binds("eq-rotary-features")
def turned_features(draw: Draw) -> Iterator[Binding]:
    x, position = draw(D), 3
    y = RotaryEmbedding(D, base=BASE)(x[None], torch.tensor([position]))[0]
    for a, speed in enumerate(rotary_frequencies(D, base=BASE)):
        b, alpha = a + D // 2, position * speed
        yield Binding(
            {"x_a": x[a], "x_b": x[b], "y_a": y[a], "y_b": y[b], "alpha": alpha}
        )


@binds("eq-rotary-bound")
def bound_on_a_score(draw: Draw) -> Iterator[Binding]:
    """Choose one query for which the bound is attained, and one for which it is not."""
    t, s = 2, 13
    angles = rotary_frequencies(D, base=BASE).numpy() * (s - t)
    sums = np.concatenate(([0], np.cumsum(np.exp(1j * angles))))
    equal = 1.7 * sums[1:].conj() / abs(sums[1:])  # each term has its greatest size
    unequal = equal * [1, 0.01, 1, 0.3, 1]
    for attained, steps in ((True, equal), (False, unequal)):
        h = np.concatenate((np.cumsum(steps[::-1])[::-1], [0]))
        k = draw(D // 2, 2).numpy() @ [1, 1j]
        q = (h[:-1] / k).conj()
        names = {"R": rotation(), "q": column(q), "k": column(k), "d": D}
        names |= {"h": Family(lambda j, h=h: h[j]), "S": Family(lambda j: sums[j])}
        yield Binding(names | {"t": t, "s": s}, {"j": PAIRS}, attained=attained)


def column(numbers: np.ndarray) -> np.ndarray:
    """Write complex numbers as a column of pairs."""
    return np.stack((numbers.real, numbers.imag), axis=1).reshape(D, 1)


@binds("eq-field-guide-score")
def score_with_positions(draw: Draw) -> Binding:
    words, rotary = draw(TIME, D), RotaryEmbedding(D_HEAD + 1, base=BASE)
    places = torch.arange(TIME)
    table = draw.module(LearnedPositionalEmbedding(D, max_len=TIME))
    x = table(words[None])[0]
    to_query, to_key = draw(D, D_HEAD + 1), draw(D, D_HEAD + 1)
    bias = alibi_bias(2, places, places)[0, 1].double()
    query, key = rotary(x @ to_query, places), rotary(x @ to_key, places)

    def turn(t: int) -> object:
        return on_arrays(lambda one: rotary(one[None], torch.tensor([t]))[0])

    names = {
        "w": words,
        "p": x - words,
        "x": x,
        "rho": Family(turn, functions=True),
        "W^Q": to_query,
        "W^K": to_key,
        "d_k": D_HEAD + 1,
        "b": bias,
        "e": query @ key.T / (D_HEAD + 1) ** 0.5 + bias,
    }
    return Binding(names, {"t": TIMES, "s": TIMES}, first=0)


@binds("eq-field-guide-buckets")
def buckets_of_t5(draw: Draw) -> Binding:
    buckets, most = 14, 61
    back = range(buckets // 2, 89)

    def bucket(n: int) -> int:
        sorted_in = relative_buckets(
            torch.tensor([-n]),
            num_buckets=buckets,
            max_distance=most,
            bidirectional=False,
        )
        return int(sorted_in)

    return Binding({"N": buckets, "M": most}, {"n": back}, [bucket])


@binds("eq-field-guide-horizon")
def weight_beyond_a_horizon(draw: Draw) -> Binding:
    """Weigh far keys as much as content can, in a text long enough for its end."""
    length, k, c, slope = 200, 3, 0.4, 0.25
    last, keys = torch.tensor([length - 1]), torch.arange(length)
    bias = alibi_bias(4, last, keys)[0, 0, 0].double()
    assert bias[-2] == -slope
    far = keys <= length - 1 - k
    content = c * (2 * far.double() - 1)
    weights = (content + bias).softmax(0)
    names = {"c": c, "m": slope, "k": k, "x": math.exp(-slope * k)}
    return Binding(names, values=[weights[far].sum()])


def pairs(draw: Draw) -> dict:
    """Return queries, keys and what three schemes add to them."""
    names = {"q": draw(TIME, D_HEAD), "k": draw(TIME, D_HEAD), "d_k": D_HEAD}
    return names | {"W^R": draw(D, D_HEAD), "u": draw(D_HEAD), "v": draw(D_HEAD)}


@binds("eq-field-guide-xl")
def score_of_transformer_xl(draw: Draw) -> Binding:
    names = pairs(draw)
    r = draw(2 * TIME - 1, D)
    positions = torch.arange(TIME)
    back = (positions[:, None] - positions) + TIME - 1  # rows of r
    content = (names["q"] + names["u"]) @ names["k"].T
    position = torch.einsum(
        "td,tsd->ts", names["q"] + names["v"], (r @ names["W^R"])[back]
    )
    names |= {
        "e": (content + position) / math.sqrt(D_HEAD),
        "r": Family(lambda distance: r[distance + TIME - 1].numpy()),
    }
    return Binding(names, {"t": TIMES, "s": TIMES}, first=0)


@binds("eq-field-guide-deberta")
def score_of_deberta(draw: Draw) -> Binding:
    names, clipped = pairs(draw), 3
    keys, queries = draw(2 * clipped + 1, D_HEAD), draw(2 * clipped + 1, D_HEAD)
    positions = torch.arange(TIME)
    distance = (positions - positions[:, None]).clamp(-clipped, clipped)  # s - t
    terms = (
        names["q"] @ names["k"].T
        + torch.einsum("td,tsd->ts", names["q"], keys[distance + clipped])
        + torch.einsum("sd,tsd->ts", names["k"], queries[clipped - distance])
    )
    names |= {
        "e": terms / math.sqrt(3 * D_HEAD),
        "k^r": Family(lambda far: keys[far + clipped].numpy()),
        "q^r": Family(lambda far: queries[far + clipped].numpy()),
        "delta": lambda t, s: max(-clipped, min(clipped, s - t)),
    }
    return Binding(names, {"t": TIMES, "s": TIMES}, first=0)


@binds("eq-field-guide-tupe")
def score_of_tupe(draw: Draw) -> Binding:
    names = pairs(draw) | {"p": draw(TIME, D)}
    names |= {"U^Q": draw(D, D_HEAD), "U^K": draw(D, D_HEAD)}
    content = names["q"] @ names["k"].T
    position = (names["p"] @ names["U^Q"]) @ (names["p"] @ names["U^K"]).T
    names["e"] = (content + position) / math.sqrt(2 * D_HEAD)
    return Binding(names, {"t": TIMES, "s": TIMES}, first=0)
