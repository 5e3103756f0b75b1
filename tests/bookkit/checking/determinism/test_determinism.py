"""All environments are tried, and any difference is red."""

import json

import pytest

from bookkit.__main__ import main
from bookkit.book.errors import BookError
from bookkit.checking import determinism
from bookkit.checking.compare import Differences
from bookkit.checking.determinism.rounds import Round
from bookkit.publishing.appendix import results

MET = Differences(decimals=3, absolute=0.1, units=1, points=0.05, levels=2.0)


@pytest.fixture(autouse=True)
def ran(monkeypatch):
    """Two environments, of which the second finds a fault; nothing is run."""
    ran = []

    def run(name, faults):
        def run(root, notebooks):
            ran.append((name, notebooks))
            return Round(name, f"words of {name}", 1, 20, 10, faults, MET)

        return run

    rounds = {"sound": run("sound", []), "faulty": run("faulty", ["a.ipynb: why"])}
    monkeypatch.setattr(determinism, "all_rounds", lambda: rounds)
    return ran


def test_every_environment_has_a_row_and_a_fault_is_red(tmp_path, ran):
    lines = []
    with pytest.raises(BookError, match=r"mend these:\nfaulty, a\.ipynb: why$"):
        determinism.check(tmp_path, ["a"], report=lines.append)
    assert ran == [("sound", ["a"]), ("faulty", ["a"])]
    assert lines[:2] == [
        "sound: words of sound: 0 faults",
        "faulty: words of faulty: 1 faults",
    ]
    head, *rows = lines[2].splitlines()
    assert head.split()[:5] == [
        *("environment", "notebooks", "cells", "outputs", "faults")
    ]
    assert [row.split() for row in rows] == [
        ["sound", "1", "20", "10", "0", "3", "1", "0.05", "2"],
        ["faulty", "1", "20", "10", "1", "3", "1", "0.05", "2"],
    ]
    assert len({len(line) for line in (head, *rows)}) == 1


def test_one_environment_can_be_chosen_and_what_came_is_written(
    book, monkeypatch, section
):
    monkeypatch.chdir(book)
    (book / "results").mkdir()
    assert main(["determinism", "--only", "sound", "--json", "results/a.json"]) == 0
    found = json.loads((book / "results/a.json").read_text())
    assert [each["name"] for each in found["rounds"]] == ["sound"]
    record = book / results.ENVIRONMENTS
    record.parent.mkdir(parents=True)
    record.write_text(json.dumps(found))
    row = "| words of sound | 10 | 0 | 3 | 1 | 0.05 | 2 |"
    assert row in section("environments", results.environments(book))


def test_an_environment_that_does_not_exist_is_refused(book, monkeypatch, capsys):
    monkeypatch.chdir(book)
    assert main(["determinism", "--only", "moon"]) == 1
    assert capsys.readouterr().err == (
        "bookkit determinism: The environment must be one of sound, faulty, and is "
        "'moon'.\n"
    )
