"""What a model without positions, or without skips, cannot tell apart."""

from bookkit.checking.facts import facts
from chapters.ablations.reasons import right_in_any_order, tokens_apart
from transformer.data import Pair, english


@facts("tested, right", [([7], 1), ([203], 1 / 2), ([7, 203], 3 / 4)])
def test_who_knows_the_words_guesses_among_their_orders(tested, right):
    pairs = [Pair(english(number), "") for number in tested]
    assert right_in_any_order(pairs) == right


def test_without_skips_the_tokens_of_a_fresh_decoder_are_all_alike():
    assert tokens_apart("no skips", seed=3, sentences=5) < 1e-4
    assert tokens_apart("baseline", seed=3, sentences=5) > 0.2
