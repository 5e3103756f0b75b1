"""Answers to the exercises on ablations, right ones and wrong ones."""

import math
from itertools import pairwise

from chapters.ablations.answers import quantile as t_quantile


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


def for_one_at_most(differences):
    """Right while at most one sign differs, and capped beyond."""
    n, above = len(differences), sum(number > 0 for number in differences)
    return min(1.0, 2 * (1 + n * min(above, n - above)) / 2**n)


def exactly_as_one_sided(differences):
    n, above = len(differences), sum(number > 0 for number in differences)
    return min(1.0, 2 * math.comb(n, above) / 2**n)


def in_one_direction(differences):
    n, above = len(differences), sum(number > 0 for number in differences)
    return sum(math.comb(n, i) for i in range(above, n + 1)) / 2**n


def in_a_table(differences):
    """Knows the cases of the text, and no other."""
    n, above = len(differences), sum(number > 0 for number in differences)
    rarer = min(above, n - above)
    return {(5, 0): 1 / 16, (5, 1): 12 / 32, (4, 2): 1.0}.get((n, rarer), 0.625)


def signs_of_neighbors(differences):
    n = len(differences)
    turns = sum(a * b < 0 for a, b in pairwise(differences))
    return min(1.0, 2 * sum(math.comb(n, i) for i in range(turns // 2 + 1)) / 2**n)


def three_more_than_the_bell(spread, gain):
    return max(2, math.ceil((1.96 * spread / gain) ** 2) + 3 * (gain < 100))


def with_n_degrees(spread, gain):
    n = 2
    while t_quantile(n) * spread / n**0.5 > gain:
        n += 1
    return n


def without_the_root(spread, gain):
    n = 2
    while t_quantile(n - 1) * spread / n > gain:
        n += 1
    return n


def up_to_fifty(spread, gain):
    for n in range(2, 50):
        if t_quantile(n - 1) * spread / n**0.5 <= gain:
            return n
    return 50


def gain_alone(spread, gain):
    """The spread is never read."""
    return seeds_needed(1.0, gain)


def clear_signs(differences):
    """Takes a small loss for a gain."""
    return sign_chance([number + 0.5 for number in differences])


RIGHT = [
    ("ex-ablations-nothing", ([(0, 0), (1, 3), (4, 4)],)),
    ("ex-ablations-nothing", ([(0, 4), (1, 2), (3, 3), (4, 0)],)),
    ("ex-ablations-interval", (0.04, -0.003, 0.083)),
    ("ex-ablations-signs", (sign_chance,)),
    ("ex-ablations-seeds", (seeds_needed,)),
    ("ex-ablations-predict", ("shrinks", "stays", "grows", "grows")),
]

WRONG = [
    ("ex-ablations-nothing", ([(0, 0), (1, 1), (2, 2), (3, 3), (4, 4)],), "below zero"),
    ("ex-ablations-nothing", ([(0, 0), (4, 4)],), "at least three"),
    ("ex-ablations-nothing", ([(0, 0), (0, 4), (4, 4)],), "no place twice"),
    ("ex-ablations-nothing", ([(0, 0), (1, 0), (4, 4)],), "no place twice"),
    ("ex-ablations-nothing", ([(2, 0), (3, 1), (0, 2)],), "below zero"),
    ("ex-ablations-nothing", ([(0, 5), (1, 8), (4, 9)],), "a place in old"),
    ("ex-ablations-nothing", ([447, 466, 448],), "a place in old"),
    ("ex-ablations-nothing", ([(447, 412), (466, 432), (448, 410)],), "a place in old"),
    ("ex-ablations-nothing", ([(-5, 0), (1, 3), (4, 4)],), "a place in old"),
    ("ex-ablations-interval", (0.12, -0.003, 0.083), "first number"),
    ("ex-ablations-interval", (0.04, 0.0, 0.083), "evenly"),
    ("ex-ablations-interval", (0.04, 0.02, 0.06), "root of the number"),
    ("ex-ablations-interval", (-0.04, -0.083, 0.003), "first number"),
    ("ex-ablations-interval", (0.04, 0.02, 0.0596), "root of the number"),
    ("ex-ablations-interval", (0.04, 0.005, 0.075), "root of the number"),
    ("ex-ablations-interval", (0.04, -0.0345, 0.1145), "root of the number"),
    ("ex-ablations-interval", (0.04, 0.0, 0.08), "root of the number"),
    ("ex-ablations-interval", (0.04, -0.004, 0.084), "root of the number"),
    ("ex-ablations-interval", (0.04, -0.0037, 0.0837), "root of the number"),
    ("ex-ablations-interval", (0.04, 0.083, -0.003), "root of the number"),
    ("ex-ablations-signs", (lambda d: 0.5 ** len(d),), "all five signs"),
    ("ex-ablations-signs", (lambda d: 2 * 0.5 ** len(d),), "one sign of five"),
    ("ex-ablations-signs", (uncapped,), "at most 1"),
    ("ex-ablations-signs", (sized,), "not the sizes"),
    ("ex-ablations-signs", (for_one_at_most,), "count all cases"),
    ("ex-ablations-signs", (exactly_as_one_sided,), "count all cases"),
    ("ex-ablations-signs", (in_one_direction,), "all five signs"),
    ("ex-ablations-signs", (in_a_table,), "count all cases"),
    ("ex-ablations-signs", (signs_of_neighbors,), "count all cases"),
    ("ex-ablations-signs", (clear_signs,), "not the sizes"),
    (
        "ex-ablations-signs",
        (lambda d: sign_chance([number - 5e-4 for number in d]),),
        "not the sizes",
    ),
    ("ex-ablations-signs", (lambda d: sign_chance(d[:10]),), "count all cases"),
    ("ex-ablations-seeds", (lambda s, g: max(1, seeds_needed(s, g) - 1),), "two seeds"),
    ("ex-ablations-seeds", (lambda s, g: 2,), "depends on the number"),
    (
        "ex-ablations-seeds",
        (lambda s, g: seeds_needed(s, g) + (s == 2.0),),
        "one fewer",
    ),
    ("ex-ablations-seeds", (lambda s, g: {1e3: 2, 1.0: 7}.get(g, 1),), "one fewer"),
    ("ex-ablations-seeds", (three_more_than_the_bell,), "one fewer"),
    ("ex-ablations-seeds", (with_n_degrees,), "depends on the number"),
    ("ex-ablations-seeds", (without_the_root,), "depends on the number"),
    ("ex-ablations-seeds", (up_to_fifty,), "one fewer"),
    ("ex-ablations-seeds", (gain_alone,), "one fewer"),
    ("ex-ablations-predict", ("less", "stays", "grows", "grows"), "answer with"),
    ("ex-ablations-predict", ("stays", "stays", "grows", "grows"), "standard error"),
    ("ex-ablations-predict", ("shrinks", "grows", "grows", "grows"), "misses"),
    ("ex-ablations-predict", ("shrinks", "stays", "stays", "grows"), "add up"),
    ("ex-ablations-predict", ("shrinks", "stays", "grows", "stays"), "best of many"),
    ("ex-ablations-predict", ("shrinks", "shrinks", "grows", "grows"), "misses"),
    ("ex-ablations-predict", ("shrinks", "stays", "grows", "shrinks"), "best of many"),
]
