"""Rotary embedding: what a model trained at one length does at longer ones.

The trainings take minutes, so the chapter reads their results from a file that
`python -m chapters.rotary.experiments FILE` writes, and repeats one of them.
"""

from collections.abc import Callable
from itertools import product

import torch
from torch import Tensor, nn

from chapters.laboratory.language_model import (
    LENGTH,
    language_model,
    nats,
    nats_by_position,
    train_language_model,
)
from chapters.laboratory.measurements import Measurements, measure_all
from transformer.layers import RotaryEmbedding
from transformer.models import DecoderOnlyTransformer

MEASUREMENTS = Measurements("rotary")
LENGTHS = (64, 128, 256, 512)
SEEDS = (0, 1, 2)
STEPS = 400
BIN = 16  # positions whose losses are averaged in the file
SCHEMES = {
    "rotary": {"position": "rotary"},
    "slow planes still": {"position": "rotary"},
    "sinusoidal": {"position": "sinusoidal"},
    "relative keys": {"position": "relative_keys", "relative_max_distance": 16},
}
SCALINGS = ("linear", "ntk", "yarn")


def stop_slow_planes(model: nn.Module, length: int = LENGTH) -> None:
    """Keep the planes that turn once within a length, and let the others stand.

    Args:
        model: A fresh model with rotary embeddings, changed in place.
        length: The trained number of positions.
    """
    for module in model.modules():
        if isinstance(module, RotaryEmbedding):
            slow = module.frequencies.abs() * length < 2 * torch.pi
            module.frequencies = module.frequencies.masked_fill(slow, 0.0)


def scaled(
    model: DecoderOnlyTransformer, scaling: str, factor: float
) -> DecoderOnlyTransformer:
    """Return a model of the same weights whose rotations are slowed down.

    Args:
        model: A trained model with rotary embeddings.
        scaling: One of `transformer.layers.SCALINGS`, except "none".
        factor: How many times longer the texts get.
    """
    other = language_model(
        seed=0,
        position="rotary",
        rotary_scaling=scaling,
        rotary_factor=factor,
        rotary_original_len=LENGTH if scaling in ("yarn", "llama3") else None,
    )
    other.load_state_dict(model.state_dict())
    return other.eval()


def near_only(model: DecoderOnlyTransformer, window: int = LENGTH) -> Callable:
    """Return the model as a function in which queries see the last keys only.

    Args:
        model: A trained model.
        window: How many keys a query sees, itself among them.
    """

    def logits(tokens: Tensor) -> Tensor:
        place = torch.arange(tokens.size(1), device=tokens.device)
        mask = place[:, None] - place < window  # (time, time); the decoder is causal
        x = model.embedding(tokens)
        return model.head(model.decoder(x, mask=mask))

    return logits


def long_losses(model: Callable) -> list[float]:
    """Return the loss on the last positions of texts of each length."""
    return [nats(model, length=length, last=LENGTH) for length in LENGTHS]


def scaled_losses(model: DecoderOnlyTransformer, scaling: str) -> list[float]:
    """Return the same for a model scaled by how much longer the texts are."""
    return [
        nats(scaled(model, scaling, length / LENGTH), length=length, last=LENGTH)
        for length in LENGTHS
    ]


def measured(scheme: str, seed: int, **training: int) -> dict:
    """Train one model at length 64, and return its losses at other lengths.

    Args:
        scheme: One of `SCHEMES`.
        seed: Seed of the parameters and of the windows.
        **training: Such as `steps`, where it is not `STEPS`.

    Returns:
        The losses by length, by position in bins of 16, and for rotary embeddings with
        a window of 64 keys and with scaled frequencies.
    """
    change = stop_slow_planes if scheme == "slow planes still" else None
    settings = {"steps": STEPS} | SCHEMES[scheme] | training
    model = train_language_model(seed=seed, change=change, **settings).model
    by_position = nats_by_position(model, length=LENGTHS[-1])
    row = {
        "nats": long_losses(model),
        "by_position": by_position.view(-1, BIN).mean(dim=1).tolist(),
    }
    if scheme == "rotary":
        with torch.no_grad():
            row["window"] = long_losses(near_only(model))
        row |= {name: scaled_losses(model, name) for name in SCALINGS}
    return row


def rounds() -> list[dict]:
    """Return the settings of every training that the file holds."""
    return [{"scheme": s, "seed": seed} for s, seed in product(SCHEMES, SEEDS)]


def losses(rows: list[dict], scheme: str, field: str = "nats") -> Tensor:
    """Return a field of the trainings of a scheme, a row for each seed.

    Args:
        rows: What `MEASUREMENTS.read` returned.
        scheme: One of `SCHEMES`.
        field: "nats", "by_position", "window" or one of `SCALINGS`.

    Shape:
        (seeds, lengths), or (seeds, bins) by position.
    """
    chosen = [row[field] for row in rows if row["scheme"] == scheme]
    return torch.tensor(chosen, dtype=torch.float64, device="cpu")


if __name__ == "__main__":
    MEASUREMENTS.write(measure_all(measured, rounds()), steps=STEPS)
