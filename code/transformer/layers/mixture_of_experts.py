"""A feed-forward layer of several experts, of which each position asks a few."""

from typing import NamedTuple

import torch
from jaxtyping import Float, Integer
from torch import Tensor, nn

from transformer.checks.doors import door, doors
from transformer.checks.tensors import check_float_tensor, is_transformed
from transformer.checks.values import check_dropout, check_positive, check_size
from transformer.layers.clamped_feed_forward import gated_network
from transformer.layers.projections import start_projections


class Routing(NamedTuple):
    """Which experts each position asks, and how much each of them counts.

    Shape:
        weights: (..., time, chosen), not negative, with the sum one.
        experts: (..., time, chosen), numbers of experts, the strongest first.
        logits: (..., time, experts), what the choice was made from.
    """

    weights: Float[Tensor, "*batch time chosen"]
    experts: Integer[Tensor, "*batch time chosen"]
    logits: Float[Tensor, "*batch time experts"]


@doors(init=lambda: check_experts)
class MixtureOfExperts(nn.Module):
    r"""Let a router choose, for each position, a few of many feed-forward layers.

    $$\mathrm{MoE}(\mathbf{x}) = \sum_{i \in T} g_i\, \mathrm{FFN}_i(\mathbf{x}), \qquad
    g_i = \frac{\exp \ell_i}{\sum_{j \in T} \exp \ell_j}, \qquad
    \boldsymbol{\ell} = \mathbf{x} W_{\mathrm{router}}$$

    where $T$ holds the $k$ largest router logits of this position. Each expert is a
    gated layer, clamped if there is a limit. All experts are stored, $k$ of them are
    computed.

    Source: Jiang et al. (2024), section 2.1, for gated experts and the softmax over
    the chosen logits, after Shazeer et al. (2017), section 2.1, equations (1), (3)
    and (5), who add noise to the logits while training; we do not. The router starts
    as all projections of the package do. Biases and clamped gates: OpenAI (2025), model
    card of gpt-oss, section 2.

    No expert has a limit on how many positions may ask it. How many do is known when
    the router has spoken, so `torch.compile` cannot make one graph of this layer. With
    `torch.vmap` it differs between the samples, and no tensor has such a shape: then,
    and wherever `torch.func` follows the choice, each expert computes all positions,
    which takes $N / k$ times as long for $N$ experts, and gives the same.

    Args:
        d_model: Number of features of the input and the output.
        d_ff: Number of features in between, of each expert.
        num_experts: How many experts there are.
        experts_per_token: How many of them a position asks, $k$. The shares of one
            expert are always one, so with $k = 1$ the router learns from a balancing
            loss alone.
        router_bias: Whether the router has biases.
        activation: A name from `ACTIVATIONS`, for the gates of the experts.
        bias: Whether the projections of the experts have biases.
        limit: Where gates and features are clamped, as in `ClampedFeedForward`;
            nowhere when not given.
        dropout: As in `GatedFeedForward`.
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        *,
        num_experts: int,
        experts_per_token: int = 2,
        router_bias: bool = False,
        activation: str = "silu",
        bias: bool = False,
        limit: float | None = None,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        options = {"activation": activation, "bias": bias, "dropout": dropout}
        self.experts = nn.ModuleList(
            gated_network(d_model, d_ff, limit=limit, **options)
            for _ in range(num_experts)
        )
        self.router = nn.Linear(d_model, num_experts, bias=router_bias)
        self.experts_per_token = experts_per_token
        start_projections(self.router)

    def forward(
        self, x: Float[Tensor, "*batch time d_model"]
    ) -> Float[Tensor, "*batch time d_model"]:
        """Transform each position by its experts, each expert on its positions."""
        weights, experts, _ = self.route(x)
        weights, experts = weights.flatten(0, -2), experts.flatten(0, -2)
        positions = x.flatten(0, -2)  # (batch · time, d_model)
        if is_transformed(experts):
            return self._ask_all(positions, weights, experts).view(x.shape)
        mixed = positions.new_zeros(positions.shape)
        for number, expert in enumerate(self.experts):
            asking, place = (experts == number).nonzero(as_tuple=True)
            share = weights[asking, place].unsqueeze(-1)  # (asking, 1)
            answer = share * expert(positions[asking])  # (asking, d_model)
            mixed = mixed.index_add(0, asking, answer.to(mixed.dtype))
        return mixed.view(x.shape)

    def route(self, x: Float[Tensor, "*batch time d_model"]) -> Routing:
        """Choose the experts of each position."""
        logits = self.router(x)  # (*batch, time, experts)
        highest, experts = logits.topk(self.experts_per_token, dim=-1)
        return Routing(highest.softmax(dim=-1), experts, logits)

    def _ask_all(self, positions: Tensor, weights: Tensor, experts: Tensor) -> Tensor:
        """Ask each expert at all positions, and count it where it was chosen."""
        mixed = torch.zeros_like(positions)
        for number, expert in enumerate(self.experts):
            chosen = experts == number  # (batch · time, chosen)
            share = (weights * chosen).sum(dim=-1, keepdim=True)
            answer = share * expert(positions)  # (batch · time, d_model)
            answer = answer.masked_fill(~chosen.any(dim=-1, keepdim=True), 0.0)
            mixed = mixed + answer.to(mixed.dtype)
        return mixed


@door(lambda: check_balancing)
def load_balancing_loss(
    logits: Float[Tensor, "*batch experts"], *, experts_per_token: int
) -> Float[Tensor, ""]:
    r"""Return a loss that is small when all experts have the same to do.

    $$\mathcal{L} = N \sum_{i=1}^{N} f_i\, P_i$$

    with $f_i$ the share of positions that ask expert $i$ and $P_i$ the mean over
    positions of the softmax over all $N$ logits. When the shares are even the loss is
    $k$, the number of experts that a position asks. The shares are counts and have no
    gradient; the loss pulls at the router through $P_i$.

    Source: Fedus et al. (2022), section 2.2, equations (4) to (6), for one expert a
    position and without their factor $\alpha$.

    Args:
        logits: `Routing.logits`; leave out padding by `logits[mask]`.
        experts_per_token: How many experts a position asks, $k$.
    """
    num_experts = logits.size(-1)
    rows = logits.reshape(-1, num_experts)
    asked = rows.topk(experts_per_token, dim=-1).indices
    # Half precision can neither count so many positions nor add up their softmax.
    wide = torch.promote_types(rows.dtype, torch.float32)
    counts = torch.zeros_like(rows, dtype=wide).scatter(-1, asked, 1.0).sum(dim=0)
    shares = counts / len(rows)  # f, sums to k
    means = rows.softmax(dim=-1, dtype=wide).mean(dim=0)  # P, sums to one
    return (num_experts * (shares * means).sum()).to(rows.dtype)


# Checks


def check_experts(
    dropout: object,
    limit: object,
    experts_per_token: object,
    num_experts: object,
) -> None:
    """Check the settings of a mixture of experts."""
    check_asked(experts_per_token, num_experts)
    check_dropout("dropout", dropout)
    if limit is not None:
        check_positive("limit", limit)


def check_balancing(logits: object, experts_per_token: object) -> None:
    """Check the arguments of `load_balancing_loss`."""
    check_float_tensor("logits", logits)
    check_asked(experts_per_token, logits.size(-1))
    if logits.numel() == 0:
        raise ValueError(
            f"logits must hold at least one position, got {tuple(logits.shape)}; "
            "leave no batch without a real token."
        )


def check_asked(experts_per_token: object, num_experts: object) -> None:
    """Check that no more experts are asked than there are."""
    check_size("experts_per_token", experts_per_token)
    if experts_per_token > num_experts:
        raise ValueError(
            "experts_per_token must be at most num_experts, got "
            f"experts_per_token={experts_per_token} and num_experts={num_experts}; "
            "add experts or ask fewer."
        )
