"""Every choice of the book, changed one at a time in one translator of number words.

All of it takes an hour and more, so the chapter reads the results from a file that
`python -m chapters.ablations.experiments` writes, and repeats a part of it.
"""

from itertools import product

import torch
from torch import Tensor, nn

from chapters.laboratory.changed_layers import WithoutSkip
from chapters.laboratory.language_model import exchange
from chapters.laboratory.measurements import Measurements, measure_all
from chapters.laboratory.positions import free_biases, free_keys, widen_table
from chapters.laboratory.translator import scores, share_right, train_translator
from transformer.layers import (
    LayerNorm,
    PositionwiseFeedForward,
    ResidualConnection,
    gated_width,
)
from transformer.models import count_parameters

MEASUREMENTS = Measurements("ablations")
STEPS = 200  # so few that not every model learns the task
SEEDS = (0, 1, 2, 3, 4)
FRESH = (5, 6, 7, 8, 9)  # of the baseline trained once more
LEARNING_RATES = (2e-3, 5e-3, 1e-2)
WIDTH = gated_width(256)  # of a gated network that costs what the plain one costs


class Nothing(nn.Module):
    """A branch that adds nothing."""

    def forward(self, x: Tensor) -> Tensor:
        """Return zeros."""
        return torch.zeros_like(x)


def without_norms(model: nn.Module) -> None:
    """Take every norm out of a model, in place."""
    exchange(model, LayerNorm, lambda norm: nn.Identity())


def without_skips(model: nn.Module) -> None:
    """Let every branch replace its input instead of adding to it, in place."""
    exchange(model, ResidualConnection, WithoutSkip)


def without_feed_forward(model: nn.Module) -> None:
    """Let every feed-forward network add nothing, in place."""
    exchange(model, PositionwiseFeedForward, lambda network: Nothing())


def gated(activation: str) -> dict:
    """Return the choices of a model with gated networks."""
    return {"gated": True, "activation": activation, "d_ff": WIDTH}


def shape(layers: int, d_model: int) -> dict:
    """Return the choices of a model of another shape."""
    depth = {"num_encoder_layers": layers, "num_decoder_layers": layers}
    return {**depth, "d_model": d_model, "d_ff": 4 * d_model}


POST = {"norm_placement": "post", "final_norm": False}
# What is changed, by the choice that it belongs to; nothing else differs.
CHANGES: dict[str, dict[str, dict]] = {
    "baseline": {"baseline": {}},
    "norm placement": {
        "post-norm": POST,
        "post-norm, no warm-up": POST | {"warm_up": 0},
    },
    "norm": {"RMSNorm": {"norm": "rms"}, "no norm": {"change": without_norms}},
    "skips": {"no skips": {"change": without_skips}},
    "activation": {
        "GELU": {"activation": "gelu"},
        "SiLU": {"activation": "silu"},
        "squared ReLU": {"activation": "squared_relu"},
        "identity": {"activation": "identity"},
    },
    "gating": {
        "SwiGLU": gated("silu"),
        "GEGLU": gated("gelu"),
        "ReGLU": gated("relu"),
        "bilinear": gated("identity"),
    },
    "feed-forward": {
        "none": {"change": without_feed_forward},
        "1 d": {"d_ff": 64},
        "2 d": {"d_ff": 128},
        "8 d": {"d_ff": 512},
    },
    "position": {
        "learned": {"position": "learned", "change": widen_table},
        "rotary": {"position": "rotary"},
        "T5 buckets": {"position": "relative", "change": free_biases},
        "relative keys": {"position": "relative_keys", "change": free_keys},
        "ALiBi": {"position": "alibi"},
        "no positions": {"position": "none"},
    },
    # The same three as the package starts them.
    "their start": {
        "learned, small start": {"position": "learned"},
        "T5 buckets, no factor": {"position": "relative"},
        "relative keys, no factor": {"position": "relative_keys"},
    },
    "heads": {f"{heads} heads": {"num_heads": heads} for heads in (1, 2, 8, 16)},
    "scale": {"no scale": {"scale_attention": False}},
    "warm-up": {f"{steps} steps": {"warm_up": steps} for steps in (0, 20, 100)},
    "label smoothing": {
        "no smoothing": {"smoothing": 0.0},
        "smoothing 0.2": {"smoothing": 0.2},
    },
    "dropout": {"dropout 0.1": {"dropout": 0.1}},
    "tying": {"untied": {"tie_embeddings": False}},
    "depth and width": {
        "1 layer of 88": shape(1, 88),
        "4 layers of 44": shape(4, 44),
        "8 layers of 32": shape(8, 32),
    },
}
VARIANTS = {name: made for group in CHANGES.values() for name, made in group.items()}
LONG_STEPS, LONG_SEEDS = 600, (0, 1, 2)
# The learning rate of those that train longer, fixed before they were trained.
LONG = {
    "baseline": 5e-3,
    "post-norm": 2e-3,
    "no norm": 5e-3,
    "GEGLU": 5e-3,
    "learned": 5e-3,
    "learned, small start": 5e-3,
    "rotary": 5e-3,
    "no positions": 5e-3,
    "no scale": 5e-3,
    "dropout 0.1": 5e-3,
    "8 layers of 32": 5e-3,
}


def measured(variant: str, learning_rate: float, seed: int, steps: int = STEPS) -> dict:
    """Train one translator and return what it can do.

    Args:
        variant: One of `VARIANTS`.
        learning_rate: The highest learning rate.
        seed: Seed of the parameters and of the order of the pairs.
        steps: Number of training steps.

    Returns:
        "parameters"; "exact", the share of held-out numbers without a fault;
        "tokens", the share of right tokens where the true ones are given; "nats", the
        cross-entropy of a token there; "loss", the mean of the last 20 training losses.
    """
    made = VARIANTS[variant]
    done = train_translator(seed=seed, steps=steps, learning_rate=learning_rate, **made)
    found = scores(done.model)
    last = done.losses[-20:]
    return {
        "parameters": count_parameters(done.model),
        "exact": share_right(done.model),
        "tokens": found.token_accuracy,
        "nats": found.cross_entropy,
        "loss": sum(last) / len(last),
        "diverged": done.diverged,
    }


def rounds() -> list[dict]:
    """Return the settings of every training that the file holds, in its order."""
    short = list(product(VARIANTS, LEARNING_RATES, SEEDS, [STEPS]))
    fresh = list(product(["baseline"], LEARNING_RATES, FRESH, [STEPS]))
    long = [(*made, seed, LONG_STEPS) for made in LONG.items() for seed in LONG_SEEDS]
    names = ("variant", "learning_rate", "seed", "steps")
    return [dict(zip(names, made, strict=True)) for made in short + fresh + long]


if __name__ == "__main__":
    MEASUREMENTS.write(measure_all(measured, rounds()))
