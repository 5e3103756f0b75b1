"""Norms inside the branches: of queries and keys, and of what a branch adds."""

from collections.abc import Callable

from jaxtyping import Float
from torch import Tensor, nn

from transformer.checks.doors import doors, each
from transformer.checks.values import check_dropout
from transformer.layers.residual import ResidualConnection, check_branch


class NormedProjection(nn.Module):
    r"""Project, then normalize the features of each head.

    $$\mathbf{q}_i = \mathrm{Norm}(W_i\, \mathbf{x})$$

    for each head $i$, all with one gain. It takes the place of a query or a key
    projection, before the rotation: a score can then be no larger than the gains allow.

    Source: Henry et al. (2020), who divide by the length; Dehghani et al. (2023),
    section 2, with a layer norm; with RMSNorm: Yang et al. (2025, "Qwen3"), section 2.

    Args:
        linear: The projection, such as `nn.Linear(d_model, num_heads * d_head)`.
        norm: The norm of a head, such as `RMSNorm(d_head)`.
        d_head: Number of features of a head.

    Shape:
        x: (batch, time, d_model); the result: (batch, time, num_heads * d_head).
    """

    def __init__(self, linear: nn.Module, norm: nn.Module, *, d_head: int) -> None:
        super().__init__()
        self.linear, self.norm, self.d_head = linear, norm, d_head

    def forward(
        self, x: Float[Tensor, "batch time d_model"]
    ) -> Float[Tensor, "batch time features"]:
        """Project each vector, and normalize its heads."""
        heads = self.linear(x).unflatten(-1, (-1, self.d_head))
        return self.norm(heads).flatten(start_dim=-2)


@doors(init=each(dropout=check_dropout), change=lambda: check_branch)
class SandwichConnection(ResidualConnection):
    r"""Add what a sublayer proposes, normalized before it and after it.

    $$\mathbf{y} = \mathbf{x} + \mathrm{Dropout}\big(\mathrm{Norm}_2(
    F(\mathrm{Norm}_1(\mathbf{x})))\big)$$

    No branch can then add more than the second gain allows.

    Source: Ding et al. (2021), section 2.4, "Sandwich LayerNorm"; in a language model:
    Gemma Team (2024), section 2.

    Args:
        norm: The norm of the input.
        norm_after: The norm of what the sublayer returns.
        dropout: As for `ResidualConnection`.
    """

    def __init__(
        self, norm: nn.Module, norm_after: nn.Module, *, dropout: float = 0.0
    ) -> None:
        super().__init__(norm, placement="pre", dropout=dropout)
        self.norm_after = norm_after

    def change(
        self, x: Float[Tensor, "*shape"], sublayer: Callable[[Tensor], Tensor]
    ) -> Float[Tensor, "*shape"]:
        """Return what the sublayer would add to `x`, normalized."""
        return self.dropout(self.norm_after(sublayer(self.norm(x))))
