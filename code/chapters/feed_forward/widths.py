"""What the feed-forward network is worth in one language model: without it, and wider.

The chapter reads the trainings from a file that
`python -m chapters.feed_forward.widths` writes, and repeats a short one.
"""

from collections.abc import Mapping

from torch import Tensor, nn

from chapters.laboratory.language_model import train_and_measure
from chapters.laboratory.starting_size import match_sizes
from chapters.laboratory.study import Study
from transformer.models import DecoderOnlyTransformer

D_MODEL = 64


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


# What `train_and_measure` is told; what the networks add starts at the same size.
MATCHED = {"change": match_sizes}
VARIANTS: dict[str, Mapping[str, object]] = {
    "none": {"change": remove_feed_forward},
    "4x, no activation": MATCHED | {"activation": "identity"},
    "1x": MATCHED | {"d_ff": D_MODEL},
    "2x": MATCHED | {"d_ff": 2 * D_MODEL},
    "4x": MATCHED | {"d_ff": 4 * D_MODEL},
    "8x": MATCHED | {"d_ff": 8 * D_MODEL},
    "4x, narrow model": MATCHED | {"d_model": 48, "d_ff": 4 * 48},
}


def measured(variant: str, learning_rate: float, steps: int, seed: int) -> dict:
    """Train one variant; see `train_and_measure` for what is returned."""
    return train_and_measure(
        steps=steps, learning_rate=learning_rate, seed=seed, **VARIANTS[variant]
    )


STUDY = Study(
    "feed_forward",
    "widths",
    train=measured,
    variants=tuple(VARIANTS),
    rates=(3e-3, 1e-2, 3e-2),
)


if __name__ == "__main__":
    STUDY.run()
