"""Properties of the answers to the exercises on activations."""

import math

import torch
from torch import Tensor

from chapters.calls import calls
from chapters.exercises import Property
from chapters.start import gaussian
from transformer.layers import gelu, relu, silu, squared_relu


def passes(function, activation) -> bool:
    """Return whether a function returns what it was given, for this activation."""
    x = torch.cat((gaussian(3, 5, seed=0), 1e4 * gaussian(3, 5, seed=1)))
    return torch.allclose(function(x.clone(), activation), x)


def built_from_it(function) -> bool:
    """Return whether the result changes with the activation as it must."""
    x = gaussian(3, 5, seed=0)
    return torch.allclose(function(x.clone(), squared_relu), x * x.abs())


def counted(function) -> int:
    """Return how often a function calls its activation."""
    calls = []

    def activation(x: Tensor) -> Tensor:
        calls.append(1)
        return gelu(x)

    function(gaussian(3, 5, seed=0), activation)
    return len(calls)


def layers(d_ff: int = 7) -> tuple[Tensor, ...]:
    """Return the parts of a small layer, factors and inputs."""
    up, bias = gaussian(3, d_ff, seed=0), gaussian(d_ff, seed=1)
    down, factors = gaussian(d_ff, 2, seed=2), gaussian(d_ff, seed=4).mul(4).exp()
    return up, bias, down, factors, gaussian(5, 3, seed=3)


def hidden_is_scaled(rescale, d_ff: int) -> bool:
    """Return whether each hidden feature is its factor times what it was."""
    up, bias, _, factors, x = layers(d_ff)
    new_up, new_bias, _ = rescale(*layers(d_ff)[:4])
    wanted = relu(x @ up + bias) * factors
    return torch.allclose(relu(x @ new_up + new_bias), wanted)


def output_stays(rescale, d_ff: int) -> bool:
    """Return whether the layer computes what it did."""
    up, bias, down, _, x = layers(d_ff)
    new_up, new_bias, new_down = rescale(*layers(d_ff)[:4])
    before = relu(x @ up + bias) @ down
    return torch.allclose(relu(x @ new_up + new_bias) @ new_down, before)


# Bends that are ready-made, and what tells cases apart.
BENDS = {"relu", "relu_", "relu6", "hardswish", "hardsigmoid", "hardtanh", "threshold"}
CASES = {"where", "masked_fill", "masked_fill_", "heaviside", "sign", "abs", "__abs__"}
COMPARE = {f"{name}{kind}" for name in ("lt", "le", "gt", "ge") for kind in ("", "_")}
COMPARE |= {"__lt__", "__le__", "__gt__", "__ge__", "minimum", "maximum"}


def grid() -> Tensor:
    """Return numbers from -12 to 12, without zero."""
    return torch.arange(-12 + 1 / 64, 12, 1 / 32)


def called(cheap, x: Tensor) -> Tensor:
    """Return what a function makes of a copy, as a tensor."""
    return torch.as_tensor(cheap(x.clone()), dtype=x.dtype, device=x.device)


def ends_flat(cheap) -> bool:
    """Return whether the gate is shut far left and wide open far right."""
    x = torch.cat((grid(), torch.tensor([-1e4, 1e4])))
    ends = x.abs() > 6
    return torch.allclose(called(cheap, x)[ends], relu(x)[ends], rtol=0, atol=1e-5)


def bends_twice(cheap) -> bool:
    """Return whether the gate is three straight lines that meet.

    Between two corners all second differences are zero; a corner spoils two of them.
    """
    x = grid()
    gate = called(cheap, x) / x
    corners = gate.diff(n=2).abs() > 1e-5
    return bool(gate.diff().abs().max() < 0.02 and 2 <= corners.sum() <= 4)


def farthest(cheap) -> float:
    """Return the largest distance to SiLU."""
    x = grid()
    return (called(cheap, x) - silu(x)).abs().max().item()


EXERCISES = {
    "ex-activations-by-hand": [
        Property(
            "the value of GELU(1) is 1 times the share of a standard normal below 1.",
            lambda first, second, third: math.isclose(first, 0.8413, abs_tol=6e-5),
        ),
        Property(
            "what is GELU(1) minus GELU(-1)?",
            lambda first, second, third: math.isclose(second, -0.1587, abs_tol=6e-5),
        ),
        Property(
            "for SiLU(-1), the sigmoid at -1 is 1 minus that at 1.",
            lambda first, second, third: math.isclose(third, -0.2689, abs_tol=6e-5),
        ),
    ],
    "ex-activations-pass": [
        Property(
            "with ReLU the result must be x itself, below zero too.",
            lambda function: passes(function, relu),
        ),
        Property(
            "with GELU and with SiLU the result must be x itself.",
            lambda function: passes(function, gelu) and passes(function, silu),
        ),
        Property(
            "the result must come from the activation, called exactly twice.",
            lambda function: counted(function) == 2,
        ),
        Property(
            "the result must be what the two calls return, one minus the other: with "
            "squared ReLU, which has no gate, that is x times |x|.",
            built_from_it,
        ),
    ],
    "ex-activations-rescale": [
        Property(
            "up, bias and down must keep their shapes.",
            lambda rescale: (
                [part.shape for part in rescale(*layers()[:4])]
                == [part.shape for part in layers()[:3]]
            ),
        ),
        Property(
            "each hidden feature must be its factor times what it was.",
            lambda rescale: all(hidden_is_scaled(rescale, d_ff) for d_ff in (7, 11)),
        ),
        Property(
            "with ReLU the output of the layer must stay.",
            lambda rescale: all(output_stays(rescale, d_ff) for d_ff in (7, 11)),
        ),
    ],
    "ex-activations-lowest": [
        Property(
            "the place must be that of the lowest value, to two decimals.",
            lambda place, value: abs(place + 1.2785) < 6e-3,
        ),
        Property(
            "the value must be that of SiLU at the place.",
            lambda place, value: abs(value + 0.2785) < 6e-3,
        ),
    ],
    "ex-activations-cheap": [
        Property(
            "from -6 down the result must be 0, and from 6 up it must be x.",
            ends_flat,
        ),
        Property(
            "the distance to SiLU must stay below 0.2: is the gate half open at 0, and "
            "neither too steep nor too flat?",
            lambda cheap: farthest(cheap) < 0.2,
        ),
        Property(
            "the gate, cheap(x) / x, must consist of three straight lines that meet, "
            "without any exponential.",
            bends_twice,
        ),
        Property(
            "use nothing but sums, products and `clamp`: no ready-made bend, and no "
            "case.",
            lambda cheap: not (BENDS | CASES | COMPARE) & {*calls(cheap, grid())},
        ),
    ],
}

FIELDS = {
    "ex-activations-by-hand": (0.8413, -0.1587, -0.2689),
    "ex-activations-lowest": (-1.28, -0.28),
}
