"""Whenever a test runs the package, its type hints are checked."""

from collections.abc import Iterator
from dataclasses import dataclass

import jaxtyping
import pytest
import torch
from beartype import beartype
from jaxtyping import Float, TypeCheckError
from torch import Tensor

from transformer.config import TransformerConfig

checked = jaxtyping.jaxtyped(typechecker=beartype)


@checked
def product(
    x: Float[Tensor, "time d_model"], y: Float[Tensor, "d_model d_ff"]
) -> Float[Tensor, "time d_ff"]:
    return (x @ y)[:, :5]


@checked
def rows(x: Float[Tensor, "time d_model"]) -> Iterator[Float[Tensor, " d_model"]]:
    for row in x:
        product(torch.ones(2, 3), torch.ones(3, 5))
        yield row


@checked
@dataclass
class Pair:
    first: Float[Tensor, " time"]
    second: Float[Tensor, " time"]


def test_an_axis_has_one_size_in_all_arguments_and_the_result():
    assert product(torch.ones(2, 3), torch.ones(3, 5)).shape == (2, 5)
    with pytest.raises(TypeCheckError, match="y"):
        product(torch.ones(2, 3), torch.ones(2, 5))
    with pytest.raises(TypeCheckError, match="return"):
        product(torch.ones(2, 3), torch.ones(3, 7))


def test_each_call_has_axes_of_its_own():
    assert product(torch.ones(3, 5), torch.ones(5, 2)).shape == (3, 2)
    assert len(list(rows(torch.ones(7, 11)))) == 7
    with pytest.raises(TypeCheckError, match="x"):
        list(rows(torch.ones(7)))


def test_the_fields_of_a_dataclass_are_arguments_too():
    assert len(Pair(torch.ones(3), torch.ones(3)).first) == 3
    with pytest.raises(TypeCheckError):
        Pair(torch.ones(3), torch.ones(5))


def test_the_package_is_checked_unless_a_test_wants_to_see_its_own_errors(refuses):
    def call():
        TransformerConfig(vocab_size="3", max_len=5)

    with pytest.raises(TypeCheckError):
        call()
    refuses(call, TypeError, "vocab_size must be a whole number")
