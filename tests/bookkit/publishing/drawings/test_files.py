"""The command writes what is not up to date, and nothing else."""

import pytest

from bookkit.__main__ import main
from bookkit.book.outline import Chapter
from bookkit.book.reading_time import ReadingTime
from bookkit.publishing.drawings import files
from bookkit.publishing.drawings.files import MAP_PAGE, with_rows

PAGE = """\
# Map

| chapter | title | needs | is needed by |
|---|---|---|---|
| old | row |

After.
"""
TIME = ReadingTime(core=5, whole=5)
ONE = Chapter(name="p/a", number=1, part="P", title="A", time=TIME)


def test_rows_of_the_table_are_replaced_and_the_rest_stays():
    page = with_rows(PAGE, [ONE])
    assert page == PAGE.replace("| old | row |", "| 1 | [A](p/a.ipynb) | none | none |")
    assert with_rows(page, [ONE]) == page


@pytest.fixture
def small(numbered_book, monkeypatch):
    """A small book with a map, and a picture that is painted quickly."""
    book = numbered_book
    (book / MAP_PAGE).write_text(PAGE)
    monkeypatch.chdir(book)
    monkeypatch.setattr(files, "PICTURES", {"book/_static/a.png": lambda: b"png"})
    monkeypatch.setattr(files, "machine", lambda layout: files.chapter_map([]))
    return book


def test_the_command_names_the_files_that_changed(small, capsys):
    assert main(["drawings"]) == 0
    first = capsys.readouterr().out.splitlines()
    assert first[1:] == [MAP_PAGE, "book/_static/a.png", "3 files refreshed."]
    assert main(["drawings"]) == 0
    assert capsys.readouterr().out == "0 files refreshed.\n"


def test_a_chapter_that_needs_a_later_one_stops_the_command(
    small, write_chapter, capsys
):
    link = "https://owner.github.io/old-book/book/part/b.html"
    write_chapter(f"# T\n\n**You need** [b]({link}). **Reading time** about 5 minutes.")
    assert main(["drawings"]) == 1
    assert "book/part/chapter.ipynb needs part/b" in capsys.readouterr().err
