"""The small language model with other norms, without norms and without skips."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from chapters.laboratory.changed_layers import WithoutSkip
from chapters.laboratory.language_model import exchange, language_model
from transformer.layers import LayerNorm, ResidualConnection


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


class AnnotatedNorm(nn.Module):
    """The Annotated Transformer's norm: unbiased deviation, eps outside the root."""

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
    "annotated norms": norms_become(AnnotatedNorm),
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
