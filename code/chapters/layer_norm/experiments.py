"""What skips and norms are worth: trainings with them, without them, and shaken.

All of them take minutes, so the chapter reads their results from a file that
`python -m chapters.layer_norm.experiments FILE` writes, and repeats a few.
"""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from chapters.laboratory.changed_layers import WithoutSkip
from chapters.laboratory.language_model import (
    exchange,
    language_model,
    nats,
    train_language_model,
)
from chapters.laboratory.measurements import Measurements, measure_all
from chapters.layer_norm.shaken_norms import KINDS, train_watched
from transformer.layers import LayerNorm, ResidualConnection

MEASUREMENTS = Measurements("layer_norm")
SEEDS = (0, 1, 2)
WARM_UP = 20  # steps until the learning rate is highest
LAST = 20  # steps over which a training loss is averaged
# Part, layers, steps and batch of the language models in the file.
MODELS = (
    ("all", 6, 200, 16),
    ("no skips", 6, 200, 16),
    ("all", 2, 200, 16),
    ("no skips", 2, 200, 16),
    ("batch norms", 2, 200, 16),
    ("no norms", 2, 200, 16),
    ("all", 12, 40, 16),
    ("no norms", 12, 40, 16),
    ("all", 12, 200, 16),
    ("no norms", 12, 200, 16),
    ("all", 2, 200, 2),
    ("batch norms", 2, 200, 2),
    ("circulating norms", 2, 200, 16),
)


class TokenBatchNorm(nn.Module):
    """Batch normalization that takes every token of every sequence as an example."""

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(d_model)

    def forward(
        self, x: Float[Tensor, "*batch d_model"]
    ) -> Float[Tensor, "*batch d_model"]:
        """Normalize each feature over all tokens."""
        return self.norm(x.flatten(end_dim=-2)).view_as(x)


class CirculatingNorm(nn.Module):
    """The layer norm that circulates: unbiased deviation, epsilon outside the root."""

    def __init__(self, d_model: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x: Tensor) -> Tensor:
        """Return what it makes of each vector."""
        deviation = x.std(dim=-1, keepdim=True)
        centered = x - x.mean(dim=-1, keepdim=True)
        return self.weight * centered / (deviation + self.eps) + self.bias


def norms_become(make: Callable[[int], nn.Module]) -> Callable[[nn.Module], None]:
    """Return a function that exchanges the layer norms of a model."""
    return lambda model: exchange(
        model, LayerNorm, lambda norm: make(norm.weight.size(0))
    )


CHANGES: dict[str, Callable[[nn.Module], None] | None] = {
    "all": None,
    "no skips": lambda model: exchange(model, ResidualConnection, WithoutSkip),
    "no norms": norms_become(lambda d_model: nn.Identity()),
    "batch norms": norms_become(TokenBatchNorm),
    "circulating norms": norms_become(CirculatingNorm),
}


def fresh_run(
    part: str, letters: Float[Tensor, "batch time"], *, layers: int, seed: int
) -> tuple[Tensor, dict[str, Tensor]]:
    """Send letters through a fresh model with a part changed, and back.

    Returns:
        The stream after each layer, and for three kinds of maps the lengths of their
        gradients in each layer.
    """
    model = language_model(seed=seed, num_decoder_layers=layers, change=CHANGES[part])
    stream, blocks = [], model.double().decoder.layers
    for block in blocks:
        block.register_forward_hook(lambda *call: stream.append(call[-1].detach()))
    scores = model(letters[:, :-1]).flatten(end_dim=-2)
    F.cross_entropy(scores, letters[:, 1:].flatten()).backward()
    maps = {
        "feed-forward": [block.feed_forward.down_projection for block in blocks],
        "query": [block.self_attention.query_projection for block in blocks],
        "value": [block.self_attention.value_projection for block in blocks],
    }
    lengths = {
        name: torch.stack([one.weight.grad.norm() for one in kind])
        for name, kind in maps.items()
    }
    return torch.stack(stream), lengths


def token_difference(
    stream: Float[Tensor, "layers batch time d_model"],
) -> Float[Tensor, " layers"]:
    """Return one minus the mean cosine of two tokens of a text, for each layer."""
    directions = stream / stream.norm(dim=-1, keepdim=True)
    count = directions.size(-2)
    cosines = (directions @ directions.mT).sum(dim=(-2, -1)) - count
    return 1 - cosines.mean(dim=-1) / (count * (count - 1))


def train_letters(
    part: str, *, layers: int, steps: int, batch: int, seed: int
) -> dict[str, float | bool]:
    """Train the small language model with a part changed.

    Args:
        part: A key of `CHANGES`.
        layers: Number of layers.
        steps: Number of training steps.
        batch: Windows in a step.
        seed: Seed of the parameters and of the windows.

    Returns:
        Nats per letter on held-out text, the same with the model left in training
        mode, the mean of the last training losses and the highest of all.
    """
    settings = {"steps": steps, "batch": batch, "seed": seed, "warm_up": WARM_UP}
    done = train_language_model(
        num_decoder_layers=layers, change=CHANGES[part], **settings
    )
    return {
        "nats": nats(done.model),
        "nats_in_training_mode": nats(done.model.train()),
        "train": sum(done.losses[-LAST:]) / len(done.losses[-LAST:]),
        "highest": max(done.losses),
        "diverged": done.diverged,
    }


def settings() -> list[dict]:
    """Return the settings of every training that the file holds."""
    letters = [
        dict(zip(("part", "layers", "steps", "batch"), model, strict=True))
        for model in MODELS
    ]
    watched = [{"kind": kind, "learning_rate": 0.1, "steps": 300} for kind in KINDS]
    return [row | {"seed": seed} for row in letters + watched for seed in SEEDS]


def measured(**setting: object) -> dict:
    """Make one training of the file."""
    return train_letters(**setting) if "part" in setting else train_watched(**setting)


if __name__ == "__main__":
    MEASUREMENTS.write(measure_all(measured, settings()), shaking=0.3)
