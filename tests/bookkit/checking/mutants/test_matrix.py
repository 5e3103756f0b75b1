"""All tests that notice a bug are found, and a run goes on where one was stopped."""

import json
import os
import subprocess
import sys

import pytest

from bookkit.book.files import find_root
from bookkit.checking.mutants.bugs import planted as planted_bugs
from bookkit.checking.mutants.matrix import FOLDER
from bookkit.checking.mutants.tally import FILE, read

MEASURE = """\
import sys
from pathlib import Path
from bookkit.checking.mutants import judge, matrix, trials

trials.HEAVY, judge.PATIENCE = (), 1
matrix.MORE_TESTS = ("test_more.py",)
matrix.measure(Path.cwd(), size=0, seed=0, tests=sys.argv[1:])
"""
TESTS = """\
import subprocess
import sys

import pytest
from transformer.masks import describe, is_visible


@pytest.fixture(scope="module")
def seen():
    return is_visible(3, 3)


def test_the_fixture_sees_itself(seen):
    assert seen


def test_who_comes_later_has_the_fixture_too(seen):
    assert seen


def test_one_of_some_is_wrong(subtests):
    for place in range(2):
        with subtests.test(place):
            assert is_visible(place, place)


def test_a_search_ends():
    place = 0
    while not is_visible(place, place):
        pass


def test_nothing_is_asked_of_the_package():
    assert True


def test_a_process_sees_the_package_as_it_is():
    assert not subprocess.call([sys.executable, "-c", ""])
    assert is_visible(0, 0)


def test_it_fails_anyhow():
    assert not is_visible(0, 0) and not is_visible(1, 0)
"""
BUG = "hides_itself"
pytestmark = pytest.mark.timeout(900)  # a session of its own, and copies of the book


@pytest.fixture
def measured(planted, write):
    """Measure the small book, and return what is said."""
    write(planted / "tests/test_more.py", TESTS)
    code = f"{planted / 'code'}{os.pathsep}{find_root() / 'code'}"

    def run(*tests):
        return subprocess.run(
            [sys.executable, "-c", MEASURE, *tests],
            cwd=planted,
            env=os.environ | {"PYTHONPATH": code},
            capture_output=True,
            encoding="utf-8",
            check=True,
        ).stdout

    return run


def test_all_that_notice_are_found_where_a_run_goes_on(planted, measured, write):
    rows = planted / FOLDER / "rows.jsonl"
    write(rows, json.dumps({"words_swapped": {"how": "copy", "by": []}}) + "\n")
    said = measured()
    assert "rows 1 of 1: hides_itself" in said
    assert (
        "1 of 2 planted bugs are noticed, 1 in ring 1; 1 were tried in a copy" in said
    )
    assert {name.partition("::test_")[2] for name in read(planted)[BUG]} == {
        "a_position_sees_itself",
        "the_fixture_sees_itself",
        "who_comes_later_has_the_fixture_too",
        "one_of_some_is_wrong",
        "a_search_ends",
    }
    row = json.loads(rows.read_text().splitlines()[1])[BUG]
    assert (row["how"], row["asked"], row["left"]) == ("live", 7, 0)
    assert row["late"] == ["tests/test_more.py::test_a_search_ends"]
    left_out = said.rpartition("fail here: 2")[2].split()
    assert [name.rpartition("_")[2] for name in left_out] == ["is", "anyhow"]


def test_what_some_tests_say_is_not_kept_and_a_copy_judges_as_well(planted, measured):
    said = measured("tests/test_masks.py")
    assert "rows 2 of 2: words_swapped" in said
    assert (
        "1 of 2 planted bugs are noticed, 1 in ring 1; 1 were tried in a copy" in said
    )
    told = said.rpartition("alone notice most, where all were asked: 1\n")[2]
    assert told.startswith("    tests/test_masks.py::test_a_position_sees")
    assert not (planted / FILE).exists()
    assert not (planted / FOLDER / "rows.jsonl").exists()


def test_a_patch_is_planted_in_a_whole_file(planted):
    ours = {bug.name: bug for bug in planted_bugs(planted)}
    assert "key < query" in ours[BUG].sources["code/transformer/masks.py"]
    assert "key <= query" in (planted / "code/transformer/masks.py").read_text()
