"""What the feed-forward network is worth in small models, measured without it.

The chapter reads the trainings from a file that
`python -m chapters.feed_forward.experiments` writes, and repeats a few.
"""

from collections.abc import Mapping
from itertools import product

from torch import Tensor, nn

from chapters.feed_forward.hidden_units import (
    describe_layer,
    excitement,
    hidden_units,
    portraits,
    promoted,
    readings,
)
from chapters.laboratory.language_model import (
    language_model,
    nats,
    train_language_model,
)
from chapters.laboratory.measurements import Measurements, measure_all
from transformer.models import DecoderOnlyTransformer, count_parameters

MEASUREMENTS = Measurements("feed_forward")
SEEDS = (0, 1, 2)
STEPS = 400
D_MODEL = 64
WIDE = "4x"  # the usual width; its hidden units are looked at
EVERY = 4  # of the units of a layer, whose preferred letters are kept


class Skip(nn.Module):
    """A residual connection whose branch is not there."""

    def forward(self, x: Tensor, sublayer: object) -> Tensor:
        """Return x as it is."""
        return x


def remove_feed_forward(model: DecoderOnlyTransformer) -> None:
    """Take the feed-forward networks and their norms out of a model, in place."""
    for layer in model.decoder.layers:
        layer.feed_forward = nn.Identity()
        layer.feed_forward_residual = Skip()


# What `train_language_model` is told.
VARIANTS: dict[str, Mapping[str, object]] = {
    "none": {"change": remove_feed_forward},
    "4x, no activation": {"activation": "identity"},
    "1x": {"d_ff": D_MODEL},
    "2x": {"d_ff": 2 * D_MODEL},
    WIDE: {"d_ff": 4 * D_MODEL},
    "8x": {"d_ff": 8 * D_MODEL},
    "4x, narrow model": {"d_model": 48, "d_ff": 4 * 48},
}


def describe_units(
    model: DecoderOnlyTransformer, fresh: DecoderOnlyTransformer
) -> dict:
    """Describe the hidden units of a trained model, and those of a fresh one."""
    return {"layers": described(model), "fresh_layers": described(fresh)}


def described(model: DecoderOnlyTransformer) -> list[dict]:
    """Return what `describe_layer` says of each layer."""
    drawn = readings()
    hidden = hidden_units(model, drawn[:, :-1])
    return [
        describe_layer(units, promoted(model, layer), drawn)
        for layer, units in enumerate(hidden)
    ]


def depict_units(model: DecoderOnlyTransformer) -> dict:
    """Return the preferred letters of some units, and portraits of others."""
    drawn = readings()
    hidden = hidden_units(model, drawn[:, :-1])
    return {
        "by_letter": [
            [[round(x, 2) for x in unit] for unit in table[::EVERY].tolist()]
            for table in (excitement(units, drawn) for units in hidden)
        ],
        "portraits": [
            portraits(units, promoted(model, layer), drawn)
            for layer, units in enumerate(hidden)
        ],
    }


def measured(variant: str, seed: int, steps: int = STEPS) -> dict:
    """Train one variant; of the usual one, tell what its hidden units do."""
    trained = train_language_model(seed=seed, steps=steps, **VARIANTS[variant])
    model = trained.model
    row = {"parameters": count_parameters(model), "nats": nats(model)}
    if variant == WIDE:
        row |= describe_units(model, language_model(seed=seed).eval())
        row |= depict_units(model) if seed == SEEDS[0] else {}
    return row


def settings() -> list[dict]:
    """Return the settings of every training that the file holds."""
    return [
        {"variant": variant, "seed": seed} for variant, seed in product(VARIANTS, SEEDS)
    ]


if __name__ == "__main__":
    MEASUREMENTS.write(measure_all(measured, settings()), steps=STEPS)
