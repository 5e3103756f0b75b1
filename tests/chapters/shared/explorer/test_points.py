"""Points that a reader drags stay in their field, and do not lie on each other."""

import pytest

FIELD = {"origin": [100, 80], "unit": 40, "low": [-2, -1], "high": [2, 1.5]}


def test_points_are_found_where_they_are_placed(ask):
    given = [(0, 0), (1.5, -1), (-2, 0.3)]
    places = ask(None, *(["points.place", point, FIELD] for point in given))
    assert places[1] == [160, 120]
    found = ask(None, *(["points.find", place, FIELD] for place in places))
    assert [tuple(point) for point in found] == [pytest.approx(p) for p in given]


def test_a_point_settles_in_tenths_within_the_field(ask):
    given = [(0.449, -0.06), (9, 9), (-9, -9)]
    settled = ask(None, *(["points.settle", point, FIELD] for point in given))
    assert settled == [pytest.approx(p) for p in [(0.4, -0.1), (2, 1.5), (-2, -1)]]


def test_points_are_free_where_all_are_in_the_field_and_no_plates_meet(ask):
    sets = {
        (((0, 0), (1.1, 0)),): True,
        (((0, 0), (0, 0.7)),): True,
        (((0, 0), (1, 0.6)),): False,
        (((0, 0), (2.1, 0)),): False,
        (((0, 0), (0, -1.1)),): False,
        (((0, 0), (-2, 0), (-1.5, 0.1)),): False,
    }
    asked = [["points.free", all_points, FIELD] for (all_points,) in sets]
    assert ask(None, *asked) == [*sets.values()]


def test_a_path_leads_along_its_points(ask):
    along = [(0, 0), (1, 1)]
    found = ask(None, ["points.path", along, FIELD], ["points.path", [], FIELD])
    assert found == ["M100.00 80.00L140.00 40.00", ""]
