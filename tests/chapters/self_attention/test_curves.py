"""The curves of associative recall: the file and a training of today."""

import pytest

from chapters.self_attention import recall
from chapters.self_attention.curves import MEASUREMENTS, SEEDS, measured
from chapters.self_attention.recall import VARIANTS


def test_the_file_holds_a_curve_of_each_seed():
    rows = MEASUREMENTS.read()
    assert [row["variant"] for row in rows] == [*VARIANTS]
    assert {len(row["losses"]) for row in rows} == {len(SEEDS)}


def test_each_curve_begins_as_in_the_file(monkeypatch):
    train = recall.train_recall
    few = {"steps": 3}  # the rate of these trainings does not depend on their length
    monkeypatch.setattr(recall, "train_recall", lambda **how: train(**how | few))
    for row in MEASUREMENTS.read():
        begun = [losses[:3] for losses in row["losses"]]
        for one, other in zip(measured(row["variant"])["losses"], begun, strict=True):
            assert one == pytest.approx(other, rel=1e-4)
