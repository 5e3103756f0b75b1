"""Each property of an exercise catches an answer that lacks it."""

import runpy
from pathlib import Path

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.exercises import check, exercises

pytestmark = pytest.mark.usefixtures("untyped")

FEWEST = 5
FILES = sorted(Path(__file__).parent.glob("*/cases.py"))
CASES = [runpy.run_path(str(path)) for path in FILES]
RIGHT = [case for chapter in CASES for case in chapter["RIGHT"]]
WRONG = [case for chapter in CASES for case in chapter["WRONG"]]


@pytest.fixture(autouse=True)
def _double():
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


@facts("label, answer", RIGHT, ids=[label for label, _ in RIGHT])
def test_a_right_answer_passes(label, answer, capsys):
    check(label, *answer)
    assert "The property holds." in (said := capsys.readouterr().out) or (
        f"All {len(exercises()[label])} properties hold." in said
    )


@pytest.mark.parametrize("label", exercises())
def test_a_wrong_answer_is_told_what_is_missing(label, begin, capsys, record_property):
    cases = [(answer, complaint) for name, answer, complaint in WRONG if name == label]
    unlike = []
    for answer, complaint in cases:
        begin()
        check(label, *answer)
        said = " ".join(capsys.readouterr().out.split())
        told = said.startswith("Not yet: ") and complaint in said
        if not told or "stopped with" in said or "asks for" in said:
            unlike.append((answer, complaint, said))
    record_property("facts", len(cases))
    assert not unlike, f"{label}, wrong answers of cases.py, told otherwise: {unlike}"


def test_every_exercise_is_tried_with_five_different_wrong_answers():
    tried = {label: set() for label in exercises()}
    for label, answer, _ in WRONG:
        tried[label].add(repr(answer))
    few = [
        f"{label} must have {FEWEST} different wrong answers in WRONG of its cases.py, "
        f"and has {len(answers)}; write what a clever learner would give."
        for label, answers in tried.items()
        if len(answers) < FEWEST
    ]
    assert not few, "\n".join(few)


def test_every_exercise_has_right_and_wrong_answers():
    labels = {*exercises()}
    assert {label for label, *_ in RIGHT} == labels
    unseen = [
        f"{label} must have a wrong answer for each of its {len(properties)} "
        f"properties in cases.py, and has {count} kinds; write the others."
        for label, properties in exercises().items()
        if (count := len({case[2] for case in WRONG if case[0] == label}))
        < len(properties)
    ]
    assert not unseen, "\n".join(unseen)
