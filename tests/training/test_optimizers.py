"""Tests of Adam with the constants of 2017."""

import torch
from torch import nn
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.training import adam


def test_the_first_steps_by_hand():
    weight = nn.Parameter(torch.tensor([[1.0, -2.0]], dtype=torch.float64))
    module = nn.ParameterList([weight])
    optimizer = adam(module, learning_rate=0.1)
    expected, m, v = weight.detach().clone(), 0.0, 0.0
    for step in (1, 2, 3):
        optimizer.zero_grad()
        (weight**2).sum().backward()
        gradient = 2 * expected
        m, v = 0.9 * m + 0.1 * gradient, 0.98 * v + 0.02 * gradient**2
        corrected = m / (1 - 0.9**step), v / (1 - 0.98**step)
        expected = expected - 0.1 * corrected[0] / (corrected[1].sqrt() + 1e-9)
        optimizer.step()
        assert_close(weight.detach(), expected, rtol=0, atol=1e-12)


def test_decay_shrinks_matrices_only():
    module = nn.Linear(3, 5)
    with torch.no_grad():
        module.bias.fill_(1.0)
    before = module.weight.detach().clone()
    optimizer = adam(module, learning_rate=0.1, weight_decay=0.5)
    (0 * module(torch.ones(1, 3)).sum()).backward()
    optimizer.step()
    assert_close(module.weight.detach(), before * (1 - 0.1 * 0.5))
    assert_close(module.bias.detach(), torch.ones(5))


@facts("name", ["weight", "norm", "bias", "position_bias", "0"])
@facts("shape, share", [((), 1.0), ((7,), 1.0), ((3, 5), 0.95)])
def test_decay_goes_by_the_axes_whatever_the_name(name, shape, share):
    parameter = nn.Parameter(torch.ones(shape))
    optimizer = adam(
        nn.ParameterDict({name: parameter}), learning_rate=0.1, weight_decay=0.5
    )
    parameter.grad = torch.zeros(shape)
    optimizer.step()
    assert_close(parameter.detach(), torch.full(shape, share))


def test_what_is_frozen_is_left_out():
    module = nn.Linear(3, 5)
    module.weight.requires_grad_(False)
    groups = adam(module).param_groups
    assert [group["params"] for group in groups] == [[module.bias]]


@facts(
    "options, message",
    [
        ({"learning_rate": 0.0}, "learning_rate must be finite and above 0"),
        ({"betas": (0.9, 1.0)}, r"betas.*got \(0.9, 1.0\)"),
        ({"weight_decay": float("nan")}, "weight_decay.*got nan"),
        ({"weight_decay": float("inf")}, "weight_decay.*got inf"),
        ({"weight_decay": -0.1}, "weight_decay.*got -0.1"),
    ],
)
def test_what_does_not_fit_is_refused(refuses, options, message):
    refuses(lambda: adam(nn.Linear(3, 5), **options), ValueError, message)


def test_a_model_that_does_not_learn_is_refused(refuses):
    frozen = nn.Linear(3, 5).requires_grad_(False)
    refuses(
        lambda: adam(frozen), ValueError, "the model must have parameters that learn"
    )
