"""Each property of an exercise catches an answer that lacks it."""

import runpy
from pathlib import Path

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.exercises import by_hand, check, exercises, properties_for

pytestmark = pytest.mark.usefixtures("untyped")

FEWEST = 5
FILES = sorted(Path(__file__).parent.glob("*/cases.py"))
CASES = [runpy.run_path(str(path)) for path in FILES]
RIGHT = [case for chapter in CASES for case in chapter["RIGHT"]]
WRONG = [case for chapter in CASES for case in chapter["WRONG"]]
KINDS = exercises() | {f"{label} by hand": kind for label, kind in by_hand().items()}


def of(kind, cases):
    """Return the cases of an exercise, or those of its small case by hand."""
    label = kind.removesuffix(" by hand")
    properties = KINDS[kind]
    return [
        case
        for case in cases
        if case[0] == label and properties_for(*case[:2]) is properties
    ]


@pytest.fixture(autouse=True)
def _double():
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


@facts("label, answer", RIGHT, ids=[label for label, _ in RIGHT])
def test_a_right_answer_passes(label, answer, capsys):
    check(label, *answer)
    assert "The property holds." in (said := capsys.readouterr().out) or (
        f"All {len(properties_for(label, answer))} properties hold." in said
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_wrong_answer_is_told_what_is_missing(kind, begin, capsys, record_property):
    cases = of(kind, WRONG)
    unlike = []
    for label, answer, complaint in cases:
        begin()
        check(label, *answer)
        said = " ".join(capsys.readouterr().out.split())
        told = said.startswith("Not yet: ") and complaint in said
        if not told or "stopped with" in said or "asks for" in said:
            unlike.append((answer, complaint, said))
    record_property("facts", len(cases))
    assert not unlike, f"{kind}, wrong answers of cases.py, told otherwise: {unlike}"


def test_every_exercise_is_tried_with_five_different_wrong_answers():
    tried = {kind: {repr(case[1]) for case in of(kind, WRONG)} for kind in KINDS}
    few = [
        f"{kind} must have {FEWEST} different wrong answers in WRONG of its cases.py, "
        f"and has {len(answers)}; write what a clever learner would give."
        for kind, answers in tried.items()
        if len(answers) < FEWEST
    ]
    assert not few, "\n".join(few)


def test_every_exercise_has_right_and_wrong_answers():
    without = {kind for kind in KINDS if not of(kind, RIGHT)}
    assert not without, f"{without} must have a right answer in RIGHT of its cases.py"
    unseen = [
        f"{kind} must have a wrong answer for each of its {len(properties)} "
        f"properties in cases.py, and has {count} kinds; write the others."
        for kind, properties in KINDS.items()
        if (count := len({case[2] for case in of(kind, WRONG)})) < len(properties)
    ]
    assert not unseen, "\n".join(unseen)
