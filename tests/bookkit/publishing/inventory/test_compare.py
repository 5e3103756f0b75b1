"""Two inventories are compared line by line, and their pictures within a tolerance."""

import json

import pytest
from PIL import Image

from bookkit.__main__ import main
from bookkit.book.errors import BookError
from bookkit.checking.facts import facts
from bookkit.publishing.inventory.compare import MOST, compare


@pytest.fixture
def write(tmp_path):
    """Write an inventory of pages, each with its lines by kind; the value is where."""

    def write_pages(name, **pages):
        for page, kinds in pages.items():
            file = tmp_path / name / f"book/{page}.json"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(kinds))
        return tmp_path / name

    return write_pages


@pytest.fixture
def paint(tmp_path):
    """Paint a gray picture with one pixel of another level; the value is its file."""

    def paint_picture(name, level=100, height=50):
        picture = Image.new("RGB", (20, height), (100, 100, 100))
        picture.putpixel((3, 10), (100, level, 100))
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        picture.save(file, lossless=True)
        return file

    return paint_picture


def test_what_several_pages_share_is_told_once(write):
    pages = {name: {"requests": ["x.css 1"]} for name in "abcde"}
    changed = {name: {"requests": ["x.css 2"]} for name in "abcde"}
    assert compare(write("before", **pages), write("after", **changed)) == [
        "book/a, book/b, book/c and 2 more",
        "  requests",
        "    - x.css 1",
        "    + x.css 2",
    ]


def test_a_page_that_is_gone_or_new_is_told_in_one_line(write):
    lines = {"text": ["one"]}
    changes = compare(write("before", a=lines), write("after", b=lines))
    assert changes == [
        *("book/a", "  page", "    - it is there"),
        *("book/b", "  page", "    + it is there"),
    ]


def test_a_long_change_is_cut(write):
    lines = [str(number) for number in range(MOST + 5)]
    changes = compare(
        write("before", a={"text": []}), write("after", a={"text": lines})
    )
    assert changes[-1] == "    … and 5 lines more"
    assert len(changes) == 2 + MOST + 1


def test_a_folder_without_an_inventory_is_refused(write, tmp_path):
    with pytest.raises(BookError, match="empty must hold an inventory"):
        compare(write("before", a={}), tmp_path / "empty")


def test_pictures_of_a_page_are_compared_by_name(write, paint):
    before, after = write("before", a={}), write("after", a={})
    for name, level in (("390-dark-0", 100), ("768-dark-0", 100)):
        paint(f"before/book/a/{name}.webp", level)
    for name, level in (("390-dark-0", 200), ("390-dark-60000", 100)):
        paint(f"after/book/a/{name}.webp", level)
    assert compare(before, after) == [
        "book/a",
        "  pictures",
        "    + 390-dark-60000.webp",
        "    - 768-dark-0.webp",
        "    ± 390-dark-0.webp: pixels 40 to 44 from the top, up to 100 levels",
    ]


@facts("tolerance, status", [(["--tolerance", "0"], 1), ([], 0)])
def test_the_command_takes_a_tolerance(write, paint, tolerance, status):
    folders = [str(write(name, a={})) for name in ("before", "after")]
    for folder, level in zip(folders, (100, 103), strict=True):
        paint(f"{folder}/book/a/390-dark-0.webp", level)
    assert main(["inventory", *folders, *tolerance]) == status
