"""Activations: what a language model learns with each."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from chapters.laboratory.language import held_out_windows
from chapters.laboratory.language_model import LENGTH, train_and_measure
from chapters.laboratory.starting_size import match_sizes
from chapters.laboratory.study import Study
from transformer.layers import PositionwiseFeedForward

COMPARED = ("squared_relu", "relu", "gelu", "silu", "tanh", "sigmoid", "identity")


@torch.no_grad()
def hidden_features(
    model: nn.Module,
) -> tuple[Float[Tensor, "tokens features"], Float[Tensor, "tokens features"]]:
    """Return the hidden features of all layers on text that was held out.

    Args:
        model: A language model with position-wise feed-forward layers.

    Returns:
        What the activations read, and what they make of it.
    """
    read: list[Tensor] = []
    layers = [m for m in model.modules() if isinstance(m, PositionwiseFeedForward)]
    hooks = [
        layer.up_projection.register_forward_hook(
            lambda _, __, output: read.append(output.flatten(end_dim=-2))
        )
        for layer in layers
    ]
    model(held_out_windows(128, LENGTH).to(torch.get_default_device()))
    for hook in hooks:
        hook.remove()
    bent = [layer.activation(x) for layer, x in zip(layers, read, strict=True)]
    return torch.cat(read, dim=1), torch.cat(bent, dim=1)


def look(model: nn.Module) -> dict[str, float]:
    """Return how much a trained model leaves at zero, on text that was held out.

    Returns:
        "zeros", the share of exact zeros among the hidden features; "silent", the
        share of the units whose input is nowhere above zero.
    """
    inputs, features = hidden_features(model)
    return {
        "zeros": (features == 0).double().mean().item(),
        "silent": (inputs.amax(dim=0) <= 0).double().mean().item(),
    }


def measured(variant: str, learning_rate: float, steps: int, seed: int) -> dict:
    """Train the language model with an activation, a name from `ACTIVATIONS`."""
    return train_and_measure(
        look,
        steps=steps,
        learning_rate=learning_rate,
        seed=seed,
        activation=variant,
        change=match_sizes,
    )


STUDY = Study(
    "activations",
    "language",
    train=measured,
    variants=COMPARED,
    rates=(3e-3, 1e-2, 3e-2),
)


if __name__ == "__main__":
    STUDY.run()
