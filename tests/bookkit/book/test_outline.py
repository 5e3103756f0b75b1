"""The outline says what each chapter needs, and finds what needs a later one."""

import pytest

from bookkit.book.errors import BookError
from bookkit.book.outline import (
    Chapter,
    direct_needs,
    needed_by,
    order_breaches,
    read_needs,
    read_outline,
)
from bookkit.book.reading_time import ReadingTime
from bookkit.checking.facts import facts

SITE = "https://owner.github.io/old-book/book/"
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


def test_needs_are_the_links_between_you_need_and_the_reading_time():
    text = FIRST.format(
        title="T", needs=f"[a]({SITE}p/a.html), [b]({SITE}q/b.html#x), sines"
    )
    text += f"\nSee [later]({SITE}p/later.html)."
    assert read_needs(text) == (("p/a", "q/b"), ())


def test_a_link_after_or_is_an_alternative():
    text = FIRST.format(
        title="T", needs=f"[a]({SITE}p/a.html), or [b]({SITE}p/b.html); sines"
    )
    assert read_needs(text) == (("p/a",), ("p/b",))


def test_a_chapter_that_names_nothing_needs_nothing():
    assert read_needs(f"# T\n\n[a]({SITE}p/a.html)") == ((), ())


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


@facts(
    "chapters",
    [
        [chapter("a", "b"), chapter("b")],
        [chapter("a", "a")],
        [chapter("a"), chapter("b", instead=("c",)), chapter("c")],
        [chapter("a", "c"), chapter("b", "a"), chapter("c", "b")],
    ],
    ids=["later", "itself", "later alternative", "cycle"],
)
def test_a_chapter_that_needs_no_earlier_one_is_named(chapters):
    [breach] = order_breaches(chapters)
    assert "which does not stand before it" in breach


def test_chapters_that_need_earlier_ones_are_in_order():
    assert order_breaches([chapter("a"), chapter("b", "a"), chapter("c", "a")]) == []


def test_needed_by_turns_the_links_around():
    chapters = [chapter("a"), chapter("b", "a"), chapter("c", "b", instead=("a",))]
    assert needed_by(chapters) == {"a": ["b", "c"], "b": ["c"], "c": []}


def test_direct_needs_leave_out_what_follows_from_others():
    chapters = [chapter("a"), chapter("b", "a"), chapter("c", "a", "b")]
    chapters.append(chapter("d", "c", instead=("b",)))
    assert direct_needs(chapters) == [("a", "b"), ("b", "c"), ("c", "d")]


def test_an_alternative_that_does_not_follow_is_kept():
    chapters = [chapter("a"), chapter("b"), chapter("c", "a", instead=("b",))]
    assert direct_needs(chapters) == [("a", "c"), ("b", "c")]


def test_pages_without_a_number_are_no_chapters(book, write_chapter):
    write_chapter("# T")  # without a reading time, which a chapter must have
    assert read_outline(book) == []
