"""Residual connections: a sublayer adds a change to what it was given."""

from collections.abc import Callable
from functools import partial

from jaxtyping import Float
from torch import Tensor, nn

from transformer.checks.doors import doors, each, handed_in
from transformer.checks.tensors import check_float_tensor
from transformer.checks.values import check_choice, check_dropout


@doors(
    init=each(
        placement=partial(check_choice, choices=("pre", "post")),
        dropout=check_dropout,
    ),
    forward=lambda: check_branch,
    change=lambda: check_branch,
)
class ResidualConnection(nn.Module):
    r"""Add the change that a sublayer proposes, and normalize before or after.

    $$\mathbf{y}_{\mathrm{post}} = \mathrm{Norm}\big(\mathbf{x} +
    \mathrm{Dropout}(F(\mathbf{x}))\big), \qquad
    \mathbf{y}_{\mathrm{pre}} = \mathbf{x} +
    \mathrm{Dropout}\big(F(\mathrm{Norm}(\mathbf{x}))\big)$$

    Source: He et al. (2016), section 3.2, equation (1), for the sum; Vaswani et al.
    (2017), sections 3.1 and 5.4, for the norm after it and for dropout on the
    sublayer's output; Xiong et al. (2020) for the comparison with the norm before
    the sublayer.

    Args:
        norm: The module that normalizes, such as `LayerNorm(d_model)`.
        placement: `"post"` to normalize the sum, `"pre"` the sublayer's input.
        dropout: Probability of dropping a value of the change while training, in
            [0, 1).
    """

    def __init__(
        self, norm: nn.Module, *, placement: str, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.norm = norm
        self.placement = placement
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, x: Float[Tensor, "*shape"], sublayer: Callable[[Tensor], Tensor]
    ) -> Float[Tensor, "*shape"]:
        """Return `x` changed by the sublayer, and normalized if the norm comes last."""
        total = x + self.change(x, sublayer)
        return self.norm(total) if self.placement == "post" else total

    def change(
        self, x: Float[Tensor, "*shape"], sublayer: Callable[[Tensor], Tensor]
    ) -> Float[Tensor, "*shape"]:
        r"""Return what the sublayer would add to `x`.

        Layers that run side by side add their changes to one and the same `x`.

        Args:
            x: The input of the connection.
            sublayer: A function from a tensor to one of the same shape.

        Returns:
            $\mathrm{Dropout}(F(\mathbf{x}))$ for a post-norm connection,
            $\mathrm{Dropout}(F(\mathrm{Norm}(\mathbf{x})))$ for a pre-norm one.
        """
        change = sublayer(self.norm(x) if self.placement == "pre" else x)
        return self.dropout(change)

    def extra_repr(self) -> str:
        """Name the settings when the module is printed."""
        return f"placement={self.placement!r}"


class NoBranch(nn.Module):
    r"""Leave $\mathbf{x}$ as it is, where a layer has no such sublayer.

    $$\mathbf{y} = \mathbf{x}$$

    Source: ours; Dao and Gu (2024), section 7.1, where a layer has one branch.
    """

    def forward(
        self, x: Float[Tensor, "*shape"], sublayer: Callable[[Tensor], Tensor]
    ) -> Float[Tensor, "*shape"]:
        """Return `x`; the sublayer is not asked."""
        return x


# Checks


def check_branch(x: object, sublayer: Callable) -> dict[str, Callable]:
    """Check the input, and have what the sublayer returns checked as well."""
    check_float_tensor("x", x)
    work = handed_in(sublayer)

    def checked(x: Tensor) -> Tensor:
        change = work(x)
        _check_change(change, x)
        return change

    return {"sublayer": checked}


def _check_change(change: object, x: Tensor) -> None:
    """Check that a change can be added to `x` number by number."""
    if change.shape != x.shape:
        raise ValueError(
            f"sublayer must return the shape of x, got {tuple(change.shape)} for "
            f"{tuple(x.shape)}; project back to d_model features."
        )
