"""Measurements are written by a command and read by a chapter, nothing lost."""

import json
from importlib import import_module

import pytest

from chapters.laboratory import measurements
from chapters.laboratory.measurements import (
    Measurements,
    by_value,
    measure_all,
    rounded,
    seconds_in_turn,
    spread,
)

HERE = Measurements("part", "chapter")
ROWS = [
    {"norm": "rms", "seed": 0, "nats": 1.25},
    {"norm": "rms", "seed": 1, "nats": 1.5},
    {"norm": "layer", "seed": 0, "nats": 1.0},
]


class Origin:
    """An installed package that tells where it came from."""

    def __init__(self, text):
        self.text = text

    def read_text(self, name):
        return self.text if name == "direct_url.json" else None


def test_what_is_written_is_read(tmp_path):
    HERE.write(ROWS, tmp_path / "data/chapter.json", steps=7)
    assert HERE.read(tmp_path) == ROWS


def test_a_file_says_how_it_was_made(tmp_path):
    HERE.write(ROWS, tmp_path / "chapter.json", steps=7)
    content = json.loads((tmp_path / "chapter.json").read_text(encoding="utf-8"))
    assert content["command"] == (
        "python -m chapters.chapter.experiments book/part/data/chapter.json"
    )
    assert content["steps"] == 7


def test_every_file_of_the_book_names_a_command_that_exists(pytestconfig):
    root = pytestconfig.rootpath
    found = (root / "book").glob("*/data/*.json")
    # What the appendix records is written by the commands that its pages name.
    paths = [path for path in found if path.parts[-3] != "appendix"]
    assert paths
    for path in paths:
        content = json.loads(path.read_text(encoding="utf-8"))
        python, option, module, file = content["command"].split()
        kept = import_module(module).MEASUREMENTS
        assert (python, option, path.parts[-3]) == ("python", "-m", kept.part)
        assert file == kept.path == path.relative_to(root).as_posix()
        assert content["command"] == kept.command


def test_numbers_keep_five_digits():
    assert rounded({"a": [1.23456789, 7], "b": "x"}) == {"a": [1.2346, 7], "b": "x"}


def test_without_the_file_the_repository_is_asked(tmp_path, monkeypatch):
    HERE.write(ROWS, tmp_path / "raw" / "abc" / HERE.path)
    origin = {"url": tmp_path.as_uri(), "vcs_info": {"commit_id": "abc"}}
    told = Origin(json.dumps(origin))
    monkeypatch.setattr(measurements, "distribution", lambda name: told)
    assert HERE.read(tmp_path) == ROWS


def test_without_file_and_repository_the_error_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr(measurements, "distribution", lambda name: Origin(None))
    with pytest.raises(FileNotFoundError, match=r"make it with `python -m chapters"):
        HERE.read(tmp_path)


def test_each_setting_gives_a_row():
    found = measure_all(divmod_row, [{"x": 7, "y": 3}, {"x": 11, "y": 5}])
    assert found == [{"x": 7, "y": 3, "rest": 1}, {"x": 11, "y": 5, "rest": 1}]


def divmod_row(x, y):
    return {"rest": x % y}


def test_calls_take_turns():
    turns = []
    calls = {name: lambda name=name: turns.append(name) for name in "ab"}
    times = seconds_in_turn(calls, rounds=3)
    assert "".join(turns) == "ababab"
    assert all(0 <= seconds < 1 for seconds in times.values())


def test_results_are_told_apart_by_a_key():
    assert by_value(ROWS, "norm", "nats") == {"rms": (1.25, 1.5), "layer": (1.0,)}
    assert by_value(ROWS, "norm", "nats", seed=1) == {"rms": (1.5,)}


def test_a_spread_is_the_mean_and_the_range():
    assert spread((1.0, 1.25, 1.75)) == "1.33 (1.00 to 1.75)"
    assert spread((0.5, 1.0), decimals=3) == "0.750 (0.500 to 1.000)"
