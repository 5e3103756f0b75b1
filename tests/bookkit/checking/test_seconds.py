"""The seconds of a run are noted for each test and cell, and compared with a record."""

import json

import pytest

from bookkit.book.errors import BookError
from bookkit.checking.seconds import AROUND, FOLDER, RECORD, tell


@pytest.fixture
def root(tmp_path):
    """A book whose last run spent most on one cell."""
    spent = {AROUND: 4.0, "a.py::x": 1.0, "b.ipynb::Cell 3": 30.0}
    (tmp_path / FOLDER).mkdir(parents=True)
    (tmp_path / FOLDER / "unit.json").write_text(json.dumps(spent))
    (tmp_path / "tests").mkdir()
    return tmp_path


def test_the_dearest_come_first(root):
    said = tell(root)
    assert said[0] == "35 CPU seconds in 3 files:"
    assert said[1].split() == ["30.0", "b.ipynb"]
    assert said[2].split() == ["4.0", "unit:", *AROUND.split()]
    assert said[5].split() == ["30.0", "b.ipynb::Cell", "3"]


def test_a_clear_change_since_the_record_is_told_and_no_other(root):
    (root / RECORD).write_text(json.dumps({"a.py": 2.5, "b.ipynb": 10.0, "gone": 9.0}))
    told = tell(root)
    start = told.index("Since the record:")
    assert [line.split() for line in told[start + 1 :]] == [
        ["10.0", "->", "30.0", "b.ipynb"],
        ["0.0", "->", "4.0", "unit:", *AROUND.split()],
    ]


def test_a_record_that_is_kept_is_what_is_compared_with(root):
    tell(root, keep=True)
    assert json.loads((root / RECORD).read_text())["b.ipynb"] == 30.0
    assert "Since the record:" not in tell(root)


def test_without_a_run_there_is_nothing_to_tell(tmp_path):
    with pytest.raises(BookError, match="make test"):
        tell(tmp_path)
