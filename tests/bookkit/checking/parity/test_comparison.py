"""A comparison asserts its bound and records what it measured."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from bookkit.checking.facts import facts
from bookkit.checking.parity.comparison import Comparison, name_of
from transformer.layers import LayerNorm, layer_norm

ZERO = torch.zeros(2, 3, dtype=torch.float64)


@pytest.fixture
def made():
    return []


@pytest.fixture
def compared(made):
    return Comparison(
        "tests/test_a.py::test_b", LayerNorm, nn.LayerNorm(3), made.append
    )


def test_what_was_measured_is_recorded(compared, made):
    found = ZERO.clone()
    found[1, 2] = -3e-8
    compared.values(found, ZERO, rtol=0, atol=1e-7)
    assert made == [
        {
            "test": "tests/test_a.py::test_b",
            "component": "transformer.layers.norms.LayerNorm",
            "reference": "torch.nn.LayerNorm",
            "what": "forward",
            "dtype": "float64",
            "shape": [2, 3],
            "difference": 3e-8,
            "atol": 1e-7,
            "rtol": 0,
        }
    ]


def test_sequences_are_compared_in_pairs_and_the_worst_counts(compared, made):
    found = [ZERO[0] + 1e-9, (ZERO, ZERO + 2e-9)]
    compared.gradients(found, [ZERO[0], (ZERO, ZERO)], rtol=0, atol=1e-8)
    assert [r["what"] for r in made] == ["gradient"]
    assert made[0]["difference"] == pytest.approx(2e-9)


@facts(
    "found, bound",
    [
        (ZERO + 2e-7, {"rtol": 0, "atol": 1e-7}),
        (ZERO + 1e-300, {"rtol": 0, "atol": 0}),
        (ZERO.float(), {"rtol": 0, "atol": 1e-7}),
        (ZERO[0], {"rtol": 0, "atol": 1e-7}),
        (ZERO / 0, {"rtol": 0, "atol": 1e-7}),
    ],
    ids=["too far off", "not equal", "another dtype", "another shape", "no number"],
)
def test_outside_its_bound_it_fails_and_records_nothing(compared, made, found, bound):
    with pytest.raises(AssertionError):
        compared.values(found, ZERO, **bound)
    assert made == []


def test_a_partner_for_each_tensor_is_asked_for(compared):
    with pytest.raises(ValueError, match="shorter"):
        compared.values([ZERO, ZERO], [ZERO], rtol=0, atol=0)
    with pytest.raises(ValueError, match="of at least one tensor, got none"):
        compared.values([], [], rtol=0, atol=0)


def test_equal_infinities_do_not_differ(compared, made):
    low = ZERO - torch.inf
    compared.values(low, low, rtol=0, atol=0)
    assert made[0]["difference"] == 0


@facts(
    "thing, name",
    [
        (layer_norm, "transformer.layers.norms.layer_norm"),
        (LayerNorm(3).forward, "transformer.layers.norms.LayerNorm.forward"),
        (F.layer_norm, "torch.nn.functional.layer_norm"),
        (nn.ReLU(), "torch.nn.ReLU"),
        ("torch.nn.functional.gelu", "torch.nn.functional.gelu"),
    ],
    ids=["function", "method", "theirs", "object", "text"],
)
def test_a_thing_is_named_by_where_it_is_found(thing, name):
    assert name_of(thing) == name
