"""Letters guessed by counts: by hand, as a loop does it, and as a distribution."""

import math
from collections import Counter, defaultdict

import numpy as np
import pytest

from chapters.language_model.ngrams import ngram_bits

TEXT = "the cat sat on the mat\nthat is that\n"


def test_single_letters_by_hand():
    # Two letters a and one b; a line end is possible, too.
    found = ngram_bits("aab", "ab", order=1)[0]
    chances = [(2 + 2 / 3) / (3 + 2), (1 + 2 / 3) / (3 + 2)]
    assert found == pytest.approx([-math.log2(p) for p in chances])


def by_hand(train, text, order):
    """The recursion for each letter by itself."""
    kinds_of_all = len({*train, "\n"})
    train, text = ("\n" * order + x for x in (train, text))
    counts = defaultdict(Counter)
    for n in range(1, order + 1):
        for end in range(order, len(train)):
            counts[train[end - n + 1 : end]][train[end]] += 1
    found = []
    for place in range(order, len(text)):
        chance = 1 / kinds_of_all
        for n in range(1, order + 1):
            after = counts.get(text[place - n + 1 : place])
            if after:
                kinds, total = len(after), sum(after.values())
                chance = (after[text[place]] + kinds * chance) / (total + kinds)
        found.append(-math.log2(chance))
    return found


@pytest.mark.parametrize("order", [1, 2, 3, 5])
def test_it_is_the_recursion_letter_by_letter(order):
    found = ngram_bits(TEXT, "that hat\nis the cat", order=order)
    assert found.shape == (order, 19)
    expected = by_hand(TEXT, "that hat\nis the cat", order)
    assert found[-1] == pytest.approx(expected)


@pytest.mark.parametrize("history", ["", "t", "th", "qq", "hat "])
def test_the_chances_of_all_letters_sum_to_one(history):
    letters = sorted({*TEXT})
    history = "".join(x for x in history if x in letters)
    last = [ngram_bits(TEXT, history + x, order=4)[:, -1] for x in letters]
    assert np.exp2(-np.stack(last)).sum(axis=0) == pytest.approx(np.ones(4))


def test_rows_are_orders():
    long, short = (ngram_bits(TEXT, "that", order=n) for n in (4, 2))
    assert long[:2] == pytest.approx(short)


def test_a_letter_that_was_never_seen_is_refused(refuses):
    refuses(lambda: ngram_bits("aab", "xb", order=2), ValueError, "letter", "'x'")
