"""A reading time is written in one way, and read from what was written."""

from bookkit.book.reading_time import STATED, ReadingTime, stated_time
from bookkit.checking.facts import facts

CORE, BOTH = ReadingTime(core=45, whole=45), ReadingTime(core=20, whole=55)
SENTENCES = {
    "**Reading time** about 45 minutes; exercises not counted.": (CORE, True),
    "**Reading time** about 45 minutes.": (CORE, False),
    "**Reading time** about 20 minutes, 55 with what is "
    "marked *Deeper*; exercises not counted.": (BOTH, True),
    "**Reading time** about 20 minutes, 55 with what is marked *Deeper*.": (
        BOTH,
        False,
    ),
}


@facts("sentence", SENTENCES)
def test_a_sentence_is_written_and_read_again(sentence):
    time, exercises = SENTENCES[sentence]
    assert time.sentence(exercises=exercises) == sentence
    text = f"> **You need** sines. {sentence} Symbols are collected elsewhere."
    assert STATED.findall(text) == [sentence]
    assert stated_time(text) == time


def test_a_table_says_it_in_fewer_words():
    assert (CORE.cell, BOTH.cell) == ("45", "20 (55)")


def test_a_text_that_says_no_time_has_none():
    assert stated_time("**Reading time** unknown.") is None
