"""Activations: what a language model learns with each, dead units, and time.

All of it takes minutes, so the chapter reads the results from a file that
`python -m chapters.activations.experiments FILE` writes, and repeats a part of it.
"""

from functools import partial
from itertools import product

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from chapters.laboratory.fit import same_numbers
from chapters.laboratory.language import held_out_windows
from chapters.laboratory.language_model import nats, train_language_model
from chapters.laboratory.measurements import Measurements, measure_all, seconds_in_turn
from transformer.layers import PositionwiseFeedForward, get_activation

MEASUREMENTS = Measurements("activations")
COMPARED = ("squared_relu", "relu", "gelu", "silu", "tanh", "sigmoid", "identity")
SEEDS = (0, 1, 2)
RATES = (0.05, 0.1, 0.3)  # of the regression
MANY_SEEDS = (0, 1, 2, 3, 4)
DEAD = 1e-6  # a unit is dead when the size of its slope is smaller at every input
TIMED = ("relu", "silu", "gelu", "gelu_tanh", "squared_relu", "tanh", "sigmoid")
ROUNDS = 200
TOKENS, D_MODEL, D_FF = 256, 512, 2048  # of the layer that is timed


@torch.no_grad()
def hidden_inputs(model: nn.Module) -> list[Float[Tensor, "tokens d_ff"]]:
    """Return what each layer's activation reads on text that was held out.

    Args:
        model: A language model with position-wise feed-forward layers.
    """
    read: list[Tensor] = []
    layers = [m for m in model.modules() if isinstance(m, PositionwiseFeedForward)]
    hooks = [
        layer.up_projection.register_forward_hook(
            lambda _, __, output: read.append(output.flatten(end_dim=-2))
        )
        for layer in layers
    ]
    model(held_out_windows(128, 64).to(torch.get_default_device()))
    for hook in hooks:
        hook.remove()
    return read


def language(activation: str, *, seed: int, steps: int = 400) -> dict:
    """Train the language model with an activation.

    Args:
        activation: A name from `ACTIVATIONS`.
        seed: Seed of the parameters and of the windows.
        steps: Number of training steps.

    Returns:
        nats: Cross-entropy on held-out text, in nats per letter.
        zeros: Share of exact zeros among the activated features on that text.
        negative: Share of the activation's inputs that are below zero.
        silent: Share of the units whose input is nowhere above zero on that text.
    """
    model = train_language_model(seed=seed, steps=steps, activation=activation).model
    read = hidden_inputs(model)
    inputs = torch.cat(read, dim=1)  # (tokens, d_ff of all layers)
    activated = get_activation(activation)(inputs)
    return {
        "nats": nats(model),
        "zeros": (activated == 0).double().mean().item(),
        "negative": (inputs < 0).double().mean().item(),
        "silent": (inputs.amax(dim=0) <= 0).double().mean().item(),
    }


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


def measured(kind: str, **setting: object) -> dict:
    """Measure one row of the file."""
    return {"language": language, "regression": regression}[kind](**setting)


def grid() -> list[dict]:
    """Return the settings of every training that the file holds."""
    trained = [
        {"kind": "language", "activation": name, "seed": seed}
        for name, seed in product(COMPARED, SEEDS)
    ]
    fitted = [
        {"kind": "regression", "activation": name, "learning_rate": rate, "seed": seed}
        for name, rate, seed in product(("relu", "gelu", "silu"), RATES, MANY_SEEDS)
    ]
    return trained + fitted


if __name__ == "__main__":
    timed = times()
    MEASUREMENTS.write(measure_all(measured, grid()) + timed, steps=400)
