"""The table of the site's parts has all of them, in the order in which they act."""

from pathlib import Path

import pytest

from bookkit.book.files import find_root
from bookkit.checking.facts import facts
from bookkit.publishing.site_parts import ORDER, README, read_steps, table

ROOT = find_root(Path(__file__))


@pytest.fixture(scope="module")
def rows():
    """The cells of each row, by the link of the first."""
    lines = [line.strip("| ").split(" | ") for line in table(ROOT).splitlines()[2:]]
    return {cells[0].rpartition("(")[2].strip(")"): cells for cells in lines}


def test_every_module_of_the_site_stands_in_the_table(rows):
    folder = (ROOT / README).parent
    files = (folder / "publishing/site").rglob("*.py")
    modules = {file.relative_to(folder).as_posix() for file in files}
    assert set(rows) == modules - {"publishing/site/__init__.py"}


@facts(
    "part, when",
    [
        ("address", "`config-inited`, `build-finished` 400 and 700"),
        ("boxes", "`transform` 880, `post-transform` 30 and 200, `writer`"),
        ("scriptless", "when another part asks"),
    ],
)
def test_a_row_says_when_a_part_acts(rows, part, when):
    assert rows[f"publishing/site/{part}.py"][1] == when


def test_a_row_says_what_a_part_is_there_for(rows):
    said = rows["publishing/site/keep.py"][2]
    assert said.startswith("Keep together what no line may part")


def test_rows_stand_in_the_order_of_a_build(rows):
    begins = [cells[1].split("`")[1] for cells in rows.values() if "`" in cells[1]]
    assert begins == sorted(begins, key=ORDER.index)


def test_a_listener_keeps_its_priority():
    assert list(read_steps("sources")) == [(ORDER.index("env-before-read-docs"), 100)]
