"""The scale factor of attention in a language model, for large and small heads."""

from itertools import product

from torch import nn

from chapters.laboratory.language_model import nats, train_language_model
from chapters.laboratory.measurements import Measurements, measure_all
from transformer.layers import MultiHeadAttention

MEASUREMENTS = Measurements("self_attention")
SEEDS = (0, 1, 2)


def drop_scale(model: nn.Module) -> None:
    """Let every attention layer of a model use its scores as they are."""
    for layer in model.modules():
        if isinstance(layer, MultiHeadAttention):
            layer.scale = 1.0


def train(
    *, num_heads: int, scaled: bool, seed: int, steps: int = 300, warm_up: int = 50
) -> dict:
    """Train the language model of the book with or without the scale factor.

    Args:
        num_heads: Heads that share the 64 features.
        scaled: Whether scores are divided by the root of the size of a head.
        seed: Seed of the parameters and of the windows.
        steps: Training steps.
        warm_up: Steps until the highest learning rate.

    Returns:
        "nats", the cross-entropy in nats per letter on text that was held out.
    """
    change = None if scaled else drop_scale
    lengths = {"steps": steps, "warm_up": warm_up}
    trained = train_language_model(
        seed=seed, change=change, num_heads=num_heads, **lengths
    )
    return {"nats": nats(trained.model)}


def grid() -> list[dict]:
    """Return the settings of every training that the file holds."""
    return [
        {"num_heads": heads, "scaled": scaled, "seed": seed}
        for heads, scaled, seed in product((1, 4, 16), (True, False), SEEDS)
    ]


if __name__ == "__main__":
    MEASUREMENTS.write(measure_all(train, grid()), steps=300)
