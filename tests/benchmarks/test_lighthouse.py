"""The figures of Lighthouse are read and summed up rightly."""

import lighthouse
import pytest


def report(performance, shift):
    audits = {
        "first-contentful-paint": {"numericValue": 1500},
        "cumulative-layout-shift": {"numericValue": shift},
        "total-byte-weight": {"numericValue": 240_000},
    }
    scores = {name: {"score": 1.0} for name in lighthouse.CATEGORIES}
    scores["performance"] = {"score": performance}
    return {"audits": audits, "categories": scores}


@pytest.fixture
def rows():
    reports = {"a": report(0.9, 0.0), "b": report(0.97, 0.2), "c": report(1.0, 0.1)}
    return {page: lighthouse.read_report(r) for page, r in reports.items()}


def test_figures_have_the_units_they_are_printed_with(rows):
    assert rows["a"]["performance"] == 90
    assert rows["a"]["first paint (s)"] == 1.5
    assert rows["a"]["weight (KB)"] == 240


def test_worst_is_the_lowest_score_and_the_highest_weight(rows):
    lines = {
        line.split("worst")[0].strip(): line for line in lighthouse.summarize(rows)
    }
    assert lines["performance"].split()[1:] == ["worst", "90.00", "median", "97.00"]
    assert lines["layout shift"].split()[2:] == ["worst", "0.20", "median", "0.10"]


def test_pages_below_the_aim_are_named(rows):
    assert lighthouse.find_short(rows) == [
        "a: performance 90.00",
        "b: layout shift 0.20",
    ]
