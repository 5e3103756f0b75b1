"""The tables of the site's parts and of the map have all, in their order."""

from dataclasses import replace
from pathlib import Path

import pytest

from bookkit.book.errors import BookError
from bookkit.book.files import find_root
from bookkit.book.outline import Chapter, ReadingTime, needed_by, read_outline
from bookkit.publishing.tables import (
    ORDER,
    README,
    chapter_table,
    map_rows,
    parts_table,
)

ROOT = find_root(Path(__file__))


@pytest.fixture(scope="module")
def rows():
    """The cells of each row, by the link of the first."""
    _, _, *lines = parts_table(ROOT).splitlines()
    split = (line.strip("| ").split(" | ") for line in lines)
    return {cells[0].rpartition("(")[2].strip(")"): cells for cells in split}


def test_every_module_of_the_site_stands_in_the_table(rows):
    folder = (ROOT / README).parent
    files = (folder / "publishing/site").rglob("*.py")
    modules = {file.relative_to(folder).as_posix() for file in files}
    assert set(rows) == modules - {"publishing/site/__init__.py"}


def test_rows_stand_in_the_order_of_a_build(rows):
    begins = [cells[1].split("`")[1] for cells in rows.values() if "`" in cells[1]]
    assert begins == sorted(begins, key=ORDER.index)


OUTLINE = read_outline(find_root(Path(__file__)))


def test_rows_hold_every_link():
    users = needed_by(OUTLINE)
    for chapter, row in zip(OUTLINE, map_rows(OUTLINE), strict=True):
        _, number, title, needs, used, _ = (part.strip() for part in row.split("|"))
        assert number == str(chapter.number)
        assert title == f"[{chapter.title}]({chapter.name}.ipynb)"
        assert needs.count("](") == len(chapter.links)
        assert all(f"({name}.ipynb)" in needs for name in chapter.links)
        assert used.count("](") == len(users[chapter.name])


def test_an_alternative_is_called_so():
    time = ReadingTime(core=5, whole=5)
    a = Chapter(name="a", number=1, part="P", title="a", time=time)
    b = replace(a, name="b", number=2)
    c = replace(a, name="c", number=3, needs=("a",), instead=("b",))
    assert "| [1](a.ipynb), or only [2](b.ipynb) | none |" in map_rows([a, b, c])[2]
    d = replace(c, name="d", number=4, needs=("b", "a"), instead=("c",))
    words = "| [1](a.ipynb) and [2](b.ipynb), or only [3](c.ipynb) |"
    assert words in map_rows([a, b, c, d])[3]


def test_a_chapter_that_needs_a_later_one_has_no_place_in_it(
    numbered_book, write_chapter
):
    link = "https://owner.github.io/old-book/book/part/b.html"
    write_chapter(f"# T\n\n**You need** [b]({link}). **Reading time** about 5 minutes.")
    with pytest.raises(BookError, match=r"chapter\.ipynb needs part/b"):
        chapter_table(numbered_book)
