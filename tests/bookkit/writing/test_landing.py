"""The landing page gets the times of chapters, of paths and of the whole book."""

from bookkit.book.outline import ReadingTime
from bookkit.writing.minutes import with_times

PAGE = """\
Start with [A](p/a.ipynb), {first} minutes, or [a bit in one day](#how-long-it-takes), \
{short}.

Three chapters, about {all}; exercises not counted.

| you have | you read | time |
|---|---|---|
| **one day** | parts: chapters [1](p/a.ipynb), [3](q/c.ipynb) | {some} |
| **much** | everything: chapters [1](p/a.ipynb) to [3](q/c.ipynb) | {every} |

| # | chapter | question | minutes |
|---|---|---|---|
| 1 | [A](p/a.ipynb) | In 5 minutes? | {a} |
| 2 | [B](p/b.ipynb) | So? | {b} |
| 3 | [C](q/c.ipynb) | So? | {c} |
"""
OLD = PAGE.format(
    first=1,
    short="9½ hours",
    all="1½ hours of reading, 2 with *Deeper*",
    some="3 hours",
    every="4 hours, 5 with *Deeper*",
    a="5",
    b="5 (7)",
    c="5",
)


def times(**both):
    """Name the times of the three chapters, each without and with Deeper sections."""
    paths = {"a": "p/a.ipynb", "b": "p/b.ipynb", "c": "q/c.ipynb"}
    return {
        paths[name]: ReadingTime(core=core, whole=whole)
        for name, (core, whole) in both.items()
    }


def test_one_time_is_written_where_nothing_is_deeper():
    assert with_times(OLD, times(a=(35, 35), b=(55, 55), c=(65, 65))) == PAGE.format(
        first=35,
        short="1½ hours",
        all="2½ hours of reading",
        some="1½ hours",
        every="2½ hours",
        a="35",
        b="55",
        c="65",
    )


def test_a_path_counts_the_chapters_that_there_are():
    page = "| 1 | [A](p/a.ipynb) | So? | 5 minutes |\n"
    path = "| **one week** | [1](p/a.ipynb), [2](p/gone.ipynb) | 1 hours |\n"
    found = with_times(path + page, times(a=(125, 125)))
    assert found.startswith(path.replace("1 hours", "2 hours"))


def test_a_door_to_what_is_not_timed_stays_as_it_is():
    page = "[A](p/gone.ipynb), 5 minutes; [x in one week](#how-long-it-takes), 2 hours"
    page += "\n\n| 1 | [A](p/a.ipynb) | So? | 35 |\n"
    assert with_times(page, times(a=(35, 35))) == page


def test_a_page_that_lists_no_chapter_stays_as_it_is():
    assert with_times("about 3 hours of reading", times(a=(35, 35))) == (
        "about 3 hours of reading"
    )
