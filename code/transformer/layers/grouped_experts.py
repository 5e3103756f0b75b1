"""Experts in groups: a router of sigmoids, and experts that every position asks."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from transformer.checks.doors import doors
from transformer.checks.values import check_divisible, check_positive, check_size
from transformer.layers.clamped_feed_forward import gated_network
from transformer.layers.mixture_of_experts import (
    MixtureOfExperts,
    Routing,
    check_experts,
)

LEAST = 1e-20  # what is added to a sum that may underflow
LEADERS = 2  # experts of a group that speak for it


@doors(init=lambda: check_grouped)
class GroupedExperts(MixtureOfExperts):
    r"""Choose groups of experts, then experts of these; some are asked by everyone.

    $$\mathrm{MoE}(\mathbf{x}) = \mathrm{FFN}_{\mathrm{shared}}(\mathbf{x}) +
    \sum_{i \in T} g_i\, \mathrm{FFN}_i(\mathbf{x}), \qquad
    g_i = \frac{r\, s_i}{\sum_{j \in T} s_j}, \qquad
    \mathbf{s} = \sigma(\mathbf{x} W_{\mathrm{router}})$$

    where $T$ holds the $k$ experts with the largest $s_i + b_i$ in the chosen groups,
    which are those with the largest sums of their two best. The numbers $\mathbf{b}$
    act on the choice and not on the shares, so they get no gradient: whoever trains
    raises $b_i$ a little when expert $i$ has too little to do, and lowers it when the
    expert has too much.

    Source: DeepSeek-AI (2024, "DeepSeek-V3"), section 2.1.2, equations (12) to (16).
    There a group is a node of machines, and speaks by as many experts as each chosen
    group gives on average; that is two, and always two in the released code. The factor
    $r$ stands in the released code alone.

    Args:
        d_model: Number of features of the input and the output.
        d_ff: Number of features in between, of each expert.
        num_experts: How many experts there are, beside those asked by everyone.
        experts_per_token: How many of them a position asks, $k$.
        num_groups: How many groups they form; divides `num_experts`.
        groups_per_token: Whose experts a position may ask.
        shared_experts: How many experts every position asks; together they are one
            network of their widths.
        normalize: Whether shares have the sum $r$; if not, $g_i = r\, s_i$.
        scale: Factor $r$ on the sum of the experts that were chosen.
        router_bias: As for `MixtureOfExperts`.
        activation: As for `MixtureOfExperts`.
        bias: As for `MixtureOfExperts`.
        limit: As for `MixtureOfExperts`.
        dropout: As for `MixtureOfExperts`.

    Raises:
        ValueError: As for `MixtureOfExperts`, and if groups are not equally large, are
            of one expert, or have not so many experts as are asked.
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        *,
        num_experts: int,
        experts_per_token: int = 2,
        num_groups: int = 1,
        groups_per_token: int = 1,
        shared_experts: int = 0,
        normalize: bool = True,
        scale: float = 1.0,
        router_bias: bool = False,
        activation: str = "silu",
        bias: bool = False,
        limit: float | None = None,
        dropout: float = 0.0,
    ) -> None:
        network = {"activation": activation, "bias": bias, "limit": limit}
        network["dropout"] = dropout
        super().__init__(
            d_model,
            d_ff,
            num_experts=num_experts,
            experts_per_token=experts_per_token,
            router_bias=router_bias,
            **network,
        )
        self.num_groups, self.groups_per_token = num_groups, groups_per_token
        self.normalize, self.scale = normalize, scale
        self.choice_bias = nn.Parameter(torch.zeros(num_experts), requires_grad=False)
        self.shared = None
        if shared_experts:
            self.shared = gated_network(d_model, shared_experts * d_ff, **network)

    def forward(
        self, x: Float[Tensor, "*batch time d_model"]
    ) -> Float[Tensor, "*batch time d_model"]:
        """Transform each position by its experts, and by those that all ask."""
        mixed = super().forward(x)
        return mixed if self.shared is None else mixed + self.shared(x)

    def route(self, x: Float[Tensor, "*batch time d_model"]) -> Routing:
        """Choose the experts of each position."""
        logits = self.router(x)  # (*batch, time, experts)
        scores = logits.sigmoid()
        groups = (scores + self.choice_bias).unflatten(-1, (self.num_groups, -1))
        if self.groups_per_token < self.num_groups:
            leading = groups.topk(LEADERS, dim=-1).values.sum(dim=-1)
            chosen = leading.topk(self.groups_per_token, dim=-1).indices
            left_out = torch.ones_like(leading, dtype=torch.bool)
            left_out = left_out.scatter(-1, chosen, False)  # (*batch, time, groups)
            groups = groups.masked_fill(left_out[..., None], -torch.inf)
        experts = groups.flatten(-2).topk(self.experts_per_token, dim=-1).indices
        weights = scores.gather(-1, experts)
        if self.normalize:
            weights = weights / (weights.sum(dim=-1, keepdim=True) + LEAST)
        return Routing(self.scale * weights, experts, logits)

    def extra_repr(self) -> str:
        """Name the settings when the module is printed."""
        return (
            f"num_groups={self.num_groups}, groups_per_token={self.groups_per_token}, "
            f"normalize={self.normalize}, scale={self.scale}"
        )


# Checks


def check_grouped(
    num_experts: object,
    experts_per_token: object,
    num_groups: object,
    groups_per_token: object,
    shared_experts: object,
    scale: object,
    limit: object,
    dropout: object,
) -> None:
    """Check the settings of experts in groups."""
    check_experts(dropout, limit, experts_per_token, num_experts)
    check_groups(num_experts, experts_per_token, num_groups, groups_per_token)
    check_size("shared_experts", shared_experts, minimum=0)
    check_positive("scale", scale)


def check_groups(
    num_experts: object,
    experts_per_token: object,
    num_groups: object,
    groups_per_token: object,
) -> None:
    """Check that groups are equally large, and have enough experts together."""
    check_size("groups_per_token", groups_per_token)
    check_divisible("num_experts", num_experts, "num_groups", num_groups)
    size = num_experts // num_groups
    if groups_per_token > num_groups:
        raise ValueError(
            f"groups_per_token must be at most num_groups={num_groups}, got "
            f"{groups_per_token}; make more groups, or ask fewer."
        )
    if groups_per_token < num_groups and size < LEADERS:
        raise ValueError(
            f"a group must have {LEADERS} experts at least, which speak for it, got "
            f"num_experts={num_experts} and num_groups={num_groups}; make fewer groups."
        )
    if experts_per_token > groups_per_token * size:
        raise ValueError(
            f"a position must find experts_per_token={experts_per_token} experts in "
            f"its groups, got {groups_per_token} of {size}; ask more groups."
        )
