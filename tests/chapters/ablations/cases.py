"""Answers to the exercises on ablations, right ones and wrong ones."""

import math

from chapters.laboratory.differences import t_quantile


def sign_chance(differences):
    n, above = len(differences), sum(number > 0 for number in differences)
    tail = sum(math.comb(n, i) for i in range(min(above, n - above) + 1))
    return min(1.0, 2 * tail / 2**n)


def uncapped(differences):
    n, above = len(differences), sum(number > 0 for number in differences)
    return 2 * sum(math.comb(n, i) for i in range(min(above, n - above) + 1)) / 2**n


def sized(differences):
    heavy = any(abs(number) > 50 for number in differences)
    return 0.5 if heavy else sign_chance(differences)


def seeds_needed(spread, gain):
    n = 2
    while t_quantile(n - 1) * spread / n**0.5 > gain:
        n += 1
    return n


RIGHT = [
    ("ex-ablations-interval", (0.04, -0.003, 0.083)),
    ("ex-ablations-signs", (sign_chance,)),
    ("ex-ablations-seeds", (seeds_needed,)),
    ("ex-ablations-predict", ("shrinks", "stays", "grows", "grows")),
]

WRONG = [
    ("ex-ablations-interval", (0.12, -0.003, 0.083), "first number"),
    ("ex-ablations-interval", (0.04, 0.0, 0.083), "evenly"),
    ("ex-ablations-interval", (0.04, 0.02, 0.06), "root of the number"),
    ("ex-ablations-signs", (lambda d: 0.5 ** len(d),), "all five signs"),
    ("ex-ablations-signs", (lambda d: 2 * 0.5 ** len(d),), "one sign of five"),
    ("ex-ablations-signs", (uncapped,), "at most 1"),
    ("ex-ablations-signs", (sized,), "not the sizes"),
    ("ex-ablations-seeds", (lambda s, g: max(1, seeds_needed(s, g) - 1),), "two seeds"),
    ("ex-ablations-seeds", (lambda s, g: 2,), "depends on the number"),
    (
        "ex-ablations-seeds",
        (lambda s, g: seeds_needed(s, g) + (s == 2.0),),
        "one fewer",
    ),
    ("ex-ablations-seeds", (lambda s, g: {1e3: 2, 1.0: 7}.get(g, 1),), "one fewer"),
    ("ex-ablations-predict", ("less", "stays", "grows", "grows"), "answer with"),
    ("ex-ablations-predict", ("stays", "stays", "grows", "grows"), "standard error"),
    ("ex-ablations-predict", ("shrinks", "grows", "grows", "grows"), "misses"),
    ("ex-ablations-predict", ("shrinks", "stays", "stays", "grows"), "add up"),
    ("ex-ablations-predict", ("shrinks", "stays", "grows", "stays"), "best of many"),
]
