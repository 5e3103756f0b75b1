"""The check of a trap is a check: it stops when the trap is none."""

import collections

import pytest
import torch
from torch import nn

from bookkit.checking.facts import facts
from chapters.convention_traps.experiments import module_of, show_trap, with_numbers


def test_both_readings_are_rows_of_a_table(capsys):
    show_trap([1, 2], wrong=[1.5, 2], right=torch.tensor([1.0, 2.0]))
    assert capsys.readouterr().out.splitlines() == [
        "reading  gives           check",
        "wrong    1.5000; 2.0000  fails the check, off by 0.5000",
        "right    1; 2            passes",
    ]


def test_of_many_numbers_only_the_distance_is_shown(capsys):
    truth = torch.zeros(9)
    show_trap(truth, wrong=truth + 3000, right=truth)
    assert capsys.readouterr().out.splitlines() == [
        "reading  check",
        "wrong    fails the check, off by 3,000",
        "right    passes",
    ]


@facts("gap", [0.0, 5e-5])
def test_a_wrong_reading_must_miss_visibly(gap):
    with pytest.raises(AssertionError, match="wrong reading must miss"):
        show_trap(1.0, wrong=1.0 + gap, right=1.0)


@facts("right", [1.001, float("nan")])
def test_a_right_reading_must_meet_the_truth(right):
    with pytest.raises(AssertionError, match="right reading must meet"):
        show_trap(1.0, wrong=2.0, right=right)


def test_a_looser_bound_is_named():
    show_trap(1.0, wrong=2.0, right=1.001, atol=0.01)
    with pytest.raises(AssertionError, match=r"within 1e-06, and is off by 0\.001"):
        show_trap(1.0, wrong=2.0, right=1.001)


def test_no_number_is_a_miss(capsys):
    show_trap([0.0], wrong=[float("nan")], right=[0.0])
    assert "nan    fails the check, not a number" in capsys.readouterr().out


def test_shapes_must_agree():
    with pytest.raises(ValueError, match="must have one shape, got"):
        show_trap([1.0, 1.0], wrong=2.0, right=[1.0, 1.0])


def test_rounding_does_not_decide_how_an_integer_is_written(capsys):
    show_trap(1, wrong=-1e-17, right=1 + 1e-15)
    assert capsys.readouterr().out.splitlines()[1:] == [
        "wrong    0      fails the check, off by 1",
        "right    1      passes",
    ]


def test_the_numbers_of_a_module_depend_on_the_seed_alone():
    first = with_numbers(nn.Linear(3, 5), seed=7)
    torch.rand(11)
    second = with_numbers(nn.Linear(3, 5), seed=7)
    assert torch.equal(first.weight, second.weight)
    assert not torch.equal(first.weight, with_numbers(nn.Linear(3, 5)).weight)
    assert not first.training


def test_the_module_of_an_object_and_of_its_class_is_found():
    assert module_of(collections.Counter()) is collections
    assert module_of(collections.Counter) is collections
