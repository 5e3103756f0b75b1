"""Records of comparisons become rows that do not depend on the last bits."""

import json

import pytest

from bookkit.checking.facts import facts
from bookkit.checking.parity import rows


def record(**changes):
    return {
        "test": "tests/test_a.py::test_b",
        "component": "ours.A",
        "reference": "theirs.B",
        "what": "forward",
        "dtype": "float64",
        "shape": [2, 3],
        "difference": 3e-14,
        "atol": 1e-12,
        "rtol": 0,
    } | changes


@facts(
    "difference, dtype, expected",
    [
        (3e-14, "float64", 1e-13),
        (1e-13, "float64", 1e-13),
        (1.01e-13, "float64", 1e-12),
        (9.9e-14, "float64", 1e-13),
        (0.0, "float64", 1e-15),
        (2e-16, "float64", 1e-15),
        (0.0, "float32", 1e-7),
        (2e-7, "float32", 1e-6),
        (3.0, "int64", 10.0),
    ],
)
def test_a_difference_is_rounded_up_to_a_power_of_ten(difference, dtype, expected):
    assert rows.rounded_up(difference, dtype, 1e-12, 0) == expected


@facts(
    "difference, rtol, expected",
    [(1.5e-6, 0, 2e-6), (1.5e-6, 1e-5, 1e-5), (3e-7, 0, 1e-6), (3e-6, 0, 1e-5)],
)
def test_a_difference_within_its_bound_is_not_recorded_above_it(
    difference, rtol, expected
):
    assert rows.rounded_up(difference, "float32", 2e-6, rtol) == expected


def test_what_must_be_equal_has_no_difference():
    assert rows.rounded_up(0.0, "float32", 0, 0) == 0


def test_a_row_keeps_the_largest_difference_and_the_largest_shape():
    small, large = record(shape=[1, 2]), record(difference=3e-13, shape=[1, 1])
    gradient = record(what="gradient", difference=0.0, shape=[7])
    (row,) = rows.merged([small, large, gradient])
    assert row["forward"] == {
        "shape": [1, 2],
        "difference": 1e-12,
        "atol": 1e-12,
        "rtol": 0,
    }
    assert row["gradient"]["difference"] == 1e-15


def test_rows_are_sorted_and_parted_by_test_pair_and_dtype():
    changes = [{"test": "z"}, {"component": "z"}, {"reference": "z"}, {"dtype": "z"}]
    made = rows.merged(record(**change) for change in [*changes, {}])
    assert len(made) == 5
    assert made == rows.merged(record(**change) for change in [{}, *changes[::-1]])


def test_a_row_has_one_bound():
    message = r"tests/test_a.py::test_b must have one bound for ours.A in float64, and "
    with pytest.raises(ValueError, match=message):
        rows.merged([record(), record(atol=1e-6)])


@facts(
    "change",
    [
        {"component": "ours.C"},
        {"reference": "theirs.C"},
        {"dtype": "float32"},
        {"what": "gradient"},
        {"atol": 1e-11},
        {"rtol": 1e-12},
        {"shape": [3, 3]},
    ],
    ids=str,
)
def test_a_test_that_makes_other_rows_is_named(change):
    kept = rows.merged([record()])
    assert rows.differing_tests([record(difference=0.0)], kept) == []
    made = [record(**change)]
    assert rows.differing_tests(made, kept) == ["tests/test_a.py::test_b"]


def test_a_row_that_its_test_no_longer_makes_is_noticed():
    both = [record(), record(dtype="float32")]
    assert rows.differing_tests(both[:1], rows.merged(both))
    other = record(test="tests/test_a.py::test_that_did_not_run")
    assert not rows.differing_tests(both, rows.merged([*both, other]))


def test_the_file_is_json_with_a_row_a_line():
    text = rows.text_of({"torch": "1"}, [record(), record(dtype="float32")])
    kept = json.loads(text)
    assert kept == {"versions": {"torch": "1"}, "rows": rows.merged(kept_records())}
    assert sum('"test"' in line for line in text.splitlines()) == 2


def kept_records():
    return [record(), record(dtype="float32")]


def test_a_missing_file_is_named_with_its_remedy(tmp_path):
    with pytest.raises(rows.BookError, match=r"cannot be read: .*; run 'make par"):
        rows.read(tmp_path)
