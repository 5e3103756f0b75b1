"""Measurements are written by a command and read by a chapter, nothing lost."""

import json
from importlib import import_module

import pytest

from bookkit.checking.facts import facts
from chapters.laboratory import measurements
from chapters.laboratory.measurements import (
    Measurements,
    best_rate,
    by_value,
    counted_at_best,
    measure_all,
    pending_at_best,
    rounded,
    seconds_in_turn,
    spread,
)

HERE = Measurements("chapter")
ROWS = [
    {"norm": "rms", "seed": 0, "nats": 1.25},
    {"norm": "rms", "seed": 1, "nats": 1.5},
    {"norm": "layer", "seed": 0, "nats": 1.0},
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Stand for the folder of the package, with that of one chapter."""
    (tmp_path / "chapter").mkdir()
    monkeypatch.setattr(measurements, "FOLDER", tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_what_is_written_is_read():
    HERE.write(ROWS, steps=7)
    assert HERE.read() == ROWS


def test_a_file_stands_beside_its_module_and_says_how_it_was_made(folder):
    HERE.write(ROWS, steps=7)
    text = (folder / "chapter/experiments.json").read_text(encoding="utf-8")
    content = json.loads(text)
    assert content["command"] == "python -m chapters.chapter.experiments"
    assert content["steps"] == 7


@facts(
    "old, new",
    [
        ('"nats": 1.25', '"nats": 1.24'),
        ('"seed": 1', '"seed": 2'),
        ('"steps": 7', '"steps": 8'),
        ('"checksum": "', '"checksum": "0'),
        ('"checksum"', '"sum"'),
    ],
)
def test_a_file_in_which_something_was_changed_is_not_read(folder, old, new):
    HERE.write(ROWS, steps=7)
    path = folder / "chapter/experiments.json"
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(ValueError, match="must be what its command wrote"):
        HERE.read()


@pytest.mark.usefixtures("folder")
def test_two_modules_of_a_chapter_have_two_files():
    other = Measurements("chapter", "traces")
    HERE.write(ROWS)
    other.write(ROWS[:1])
    assert (HERE.read(), other.read()) == (ROWS, ROWS[:1])


def test_every_file_of_the_book_names_a_command_that_exists():
    labels = measurements.FOLDER / "labels"  # of figures, which nobody measured
    paths = {*measurements.FOLDER.glob("*/*.json")} - {*labels.iterdir()}
    assert paths
    for path in paths:
        content = json.loads(path.read_text(encoding="utf-8"))
        python, option, module = content["command"].split()
        made = vars(import_module(module))
        kept = made["STUDY"].measurements if "STUDY" in made else made["MEASUREMENTS"]
        assert (python, option) == ("python", "-m")
        assert (kept.path, kept.command) == (path, content["command"])
        assert kept.read() == content["rows"]


def test_numbers_keep_five_digits():
    assert rounded({"a": [1.23456789, 7], "b": "x"}) == {"a": [1.2346, 7], "b": "x"}


@pytest.mark.usefixtures("folder")
def test_without_the_file_the_error_says_what_to_do():
    with pytest.raises(FileNotFoundError, match=r"make it with `python -m chapters"):
        HERE.read()


@pytest.mark.usefixtures("folder")
def test_the_file_is_found_from_any_folder(tmp_path_factory, monkeypatch):
    HERE.write(ROWS)
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert HERE.read() == ROWS


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


@facts("settle, shortest", [(False, 9.0), (True, 2.0)])
def test_calls_go_on_while_they_get_shorter(monkeypatch, settle, shortest):
    """The machine is busy at first; what comes after two steady rounds is not seen."""
    lengths = iter([9.0, 9.0, 5.0, 9.0, 2.0, 1.99, 2.0, 0.5])
    now = [0.0]
    monkeypatch.setattr(measurements, "perf_counter", lambda: now[0])

    def call():
        now[0] += next(lengths)

    times = seconds_in_turn({"a": call}, rounds=2, settle=settle)
    assert times["a"] == pytest.approx(shortest, abs=0.02)


def test_results_are_told_apart_by_a_key():
    assert by_value(ROWS, "norm", "nats") == {"rms": (1.25, 1.5), "layer": (1.0,)}
    assert by_value(ROWS, "norm", "nats", seed=1) == {"rms": (1.5,)}


def test_a_spread_is_the_mean_and_the_range():
    assert spread((1.0, 1.25, 1.75)) == "1.33 (1.00 to 1.75)"
    assert spread((0.5, 1.0), decimals=3) == "0.750 (0.500 to 1.000)"


def trained(rate, validation, seed=0):
    return {"way": "one", "rate": rate, "seed": seed, "validation": validation}


def test_all_rates_come_with_one_seed_and_the_best_with_others():
    def missing(rows):
        found = pending_at_best(rows, {"way": "one"}, rates=(0.1, 0.2), seeds=(0, 1, 2))
        return [(setting["rate"], setting["seed"]) for setting in found]

    rows = [{"way": "another", "rate": 0.1, "seed": 0, "validation": 9.0}]
    assert missing(rows) == [(0.1, 0), (0.2, 0)]
    rows.append(trained(0.1, 3.0))
    assert missing(rows) == [(0.2, 0)]
    rows.append(trained(0.2, 2.0))
    assert missing(rows) == [(0.2, 1), (0.2, 2)]
    rows.append(trained(0.2, 9.0, seed=1))  # which does not choose
    assert missing(rows) == [(0.2, 2)]
    rows.append(trained(0.2, 1.0, seed=2))
    assert missing(rows) == []
    assert best_rate(rows, {"way": "one"}, seed=0) == 0.2


def test_of_rates_that_are_level_the_first_is_the_best():
    rows = [trained(0.1, 2.0), trained(0.2, 2.0)]
    assert best_rate(rows, {"way": "one"}, seed=0) == 0.1


def test_what_is_counted_has_the_best_rate_and_another_seed():
    usual = [trained(0.1, 2.0), trained(0.2, 1.0), trained(0.2, 5.0, seed=1)]
    dear = [row | {"way": "dear"} for row in (trained(0.1, 1.0), trained(0.1, 3.0, 2))]
    dear += [row | {"way": "dear"} for row in (trained(0.2, 4.0), trained(0.2, 6.0, 1))]
    rows, setting = [*usual, *dear], {"way": "dear"}
    assert counted_at_best(rows, {"way": "one"}, seed=0) == usual[2:]
    assert counted_at_best(rows, setting, seed=0) == dear[1:2]
    found = counted_at_best(rows, setting, seed=0, chosen_by={"way": "one"})
    assert found == dear[3:]


def test_measuring_goes_on_where_it_was_stopped(folder):
    def measure(rate):
        done.append(rate)
        if rate == 3:
            raise KeyboardInterrupt
        return {"loss": rate / 7}

    def pending(rows):
        measured = [row["rate"] for row in rows]
        yield from ({"rate": rate} for rate in (1, 2, 3) if rate not in measured)

    done, file = [], Measurements("chapter", "rates")
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            file.go_on(pending, measure, rank=4)
    assert done == [1, 2, 3, 3]
    assert file.read() == [{"rate": 1, "loss": 0.14286}, {"rate": 2, "loss": 0.28571}]
