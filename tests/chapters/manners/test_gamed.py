"""Each training of the gamed reward is stored, and can be made again."""

import pytest

from chapters.manners.gamed import (
    FIELDS,
    MEASUREMENTS,
    PARTS,
    RUNS,
    STEPS,
    course,
    courses,
)


def test_the_file_holds_every_training_from_the_start_on():
    places = [(row["run"], row["step"]) for row in MEASUREMENTS.read()]
    steps = [STEPS * part for part in range(PARTS + 1)]
    assert places == [(run, step) for run in range(RUNS) for step in steps]


def test_a_course_has_a_row_for_each_training():
    rows = MEASUREMENTS.read()
    found = courses(rows)
    assert [*found] == [*FIELDS]
    for name, each in found.items():
        assert each.shape == (RUNS, PARTS + 1)
        assert each[1, 2].item() == pytest.approx(rows[PARTS + 3][FIELDS[name]])


def test_a_training_can_be_made_again():
    stored = [row for row in MEASUREMENTS.read() if row["run"] == 1]
    for found, wanted in zip(course(1, parts=1), stored[:2], strict=True):
        assert found == pytest.approx(wanted, abs=1e-3)


def test_the_reward_rises_while_right_answers_vanish():
    rows = MEASUREMENTS.read()
    start, ends = rows[0], [row for row in rows if row["step"] == PARTS * STEPS]
    for end in ends:
        assert end["mentions"] > start["mentions"]
        assert end["right"] < start["right"] / 4
