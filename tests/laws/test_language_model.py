"""The laws of the chapter on a language model, for random shares, texts and counts."""

from collections import Counter
from fractions import Fraction
from itertools import pairwise, product
from math import log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters.language_model.coding import interval, receive, send
from chapters.language_model.ngrams import ngram_bits

LETTERS = "abc"
SEEDS = st.integers(0, 999)
TEXTS = st.text(alphabet=LETTERS, max_size=11)


def guesser(seed):
    """Random shares that hang on the last two letters."""

    def guess(text):
        random = np.random.default_rng([seed, *map(ord, text[-2:])])
        counts = random.integers(1, 50, size=len(LETTERS) + 1).tolist()
        letters = [*LETTERS, "."]
        return {
            x: Fraction(n, sum(counts)) for x, n in zip(letters, counts, strict=True)
        }

    return guess


@given(seed=SEEDS, text=TEXTS)
@settings(max_examples=40)
def test_a_text_costs_less_than_two_bits_more_than_its_share_and_comes_back(seed, text):
    guess, text = guesser(seed), text + "."
    share = Fraction(1)
    for place, letter in enumerate(text):
        share *= guess(text[:place])[letter]
    low, width = interval(text, guess)
    assert width == share
    assert 0 <= low <= low + width <= 1
    bits = send(text, guess)
    assert len(bits) < -log2(share) + 2
    assert receive(bits, guess, last=".") == text


@given(seed=SEEDS, length=st.integers(1, 4))
@settings(max_examples=15)
def test_no_code_word_begins_another_and_the_mean_is_above_the_entropy(seed, length):
    guess, words, mean, entropy = guesser(seed), [], 0.0, 0.0
    for letters in product([*LETTERS, "."], repeat=length):
        text = "".join(letters)
        words.append(send(text, guess))
        share = float(interval(text, guess)[1])
        mean, entropy = mean + share * len(words[-1]), entropy - share * log2(share)
    words.sort()
    assert not any(b.startswith(a) for a, b in pairwise(words))
    assert sum(Fraction(1, 2 ** len(word)) for word in words) <= 1
    assert entropy - 1e-9 <= mean < entropy + 2


def shares_by_hand(counts, context, letters):
    """The shares of all letters by the equation, with counts of whole runs."""
    if context is None:
        return {x: 1 / len(letters) for x in letters}
    lower = shares_by_hand(counts, context[1:] if context else None, letters)
    followed = {x: n for x in letters if (n := counts[context + x])}
    seen, kinds = sum(followed.values()), len(followed)
    if not seen:
        return lower
    return {
        x: (followed.get(x, 0) + kinds * p) / (seen + kinds) for x, p in lower.items()
    }


@given(train=st.text(alphabet=LETTERS, min_size=5, max_size=60), context=TEXTS)
@settings(max_examples=40)
def test_counted_letters_follow_the_equation_and_sum_to_one(train, context):
    letters, order = sorted({*train, "\n"}), 4
    train, context = train + "\n", "".join(x for x in context if x in train)
    begun = "\n" * order + train
    counts = Counter(
        begun[end - size : end]
        for size in range(1, order + 1)
        for end in range(order + 1, len(begun) + 1)
    )
    for n in range(1, order + 1):
        history = ("\n" * order + context)[len(context) + order - n + 1 :]
        wanted = shares_by_hand(counts, history, letters)
        found = {
            x: 2 ** -ngram_bits(train, context + x, order=order)[n - 1, -1]
            for x in letters
        }
        assert found == pytest.approx(wanted, rel=1e-9)
        assert sum(found.values()) == pytest.approx(1)
        assert min(found.values()) > 0


@given(seed=SEEDS, cuts=st.lists(st.integers(1, 3), min_size=1, max_size=5))
@settings(max_examples=25)
def test_a_guesser_of_letters_pays_the_same_for_all_cuts(seed, cuts):
    guess, random = guesser(seed), np.random.default_rng(seed)
    text = "".join(random.choice([*LETTERS], size=sum(cuts)))
    whole, place = Fraction(1), 0
    for size in cuts:
        piece = text[place : place + size]
        share = Fraction(1)
        for step, letter in enumerate(piece):
            share *= guess(text[: place + step])[letter]
        whole, place = whole * share, place + size
    assert interval(text, guess)[1] == whole


@given(seed=SEEDS)
@settings(max_examples=15)
def test_the_row_of_the_tokenizer_costs_no_less_than_the_text(seed):
    pieces = ["a", "b", "ab", "ba", "."]  # the last ends a row
    random = np.random.default_rng(seed)
    shares = random.dirichlet(np.ones(len(pieces)))
    given_to, total = Counter(), 0.0
    greedy = {}
    for length in range(5):
        for row in product(range(len(pieces) - 1), repeat=length):
            text = "".join(pieces[i] for i in row)
            share = float(np.prod(shares[[*row, -1]]))
            given_to[text], total = given_to[text] + share, total + share
            if text not in greedy or len(row) < greedy[text][0]:
                greedy[text] = (length, share)
    assert total <= 1 + 1e-9
    for text, (_, share) in greedy.items():
        assert -log2(share) >= -log2(given_to[text]) - 1e-9
