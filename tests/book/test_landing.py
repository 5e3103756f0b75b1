"""The landing page keeps what it says about chapters, time and paths."""

import re
from pathlib import Path

from bookkit.book.files import find_root
from bookkit.book.outline import read_outline
from bookkit.checking.facts import facts
from bookkit.writing.minutes import WORDS
from bookkit.writing.references import as_read

ROOT = find_root(Path(__file__))
PAGE = (ROOT / "book/index.md").read_text("utf-8")
OUTLINE = read_outline(ROOT)
PATHS = [
    (time, re.findall(r"\((\w+/\w+)\.ipynb\)", chapters))
    for chapters, time in re.findall(
        r"^\| \*\*[^|]+\| ([^|]+) \| ([\d½]+ hours[^|]*) \|$", PAGE, re.M
    )
]


def half_hours(chapters):
    """Add up reading times without and with Deeper sections, in half hours."""
    times = [(chapter.time.core, chapter.time.whole) for chapter in chapters]
    return [int(sum(minutes) / 30 + 0.5) for minutes in zip(*times, strict=True)]


def stated(time):
    """Read both times, such as 7½ hours, 9 with *Deeper*; one alone stands for both."""
    times = re.findall(r"(\d+)(½?)", time)
    found = [2 * int(hours) + bool(half) for hours, half in times]
    return found if len(found) > 1 else 2 * found


def test_there_are_paths_for_a_day_a_week_todays_models_and_the_whole():
    assert len(PATHS) == 4


@facts("time, names", PATHS[:-1])
def test_a_path_takes_the_time_it_says(time, names):
    chosen = [chapter for chapter in OUTLINE if chapter.name in names]
    assert len(chosen) == len(names)
    assert half_hours(chosen) == stated(time)


@facts("time, names", PATHS[:-1])
def test_a_path_is_in_order_and_has_all_that_it_needs(time, names):
    needs = {chapter.name: chapter.needs for chapter in OUTLINE}
    assert names == [name for name in needs if name in names]
    assert [n for name in names for n in needs[name] if n not in names] == []


def test_the_last_path_is_the_whole_book():
    time, names = PATHS[-1]
    assert names == [OUTLINE[0].name, OUTLINE[-1].name]
    assert half_hours(OUTLINE) == stated(time)
    assert "about " + time.replace("hours", "hours of reading") in PAGE


def test_numbers_that_are_links_are_those_of_the_chapters():
    numbers = {chapter.name: str(chapter.number) for chapter in OUTLINE}
    links = re.findall(r"\[(?:Chapter )?(\d{1,2})\]\((\w+/\w+)\.ipynb\)", PAGE)
    assert links
    for number, name in links:
        assert numbers[name] == number


def test_the_tables_have_the_number_and_the_title_of_each_chapter_under_its_part():
    part, rows = "", []
    for line in PAGE.splitlines():
        if line.startswith("### "):
            part = line.removeprefix("### ")
        if row := re.match(r"\| (\d+) \| \[(.+)\]\((\S+)\.ipynb\) \|", line):
            rows.append((part, int(row[1]), row[2], row[3]))
    assert rows == [(c.part, c.number, c.title, c.name) for c in OUTLINE]


def test_a_door_says_how_long_it_takes():
    minutes = re.findall(r"\]\((\w+/\w+)\.ipynb\), (\d+) minutes", PAGE)
    assert len(minutes) == 2
    times = {chapter.name: chapter.time.core for chapter in OUTLINE}
    assert [times[name] for name, _ in minutes] == [int(n) for _, n in minutes]
    [day] = re.findall(r"one day\]\(#how-long-it-takes\), (\d+½? hours)", PAGE)
    assert PATHS[0][0].startswith(day)


def test_loading_a_llama_takes_the_time_that_its_door_says():
    [zoo] = [chapter for chapter in OUTLINE if chapter.name == "beyond/model_zoo"]
    assert f"[Load a Llama]({zoo.name}.ipynb), {zoo.time.core} minutes" in PAGE


def test_cards_and_questions_take_the_time_that_their_door_says():
    link = r"\[fifty questions\]\(appendix/fifty_questions\.md\), (\d+½? hours)"
    [hours] = re.findall(link, PAGE)
    files = (ROOT / f"book/appendix/{n}.md" for n in ("fact_cards", "fifty_questions"))
    minutes = sum(len(as_read(f.read_text("utf-8")).split()) for f in files) / WORDS
    assert [int(minutes / 30 + 0.5)] * 2 == stated(hours)
