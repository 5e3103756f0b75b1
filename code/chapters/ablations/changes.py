"""Every choice of the book, changed one at a time in one translator of number words.

The feed-forward networks of all variants start at one size, and so does what is added
for positions but in the group that shows what else would happen.
"""

from collections.abc import Callable
from math import inf, isfinite

import torch
from torch import nn

from chapters.laboratory.changed_layers import WithoutSkip
from chapters.laboratory.language_model import exchange
from chapters.laboratory.positions import free_biases, free_keys, widen_table
from chapters.laboratory.recipe import Trained
from chapters.laboratory.starting_size import match_sizes
from chapters.laboratory.study import Study
from chapters.laboratory.translator import (
    numbers,
    scores,
    share_right,
    train_translator,
)
from transformer.data import sorted_batches
from transformer.layers import (
    LayerNorm,
    PositionwiseFeedForward,
    ResidualConnection,
    gated_width,
)
from transformer.models import count_parameters
from transformer.training import LabelSmoothingLoss, evaluate

SMOOTHING = 0.1
WIDTH = gated_width(256)  # of a gated network that costs what the plain one costs
SEEDS = (0, 1, 2, 3, 4, 5)
AGAIN, LATER = "baseline, other seeds", 5  # than those of the baseline


class Nothing(nn.Module):
    """A branch that adds nothing."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
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
        "squared ReLU": {"activation": "squared_relu"},
        "identity": {"activation": "identity"},
    },
    "gating": {
        "SwiGLU": gated("silu"),
        "GEGLU": gated("gelu"),
        "bilinear": gated("identity"),
    },
    "feed-forward": {
        "none": {"change": without_feed_forward},
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
    # The same table as the package starts it.
    "start": {"learned, small start": {"position": "learned"}},
    "heads": {f"{heads} heads": {"num_heads": heads} for heads in (1, 8)},
    "scale": {"no scale": {"scale_attention": False}},
    "warm-up": {f"{steps} steps": {"warm_up": steps} for steps in (0, 100)},
    "label smoothing": {"no smoothing": {"smoothing": 0.0}},
    "dropout": {"dropout 0.1": {"dropout": 0.1}},
    "tying": {"untied": {"tie_embeddings": False}},
    "depth and width": {"8 layers of 32": shape(8, 32)},
}
VARIANTS = {name: made for group in CHANGES.values() for name, made in group.items()}


def choices(variant: str) -> dict:
    """Return the choices of a training, by the name of its variant.

    Args:
        variant: One of `VARIANTS`, or `AGAIN`.
    """
    made = dict(VARIANTS["baseline" if variant == AGAIN else variant])
    first: Callable[[nn.Module], None] = made.pop("change", lambda model: None)

    def change(model: nn.Module) -> None:
        first(model)
        match_sizes(model)

    return {"smoothing": SMOOTHING, **made, "change": change}


def own_loss(done: Trained, smoothing: float) -> float:
    """Return the loss that a training lowers, of every other held-out pair."""
    if done.diverged:
        return inf
    batches = sorted_batches(numbers().held_out[0::2], batch_size=250)
    loss = LabelSmoothingLoss(smoothing=smoothing)
    return evaluate(done.model, batches, loss=loss).loss


def measured(variant: str, learning_rate: float, steps: int, seed: int) -> dict:
    """Train one translator and return what it can do.

    Returns:
        "validation", its own loss on every other held-out pair, which chooses the rate;
        "parameters"; and on the pairs between "exact", the share that it writes by
        itself without a fault, "tokens", the share of right tokens where the true ones
        are given, and "nats", the cross-entropy of a token there.
    """
    made = choices(variant)
    done = train_translator(
        seed=seed + LATER * (variant == AGAIN),
        steps=steps,
        learning_rate=learning_rate,
        **made,
    )
    validation = own_loss(done, made["smoothing"])
    if not isfinite(validation):
        return {"validation": inf}
    task = numbers()
    found = scores(done.model, task.held_out[1::2])
    return {
        "validation": validation,
        "parameters": count_parameters(done.model),
        "exact": share_right(done.model, task.splits.test[1::2]),
        "tokens": found.token_accuracy,
        "nats": found.cross_entropy,
    }


STUDY = Study(
    "ablations",
    "changes",
    train=measured,
    variants=(*VARIANTS, AGAIN),
    seeds=SEEDS,
)


if __name__ == "__main__":
    STUDY.run()
