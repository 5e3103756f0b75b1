"""The table of the site's parts has all of them, in the order in which they act."""

from pathlib import Path

import pytest

from bookkit.book.files import find_root
from bookkit.publishing.tables import ORDER, README, parts_table

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
