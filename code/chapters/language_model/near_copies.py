"""Verses that are told twice: which of the held-out ones have a near copy elsewhere."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

RUN = 4  # words in a row that two verses may share


class Copy(NamedTuple):
    """The verse of another text that is nearest to one.

    Args:
        share: Of the runs of words of the one, how many stand in the other.
        place: Which verse of the other text; -1 where no run is shared.
    """

    share: float
    place: int


def runs(verse: str) -> set[tuple[str, ...]]:
    """Return all runs of `RUN` words of a verse, in small letters without marks."""
    kept = "".join(c if c.isalpha() else " " for c in verse.lower()).split()
    return {tuple(kept[n : n + RUN]) for n in range(len(kept) - RUN + 1)}


def nearest(verses: Sequence[str], others: Sequence[str]) -> list[Copy]:
    """Return for each verse its nearest copy among others.

    Args:
        verses: Those that are held out.
        others: Those that are trained on.
    """
    places = defaultdict(list)
    for place, other in enumerate(others):
        for run in runs(other):
            places[run].append(place)
    found = []
    for verse in verses:
        of = runs(verse)
        shared = Counter(place for run in of for place in places.get(run, ()))
        # Of equals the first, whatever the order of a set.
        best = min(shared, key=lambda place: (-shared[place], place), default=-1)
        found.append(Copy(shared[best] / len(of) if shared else 0.0, best))
    return found


def without_near_copies(
    verses: Sequence[str], others: Sequence[str], *, least: float = 0.5
) -> list[str]:
    """Return the verses that have no near copy among others.

    Args:
        verses: Those that are held out.
        others: Those that are trained on.
        least: From which share of runs on a verse counts as a copy.
    """
    copies = nearest(verses, others)
    return [x for x, copy in zip(verses, copies, strict=True) if copy.share < least]


def drawn_apart(
    verses: Sequence[str], *, share: float, seed: int
) -> tuple[list[str], list[str]]:
    """Return verses drawn at random, and those that are left: the split that leaks.

    Args:
        verses: All.
        share: How many to draw, of all.
        seed: Which ones.
    """
    chosen = {*Random(seed).sample(range(len(verses)), round(share * len(verses)))}
    drawn = [x for place, x in enumerate(verses) if place in chosen]
    return drawn, [x for place, x in enumerate(verses) if place not in chosen]
