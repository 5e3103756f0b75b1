"""The outline says what each chapter needs, and finds what needs a later one."""

import pytest

from bookkit.book.errors import BookError
from bookkit.book.outline import (
    Chapter,
    ReadingTime,
    order_breaches,
    read_outline,
    stated_time,
)

FIRST = """\
# {title}

> **At a glance**
>
> **You need** {needs}. **Reading time** about 5 minutes. See [Notation](https://a.org).
"""


def chapter(name, *needs, number=1, instead=()):
    """Make a chapter with a title of its own."""
    return Chapter(
        name=name,
        number=number,
        part="Part",
        title=f"Title {name}",
        time=ReadingTime(core=5, whole=5),
        needs=needs,
        instead=instead,
    )


def test_outline_has_numbers_parts_titles_and_times(numbered_book, write_chapter):
    text = FIRST.format(title="A title", needs="sines")
    longer = "5 minutes, 35 with what is marked *Deeper*."
    write_chapter(text.replace("5 minutes.", longer))
    [found] = read_outline(numbered_book)
    assert (found.name, found.number, found.part) == ("part/chapter", 1, "Part")
    assert (found.title, found.links) == ("A title", ())
    assert found.time == ReadingTime(core=5, whole=35)


def test_a_first_cell_without_a_reading_time_is_refused(numbered_book, write_chapter):
    write_chapter("# T\n")
    with pytest.raises(BookError, match=r"part/chapter\.ipynb must have a title"):
        read_outline(numbered_book)


def test_chapters_that_need_earlier_ones_are_in_order():
    assert order_breaches([chapter("a"), chapter("b", "a"), chapter("c", "a")]) == []


CORE, BOTH = ReadingTime(core=45, whole=45), ReadingTime(core=20, whole=55)


def test_a_table_says_it_in_fewer_words():
    assert (CORE.cell, BOTH.cell) == ("45", "20 (55)")


def test_a_text_that_says_no_time_has_none():
    assert stated_time("**Reading time** unknown.") is None
