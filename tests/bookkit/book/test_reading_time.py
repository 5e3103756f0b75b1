"""A reading time is written in one way, and read from what was written."""

from bookkit.book.outline import ReadingTime, stated_time

CORE, BOTH = ReadingTime(core=45, whole=45), ReadingTime(core=20, whole=55)


def test_a_table_says_it_in_fewer_words():
    assert (CORE.cell, BOTH.cell) == ("45", "20 (55)")


def test_a_text_that_says_no_time_has_none():
    assert stated_time("**Reading time** unknown.") is None
