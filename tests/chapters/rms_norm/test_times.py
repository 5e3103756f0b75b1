"""The times of the norms, and the file of their ratios."""

from itertools import product

from bookkit.checking.facts import facts
from chapters.rms_norm import times
from chapters.rms_norm.times import MEASUREMENTS, SHAPES, time_norms


@facts("backward", [False, True])
def test_times_are_of_four_norms(backward):
    found = time_norms((2, 3, 5), backward=backward, rounds=2)
    assert len(found) == 4
    assert min(found.values()) > 0


def test_ratios_are_to_the_layer_norm_of_pytorch(monkeypatch):
    monkeypatch.setattr(times, "SHAPES", ((2, 3, 5),))
    monkeypatch.setattr(times, "ROUNDS", 2)
    rows = times.measure_times()
    assert len(rows) == 8
    assert {row["ratio"] for row in rows if row["norm"] == "F.layer_norm"} == {1.0}


def test_the_file_holds_each_norm_for_each_shape_once():
    rows = MEASUREMENTS.read()
    found = [(tuple(row["shape"]), row["backward"]) for row in rows[::4]]
    assert found == list(product(SHAPES, (False, True)))
    assert len({tuple(map(str, row.values())) for row in rows}) == len(rows)
    assert len(rows) == 4 * len(found)
