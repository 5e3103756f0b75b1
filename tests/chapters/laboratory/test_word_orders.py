"""Numbers of the same words are counted."""

from itertools import permutations
from random import Random

from bookkit.checking.facts import facts
from chapters.laboratory.translator import numbers
from chapters.laboratory.word_orders import orders
from transformer.data import english


def test_orders_are_counted_as_by_trying_them_all():
    known = {english(number) for number in range(1_000)}
    for number in [0, 13, *Random(0).sample(range(1_000), 20)]:
        pieces = numbers().tokenizer.pieces(english(number))
        tried = {" ".join(order).replace(" ##", "") for order in permutations(pieces)}
        assert orders()(english(number)) == len(tried & known)


@facts("number, count", [(2_002, 1), (6_002, 2), (6_311, 4), (90_090, 1)])
def test_orders_of_thousands_are_counted_by_hand(number, count):
    assert orders()(english(number)) == count


def test_the_words_of_a_number_forget_their_order():
    assert orders()(english(203)) == orders()(english(302)) == 2
    assert orders()(english(230)) == orders()("sixty-one") == 1
