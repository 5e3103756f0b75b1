"""Answers to the exercises on decoding, right ones and wrong ones."""

import math

import torch

from chapters.decoding.answers import followed


def nucleus(extra=0, stop_before=False, over=False):
    """The right answer, or one that keeps other tokens."""

    def answer(probabilities, p):
        ranked = sorted(range(len(probabilities)), key=lambda t: -probabilities[t])
        kept, total = set(), 0.0
        for token in ranked:
            if stop_before and total + probabilities[token] > p:
                break
            kept.add(token)
            total += probabilities[token]
            if total > p or (total == p and not over):
                break
        return kept | set(ranked[: len(kept) + extra])

    return answer


def summed_up(probabilities, p):
    """The right answer, with tensors."""
    shares, ids = torch.tensor(probabilities).sort(descending=True)
    before = shares.cumsum(0) - shares
    return set(ids[before < p].tolist())


def over_the_rest(probabilities, p):
    """Keeps one more if the tokens so far are exactly enough."""
    shares, ids = torch.tensor(probabilities).sort(descending=True)
    before = shares.cumsum(0) - shares
    return set(ids[before <= p].tolist())


def by_value(probabilities, p):
    """Looks up where a probability stands, and finds the first place only."""
    kept, total = set(), 0.0
    for share in sorted(probabilities, reverse=True):
        kept.add(probabilities.index(share))
        total += share
        if total >= p:
            break
    return kept


def nearly_enough(probabilities, p):
    return nucleus()(probabilities, p - 0.02)


def never_all(probabilities, p):
    """The loop ends before the least probable token."""
    least = min(range(len(probabilities)), key=lambda token: probabilities[token])
    return nucleus()(probabilities, p) - {least}


def in_percent(probabilities, p):
    """Rounds the sum to two decimals."""
    ranked = sorted(range(len(probabilities)), key=lambda t: -probabilities[t])
    kept, total = set(), 0.0
    for token in ranked:
        if total >= p:
            break
        kept.add(token)
        total = round(total + probabilities[token], 2)
    return kept


def at_most_five(probabilities, p):
    kept = sorted(nucleus()(probabilities, p), key=lambda t: -probabilities[t])
    return {*kept[:5]}


def without_tiny_ones(probabilities, p):
    return {t for t in nucleus()(probabilities, p) if probabilities[t] > 1e-3}


def by_count(probabilities, p):
    """Compares each token by itself."""
    return {token for token, share in enumerate(probabilities) if share >= 1 - p}


def each_best(score, width, length):
    """Continues each of the first `width` tokens greedily."""
    first = sorted(range(3), key=lambda token: -score(())[token])[:width]
    texts = [(score(())[token], (token,)) for token in first]
    for _ in range(length - 1):
        grown = []
        for total, text in texts:
            steps = score(text)
            token = max(range(3), key=lambda t, steps=steps: steps[t])
            grown.append((total + steps[token], (*text, token)))
        texts = grown
    return max(texts)[1]


def beam(width_of=lambda width: width, *, tokens=len, grow=lambda a, b: a + b, best=0):
    """The right answer, or one that differs in a part."""

    def answer(score, width, length):
        held = [(0.0, ())]
        for _ in range(length):
            held = sorted(
                (
                    (grow(total, steps[token]), (*text, token))
                    for total, text in held
                    for steps in [score(text)]
                    for token in range(tokens(steps))
                ),
                reverse=True,
            )[: width_of(width)]
        return held[best][1]

    return answer


def by_products(score, width, length):
    held = [(1.0, ())]
    for _ in range(length):
        held = sorted(
            (
                (total * math.exp(nats), (*text, token))
                for total, text in held
                for token, nats in enumerate(score(text))
            ),
            reverse=True,
        )[:width]
    return held[0][1]


def one_of_each(score, width, length):
    """Keeps the best continuation of each text."""
    held = sorted(((s, (t,)) for t, s in enumerate(score(()))), reverse=True)[:width]
    for _ in range(length - 1):
        held = [
            max((total + s, (*text, t)) for t, s in enumerate(score(text)))
            for total, text in held
        ]
    return max(held)[1]


def best_pair(score, width, length):
    """Looks two tokens ahead, whatever the width."""
    if width == 1 or length < 2:
        return followed(score, 1, length)
    return (*best_pair(score, width, length - 2), *followed(score, 2, 2))


def wide_at_the_start(score, width, length):
    """One beam of the width, then greedy."""
    text = followed(score, width, min(2, length))
    while len(text) < length:
        steps = score(text)
        text = (*text, max(range(len(steps)), key=lambda token: steps[token]))
    return text


def used_up(probabilities, p):
    """The right answer, which takes the tokens out of the list that it is given."""
    kept, total = set(), 0.0
    while total < p:
        best = max(range(len(probabilities)), key=lambda token: probabilities[token])
        kept.add(best)
        total += probabilities[best]
        probabilities[best] = 0.0
    return kept


RIGHT = [
    ("ex-decoding-by-hand", (3, 0.571, 1.778)),
    ("ex-decoding-nucleus", (nucleus(),)),
    ("ex-decoding-nucleus", (summed_up,)),
    ("ex-decoding-nucleus", (lambda shares, p: frozenset(summed_up(shares, p)),)),
    ("ex-decoding-nucleus", (lambda probabilities, p: {*nucleus()(probabilities, p)},)),
    ("ex-decoding-nucleus", (used_up,)),
    ("ex-decoding-beam", (followed,)),
    ("ex-decoding-detective", ("min-p", "all", "top-k", "greedy", "top-p")),
    ("ex-decoding-detective", ("min_p", "all", "top k", "greedy", "Top-P.")),
    ("ex-decoding-detective", ("Min-p", "ALL", "top-k", "greedy", "top-p")),
    ("ex-decoding-same", ("same", "may", "same", "may")),
]

WRONG = [
    ("ex-decoding-by-hand", (2, 0.571, 1.778), "add up"),
    ("ex-decoding-by-hand", (3, 0.4, 1.778), "sum to one"),
    ("ex-decoding-by-hand", (3, 0.571, 1.333), "ratio"),
    ("ex-decoding-by-hand", (4, 0.571, 1.778), "add up"),
    ("ex-decoding-by-hand", (5, 0.571, 1.778), "add up"),
    ("ex-decoding-by-hand", (3, 0.5, 1.778), "sum to one"),
    ("ex-decoding-by-hand", (3, 0.43, 1.778), "sum to one"),
    ("ex-decoding-by-hand", (3, 0.58, 1.778), "sum to one"),
    ("ex-decoding-by-hand", (3, 0.571, 2.667), "ratio"),
    ("ex-decoding-by-hand", (3, 0.571, 1.155), "ratio"),
    ("ex-decoding-by-hand", (3, 0.571, 0.5625), "ratio"),
    ("ex-decoding-nucleus", (lambda probabilities, p: [1, 3, 4],), "set of ids"),
    ("ex-decoding-nucleus", (by_value,), "of one probability"),
    ("ex-decoding-nucleus", (nearly_enough,), "at least the probability"),
    ("ex-decoding-nucleus", (never_all,), "at least the probability"),
    ("ex-decoding-nucleus", (nucleus(stop_before=True),), "at least the probability"),
    ("ex-decoding-nucleus", (in_percent,), "0.0005"),
    ("ex-decoding-nucleus", (at_most_five,), "0.0005"),
    ("ex-decoding-nucleus", (without_tiny_ones,), "0.0005"),
    ("ex-decoding-nucleus", (nucleus(extra=1),), "smallest"),
    ("ex-decoding-nucleus", (nucleus(over=True),), "smallest"),
    ("ex-decoding-nucleus", (over_the_rest,), "smallest"),
    ("ex-decoding-nucleus", (by_count,), "at least the probability"),
    (
        "ex-decoding-nucleus",
        (lambda probabilities, p: {*range(len(probabilities))},),
        "smallest",
    ),
    ("ex-decoding-beam", (lambda *a: list(followed(*a)),), "tuple"),
    ("ex-decoding-beam", (lambda s, w, n: followed(s, w + 1, n),), "greedy"),
    (
        "ex-decoding-beam",
        (lambda s, w, n: followed(s, 1, n),),
        "greedy decoding misses",
    ),
    (
        "ex-decoding-beam",
        (lambda s, w, n: followed(s, w if w == 1 else 9, n),),
        "at most",
    ),
    ("ex-decoding-beam", (each_best,), "best of all continuations"),
    ("ex-decoding-beam", (beam(tokens=lambda steps: 3),), "best of all continuations"),
    (
        "ex-decoding-beam",
        (beam(grow=lambda a, b: a + math.exp(b)),),
        "best of all continuations",
    ),
    ("ex-decoding-beam", (beam(grow=lambda a, b: b),), "best of all continuations"),
    ("ex-decoding-beam", (beam(best=-1),), "greedy decoding misses"),
    (
        "ex-decoding-beam",
        (beam(lambda width: min(width, 2)),),
        "best of all continuations",
    ),
    (
        "ex-decoding-beam",
        (beam(lambda width: min(width, 3)),),
        "fewer tokens than that",
    ),
    ("ex-decoding-beam", (one_of_each,), "best of all continuations"),
    ("ex-decoding-beam", (by_products,), "add the logarithms"),
    ("ex-decoding-beam", (best_pair,), "best of all continuations"),
    ("ex-decoding-beam", (wide_at_the_start,), "best of all continuations"),
    (
        "ex-decoding-detective",
        ("min-p", "min-p", "top-k", "greedy", "top-p"),
        "each of the five rules once",
    ),
    (
        "ex-decoding-detective",
        ("min-p", "beam", "top-k", "greedy", "top-p"),
        "each of the five rules once",
    ),
    (
        "ex-decoding-detective",
        ("greedy", "all", "top-k", "min-p", "top-p"),
        "second choice",
    ),
    (
        "ex-decoding-detective",
        ("min-p", "top-p", "top-k", "greedy", "all"),
        "none of the three cuts",
    ),
    (
        "ex-decoding-detective",
        ("top-k", "all", "min-p", "greedy", "top-p"),
        "beyond rank 5",
    ),
    (
        "ex-decoding-detective",
        ("top-p", "all", "top-k", "greedy", "min-p"),
        "a tenth of the",
    ),
    ("ex-decoding-same", ("yes", "may", "same", "may"), "answer with"),
    ("ex-decoding-same", ("may", "may", "same", "may"), "order"),
    ("ex-decoding-same", ("same", "same", "same", "may"), "every step"),
    ("ex-decoding-same", ("same", "may", "may", "may"), "softmax"),
    ("ex-decoding-same", ("same", "may", "same", "same"), "nucleus"),
    ("ex-decoding-same", ("same", "same", "same", "same"), "every step"),
    ("ex-decoding-same", ("same", "may", "may", "same"), "softmax"),
]
