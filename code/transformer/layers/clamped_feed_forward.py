"""A gated feed-forward layer that cannot explode: gates and features are clamped."""

from typing import Any

from jaxtyping import Float
from torch import Tensor

from transformer.checks.doors import doors, each
from transformer.checks.values import check_positive
from transformer.layers.feed_forward import GatedFeedForward


@doors(init=each(limit=check_positive))
class ClampedFeedForward(GatedFeedForward):
    r"""Let clamped gates act on clamped features, to which one is added.

    $$\mathrm{FFN}(\mathbf{x}) = \big(f(\min(\mathbf{g}, c)) \odot
    (1 + \mathrm{clip}(\mathbf{u}, -c, c))\big)\, W_{\mathrm{down}}, \qquad
    \mathbf{g} = \mathbf{x} W_{\mathrm{gate}}, \quad
    \mathbf{u} = \mathbf{x} W_{\mathrm{up}}$$

    with the activation $f(x) = x\,\sigma(1.702\,x)$ in the paper. One is added, so that
    a gate passes on something where the features say nothing.

    Source: OpenAI (2025), model card of gpt-oss, section 2, which names the clamping
    and a residual connection; the formula and the constants stand in their released
    code.

    Args:
        d_model: Number of features of the input and the output.
        d_ff: Number of features in between.
        limit: Where both are clamped, $c$; 7 in the paper.
        activation: A name from `ACTIVATIONS`.
        bias: Whether the three projections have biases.
        dropout: As for `GatedFeedForward`.
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        *,
        limit: float,
        activation: str = "gelu_sigmoid",
        bias: bool = True,
        dropout: float = 0.0,
    ) -> None:
        options = {"activation": activation, "bias": bias, "dropout": dropout}
        super().__init__(d_model, d_ff, **options)
        self.limit = limit

    def forward(
        self, x: Float[Tensor, "*batch time d_model"]
    ) -> Float[Tensor, "*batch time d_model"]:
        """Transform each position by itself."""
        gate = self.gate_projection(x).clamp(max=self.limit)  # (*batch, time, d_ff)
        up = self.up_projection(x).clamp(-self.limit, self.limit)
        hidden = self.activation(gate) * (1 + up)
        return self.down_projection(self.dropout(hidden))

    def extra_repr(self) -> str:
        """Name the settings when the module is printed."""
        return f"limit={self.limit}"


def gated_network(
    d_model: int, d_ff: int, *, limit: float | None = None, **options: Any
) -> GatedFeedForward:
    """Return a gated layer, clamped if there is a limit."""
    if limit is None:
        return GatedFeedForward(d_model, d_ff, **options)
    return ClampedFeedForward(d_model, d_ff, limit=limit, **options)
