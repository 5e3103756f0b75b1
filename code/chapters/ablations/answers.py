"""Properties of the answers to the exercises on ablations."""

import math
from functools import cache
from statistics import fmean, stdev

from chapters.exercises import Property
from chapters.forms import Form
from chapters.laboratory.differences import t_quantile
from chapters.regions import about, every

# Of 500 numbers, how many the baseline got right after 200 steps, by seed.
OLD = [447, 466, 366, 440, 448]  # seeds 0 to 4
NEW = [412, 449, 422, 432, 410]  # seeds 5 to 9
WORDS = {"grows", "stays", "shrinks"}
quantile = cache(t_quantile)  # which sums 200,000 numbers


def is_minimal(seeds_needed, spread: float, gain: float) -> bool:
    """Return whether the number of seeds is enough, and one fewer is not."""
    n = seeds_needed(spread, gain)
    if n != int(n) or n < 2:
        return False

    def reach(count: int) -> float:
        return quantile(count - 1) * spread / count**0.5

    return reach(int(n)) <= gain and (n == 2 or reach(int(n) - 1) > gain)


def places(pairs) -> list[tuple[int, int]]:
    """Return pairs of places as whole numbers."""
    return [(int(one), int(other)) for one, other in pairs]


def are_places(pairs) -> bool:
    """Return whether these are pairs of places, each from 0 to 4 and whole."""
    try:
        found = places(pairs)
        same = all(
            one == place and 0 <= place < len(OLD)
            for pair, whole in zip(pairs, found, strict=True)
            for one, place in zip(pair, whole, strict=True)
        )
    except (TypeError, ValueError):
        return False
    return same


def is_below_zero(pairs) -> bool:
    """Return whether the interval of new minus old lies below zero."""
    differences = [NEW[new] - OLD[old] for old, new in places(pairs)]
    reach = quantile(len(pairs) - 1) * stdev(differences) / len(pairs) ** 0.5
    return fmean(differences) + reach < 0


EXERCISES = {
    "ex-ablations-nothing": [
        Property(
            "give pairs such as (0, 3): a place in old and a place in new, 0 to 4.",
            are_places,
        ),
        Property(
            "at least three pairs, or no reader believes you.",
            lambda pairs: len(pairs) >= 3,
        ),
        Property(
            "no place twice on a side: a training is published once.",
            lambda pairs: all(
                len(set(side)) == len(side) for side in zip(*places(pairs), strict=True)
            ),
        ),
        Property(
            "the interval must lie below zero: which old training was unlucky, and "
            "which pairs differ by about the same?",
            is_below_zero,
        ),
    ],
    "ex-ablations-interval": [
        Property(
            "the mean of the three differences is the first number.",
            lambda mean, low, high: math.isclose(mean, 0.04, abs_tol=5e-4),
        ),
        Property(
            "the interval must lie evenly around the mean.",
            every(about(-2, 1, 1, within=2e-3)),
        ),
        Property(
            "the reach is t times s divided by the root of the number of seeds.",
            lambda mean, low, high: (
                math.isclose(low, -0.003, abs_tol=6e-4)
                and math.isclose(high, 0.083, abs_tol=6e-4)
            ),
        ),
    ],
    "ex-ablations-signs": [
        Property(
            "if all five signs agree, the chance is 2 / 32, in either direction.",
            lambda sign_chance: all(
                math.isclose(sign_chance([sign * 0.1] * 5), 1 / 16) for sign in (1, -1)
            ),
        ),
        Property(
            "one sign of five against the others: count all cases that are as "
            "one-sided, or more so.",
            lambda sign_chance: all(
                math.isclose(sign_chance([s, s, -s, s, s]), 12 / 32)
                and math.isclose(sign_chance([-s, s, s, -s, s, s, s]), 58 / 128)
                and math.isclose(sign_chance([s] * 7 + [-s] * 3), 352 / 1024)
                and math.isclose(sign_chance([s] * 13 + [-s] * 3), 1394 / 2**16)
                for s in (2, -2)
            ),
        ),
        Property(
            "a chance is at most 1, also when the signs are even.",
            lambda sign_chance: math.isclose(sign_chance([1, -1, 2, -3]), 1.0),
        ),
        Property(
            "only the signs may count, not the sizes.",
            lambda sign_chance: all(
                math.isclose(sign_chance([1, 1, 1, -1]), sign_chance(sizes))
                for sizes in ([0.1, 5, 9, -100], [1e-9, 0.2, -1e-12, 4])
            ),
        ),
    ],
    "ex-ablations-seeds": [
        Property(
            "a huge gain needs two seeds: fewer have no standard deviation.",
            lambda seeds_needed: seeds_needed(1.0, 1e3) == 2,
        ),
        Property(
            "the factor depends on the number of seeds; use t_quantile(n - 1).",
            lambda seeds_needed: seeds_needed(1.0, 1.0) == 7,
        ),
        Property(
            "the number must be enough, and one fewer must not be.",
            lambda seeds_needed: all(
                is_minimal(seeds_needed, *pair)
                for pair in ((1.0, 2.0), (2.0, 1.0), (0.3, 0.2), (1.0, 0.25))
            ),
        ),
    ],
    "ex-ablations-predict": [
        Property(
            "answer with 'grows', 'stays' or 'shrinks'.",
            lambda *words: len(words) == 4 and set(words) <= WORDS,
        ),
        Property(
            "both the standard error and the factor t fall with more seeds.",
            lambda width, alarms, many, tuned: width == "shrinks",
        ),
        Property(
            "how often a 95 % interval misses does not depend on its width.",
            lambda width, alarms, many, tuned: alarms == "stays",
        ),
        Property(
            "expected numbers of false alarms add up.",
            lambda width, alarms, many, tuned: many == "grows",
        ),
        Property(
            "what does the best of many tries do, when the others have one try?",
            lambda width, alarms, many, tuned: tuned == "grows",
        ),
    ],
}

NONE = "none"
FIELDS = {
    "ex-ablations-nothing": Form(
        len(OLD) * ({NONE, *range(len(NEW))},),
        tuple(f"old {place} with new" for place in range(len(OLD))),
        lambda *chosen: (
            [(old, new) for old, new in enumerate(chosen) if new != NONE],
        ),
    ),
    "ex-ablations-interval": (0.04, -0.003, 0.083),
    "ex-ablations-predict": 4 * (WORDS,),
}
