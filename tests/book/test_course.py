"""The plan of fourteen weeks is in order, and its exercises need the core alone."""

import re

from where_shown import NUMBERS, ROOT

from bookkit.book.boxes import EXERCISE, read_box
from bookkit.book.cells import markdown_cells
from bookkit.book.notebooks import read_notebook
from bookkit.book.outline import read_outline
from bookkit.checking.facts import facts

PAGE = (ROOT / "book/using_this_book.md").read_text("utf-8")
SECTION = PAGE.partition("## A course of fourteen weeks\n")[2].partition("\n## ")[0]
OUTLINE = {chapter.name: chapter for chapter in read_outline(ROOT)}
CHAPTER = re.compile(r"\[(\d+)\]\((\w+/\w+)\.ipynb\)")
WEEKS = [
    (int(week), [name for _, name in CHAPTER.findall(read)], int(minutes), exercises)
    for week, read, minutes, exercises in re.findall(
        r"^\| (\d+) \| (.+) \| (\d+) \| (.+) \|$", SECTION, re.M
    )
]
READ = [name for _, names, _, _ in WEEKS for name in names]


def test_there_are_fourteen_weeks_and_each_chapter_is_named_once():
    assert [week for week, *_ in WEEKS] == list(range(1, 15))
    named = CHAPTER.findall(SECTION)
    assert sorted(name for _, name in named) == sorted(OUTLINE)
    assert all(OUTLINE[name].number == int(number) for number, name in named)


def test_a_chapter_comes_after_all_that_it_needs():
    assert [name for name in OUTLINE if name in READ] == READ
    assert [n for name in READ for n in OUTLINE[name].needs if n not in READ] == []


@facts("week, names, minutes, exercises", WEEKS)
def test_a_week_has_the_minutes_and_the_exercises_of_its_chapters(
    week, names, minutes, exercises
):
    assert minutes == sum(OUTLINE[name].time.core for name in names)
    links = re.findall(r"\[([^]]+)\]\(#([\w-]+)\)", exercises)
    assert 2 <= len(links) <= 3
    for title, label in links:
        file = NUMBERS[label].file
        assert file in [f"book/{name}.ipynb" for name in names]
        boxes = map(
            read_box, (c.source for _, c in markdown_cells(read_notebook(ROOT / file)))
        )
        [box] = [box for box in boxes if box and box.label == label]
        assert (box.kind, box.title) == (EXERCISE, title)
        assert "*Deeper" not in box.body
