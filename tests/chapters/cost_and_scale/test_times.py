"""The times of attention, and the file of them."""

from chapters.cost_and_scale.times import LENGTHS, MEASUREMENTS, timed


def test_the_file_holds_each_timing_once():
    assert [row["length"] for row in MEASUREMENTS.read()] == list(LENGTHS)


def test_timings_are_milliseconds_of_three_calls():
    times = timed(32, rounds=1)
    assert set(times) == {"fused", "formula", "network"}
    assert all(0 < time < 10_000 for time in times.values())
