"""Verses that are told twice, by their runs of words."""

import pytest

from bookkit.checking.facts import facts
from chapters.laboratory import king_james
from chapters.language_model.near_copies import (
    Copy,
    drawn_apart,
    nearest,
    runs,
    without_near_copies,
)

VERSE = "And the king said unto them, Go ye up."
OTHERS = ["In the beginning.", "and the King said, unto us!", VERSE, VERSE]


@facts(
    "verse, expected",
    [
        ("One, two; THREE four.", {("one", "two", "three", "four")}),
        ("one two three", set()),
        ("", set()),
    ],
)
def test_runs_are_four_words_without_marks(verse, expected):
    assert runs(verse) == expected


@facts(
    "verse, expected",
    [
        (VERSE, Copy(1.0, 2)),  # the first of two alike
        ("And the king said unto him, Behold.", Copy(0.5, 1)),
        ("Jesus wept.", Copy(0.0, -1)),
    ],
)
def test_the_nearest_by_hand(verse, expected):
    assert nearest([verse], OTHERS) == [expected]


def test_near_copies_are_left_out():
    verses = ["Jesus wept.", VERSE, "And the king said unto him, Behold."]
    assert without_near_copies(verses, OTHERS) == verses[:1]
    assert without_near_copies(verses, OTHERS, least=0.6) == [verses[0], verses[2]]


def test_kings_and_chronicles_tell_the_same():
    kings, chronicles = (king_james.books()[x] for x in ("2 Kings", "2 Chronicles"))
    found = nearest(kings, chronicles)
    share = sum(copy.share >= 0.5 for copy in found) / len(found)
    assert 0.06 < share < 0.07


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_verses_that_are_drawn_are_not_left(share):
    verses = [str(n) for n in range(31)]
    drawn, left = drawn_apart(verses, share=share, seed=3)
    assert sorted(drawn + left, key=int) == verses
    assert len(drawn) == round(share * 31)
    assert drawn_apart(verses, share=share, seed=3) == (drawn, left)
