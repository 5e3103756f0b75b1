"""Activations: dead units, and time.

All of it takes minutes, so the chapter reads the results from a file that
`python -m chapters.activations.experiments` writes, and repeats a part of it.
"""

from functools import partial
from itertools import product

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from chapters.laboratory.fit import same_numbers
from chapters.laboratory.measurements import Measurements, measure_all, seconds_in_turn
from transformer.layers import get_activation

MEASUREMENTS = Measurements("activations")
RATES = (0.05, 0.1, 0.3)
SEEDS = (0, 1, 2, 3, 4)
DEAD = 1e-6  # a unit is dead when the size of its slope is smaller at every input
TIMED = ("relu", "silu", "gelu", "gelu_tanh", "squared_relu", "tanh", "sigmoid")
ROUNDS = 200
TOKENS, D_MODEL, D_FF = 256, 512, 2048  # of the layer that is timed


def dead_share(network: nn.Module, activation: str, x: Tensor) -> float:
    """Return the share of hidden units whose slope is nearly zero at every input.

    Args:
        network: The map from inputs to the activation's inputs.
        activation: A name from `ACTIVATIONS`.
        x: The inputs, a row each.
    """
    hidden = network(x).detach().requires_grad_()
    get_activation(activation)(hidden).sum().backward()
    return (hidden.grad.abs().amax(dim=0) < DEAD).double().mean().item()


def regression(
    activation: str, *, learning_rate: float, seed: int, steps: int = 400
) -> dict:
    """Fit 512 points with one hidden layer of 128 units by plain gradient descent.

    The inputs are eight normal numbers each, the target is made of two of them.
    Computed in float64; `nn.Linear` starts as PyTorch starts it.

    Args:
        activation: A name from `ACTIVATIONS`.
        learning_rate: Factor on the gradient; there is neither momentum nor decay.
        seed: Seed of the points and of the parameters.
        steps: Number of steps, each with all points.

    Returns:
        The `dead` share of the units, and the `loss`, the mean squared error.
    """
    with same_numbers(seed):
        x = torch.randn(512, 8)
        first, second = nn.Linear(8, 128), nn.Linear(128, 1)
    y = torch.sin(2 * x[:, :1]) + 0.3 * x[:, 1:2]
    bend = get_activation(activation)
    parameters = [*first.parameters(), *second.parameters()]
    optimizer = torch.optim.SGD(parameters, lr=learning_rate)
    for _ in range(steps):
        loss = F.mse_loss(second(bend(first(x))), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    loss = F.mse_loss(second(bend(first(x))), y).item()
    return {"dead": dead_share(first, activation, x), "loss": loss}


@torch.no_grad()
def times() -> list[dict]:
    """Measure the least time of each activation and of the matrix products beside it.

    In turn and many times, on one thread in float32, for the hidden features of one
    feed-forward layer.
    """
    torch.set_num_threads(1)
    with same_numbers(0):
        hidden = torch.randn(TOKENS, D_FF, dtype=torch.float32)
        x = torch.randn(TOKENS, D_MODEL, dtype=torch.float32)
        up = torch.randn(D_MODEL, D_FF, dtype=torch.float32)
    work = {name: partial(get_activation(name), hidden) for name in TIMED}
    work["matrix products"] = lambda: (x @ up) @ up.T
    least = seconds_in_turn(work, rounds=ROUNDS)
    return [
        {"kind": "time", "name": name, "milliseconds": 1e3 * seconds}
        for name, seconds in least.items()
    ]


def grid() -> list[dict]:
    """Return the settings of every regression that the file holds."""
    return [
        {"activation": name, "learning_rate": rate, "seed": seed}
        for name, rate, seed in product(("relu", "gelu", "silu"), RATES, SEEDS)
    ]


if __name__ == "__main__":
    timed = times()
    fitted = [{"kind": "regression"} | row for row in measure_all(regression, grid())]
    MEASUREMENTS.write(fitted + timed, steps=400)
