"""A text is a part of a bar: by hand, there and back, and what cannot be sent."""

from fractions import Fraction

import pytest

from chapters.language_model.coding import interval, receive, send

SHARES = {"a": Fraction(1, 2), "b": Fraction(1, 4), "c": Fraction(1, 4)}


def same(_):
    return SHARES


def doubling(text):
    """Shares that hang on what came before: the last letter comes again with 9/10."""
    rest = Fraction(1, 20)
    again = text[-1:] or "a"
    return {x: Fraction(9, 10) if x == again else rest for x in "abc"}


def test_the_example_of_the_page():
    assert interval("bac", same) == (Fraction(19, 32), Fraction(1, 32))
    assert send("bac", same) == "10011"
    assert send("", same) == ""


def test_shares_that_are_powers_of_two_are_code_words_side_by_side():
    words = {"a": "0", "b": "10", "c": "11"}
    for text in ("a", "cab", "bbcaacab"):
        assert send(text, same) == "".join(words[x] for x in text)


def test_a_letter_that_is_nearly_sure_costs_less_than_a_bit():
    assert len(send(20 * "a", doubling)) == 4  # -log2 of 0.9 ** 20 is 3.04


def test_a_text_comes_back_from_what_was_sent():
    for text in ("c", "aabac", "aaaaaabbbbbbbbac"):
        assert receive(send(text, doubling), doubling, last="c") == text
    for text in ("c", "bc", "abac"):  # each number begins a part
        assert receive(send(text, same), same, last="c") == text
    assert receive("", lambda _: {"c": Fraction(1)}, last="c") == "c"


def test_a_letter_without_a_share_is_named():
    with pytest.raises(ValueError, match=r"'d' has none after 'ab'"):
        send("abd", same)
