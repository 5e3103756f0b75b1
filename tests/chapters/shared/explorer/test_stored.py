"""Explorers find what was measured from any folder, and say so when they cannot."""

import pytest

from chapters.laboratory.measurements import Measurements
from chapters.shared.explorer.stored import read_rows

HERE, ROWS = Measurements("part", "chapter"), [{"x": 7}]


@pytest.mark.parametrize("folder", [".", "book/part", "tests/deep"])
def test_rows_are_found_from_any_folder_of_the_book(tmp_path, monkeypatch, folder):
    HERE.write(ROWS, tmp_path / HERE.path)
    (tmp_path / folder).mkdir(parents=True, exist_ok=True)
    monkeypatch.chdir(tmp_path / folder)
    assert read_rows(HERE) == ROWS


def test_outside_the_book_the_repository_is_asked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Measurements, "_fetch", lambda self: '{"rows": [{"x": 11}]}')
    assert read_rows(HERE) == [{"x": 11}]
