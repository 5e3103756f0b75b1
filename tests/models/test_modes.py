"""A model is used without dropout and gradients, and left as it came."""

import pytest
import torch
from torch import nn

from transformer.models import evaluating


@pytest.fixture
def model():
    """Two layers with dropout: the first is trained, the second is not."""
    layers = [nn.Sequential(nn.Linear(5, 5), nn.Dropout(0.5)) for _ in range(2)]
    model = nn.Sequential(*layers)
    layers[1].eval()
    return model


def modes(model):
    return [module.training for module in model.modules()]


def test_inside_there_is_no_dropout_and_no_gradient(model):
    x = torch.randn(3, 5)
    with evaluating(model):
        assert not any(modes(model))
        first, second = model(x), model(x)
    assert torch.equal(first, second)
    assert not first.requires_grad


def test_afterwards_each_part_is_in_its_own_mode_again(model):
    before = modes(model)
    assert set(before) == {True, False}
    with evaluating(model):
        pass
    assert modes(model) == before
    assert model(torch.randn(3, 5)).requires_grad


def fail(model):
    with evaluating(model):
        raise KeyError("inside")


def test_an_error_inside_leaves_each_part_in_its_own_mode(model):
    before = modes(model)
    with pytest.raises(KeyError, match="inside"):
        fail(model)
    assert modes(model) == before
    assert torch.is_grad_enabled()


def test_blocks_may_be_nested(model):
    before = modes(model)
    with evaluating(model):
        with evaluating(model):
            pass
        assert not any(modes(model))
        assert not torch.is_grad_enabled()
    assert modes(model) == before


def test_no_gradient_outside_stays_no_gradient(model):
    with torch.no_grad():
        with evaluating(model):
            pass
        assert not torch.is_grad_enabled()
