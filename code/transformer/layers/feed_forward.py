"""Feed-forward layers: two or three linear maps and an activation, at each position."""

from functools import partial

from jaxtyping import Float
from torch import Tensor, nn

from transformer.checks.doors import door, doors, each
from transformer.checks.values import check_dropout, check_size
from transformer.layers.activations import get_activation
from transformer.layers.projections import start_projections


@doors(init=each(dropout=check_dropout))
class PositionwiseFeedForward(nn.Module):
    r"""Expand each position's features, bend them, and project them back.

    $$\mathrm{FFN}(\mathbf{x}) =
    f(\mathbf{x} W_{\mathrm{up}} + \mathbf{b}_{\mathrm{up}})\, W_{\mathrm{down}}
    + \mathbf{b}_{\mathrm{down}}$$

    with the activation $f = \mathrm{ReLU}$ in the paper. Every position goes through
    the same matrices, and none looks at another.

    Source: Vaswani et al. (2017), section 3.3, equation (2). Dropout on the activated
    features is not in the paper; it stands in the authors' released code
    (tensor2tensor, `relu_dropout`). The weights start from the normalized
    initialization of Glorot and Bengio (2010), the biases at zero.

    Args:
        d_model: Number of features of the input and the output.
        d_ff: Number of features in between; four times `d_model` in the paper.
        activation: A name from `ACTIVATIONS`.
        bias: Whether the two projections have biases.
        dropout: Probability of dropping an activated feature while training, in
            [0, 1).
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        *,
        activation: str = "relu",
        bias: bool = True,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.activation = get_activation(activation)
        self.up_projection = nn.Linear(d_model, d_ff, bias=bias)
        self.down_projection = nn.Linear(d_ff, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)
        start_projections(self.up_projection, self.down_projection)

    def forward(
        self, x: Float[Tensor, "*batch time d_model"]
    ) -> Float[Tensor, "*batch time d_model"]:
        """Transform each position by itself."""
        hidden = self.activation(self.up_projection(x))  # (*batch, time, d_ff)
        return self.down_projection(self.dropout(hidden))


@doors(init=each(dropout=check_dropout))
class GatedFeedForward(nn.Module):
    r"""Let one projection of the features open and close the gates of another.

    $$\mathrm{FFN}_f(\mathbf{x}) = \big(f(\mathbf{x} W_{\mathrm{gate}}) \odot
    \mathbf{x} W_{\mathrm{up}}\big)\, W_{\mathrm{down}}$$

    The activation $f$ gives the layer its name: `"sigmoid"` is GLU, `"identity"` the
    bilinear layer, `"relu"` ReGLU, `"gelu"` (or `"gelu_tanh"`) GEGLU and `"silu"`
    SwiGLU. With `bias` each of the three projections adds one, as the gates of
    equation (5) do and the layers of equation (6) do not.

    Source: Shazeer (2020), section 2, equations (5) and (6), after Dauphin et al.
    (2017). Dropout on the gated features stands in the released code of T5 1.1. The
    weights start from the normalized initialization of Glorot and Bengio (2010), the
    biases at zero.

    Args:
        d_model: Number of features of the input and the output.
        d_ff: Number of features in between; `gated_width` gives the one that costs as
            much as an ungated layer.
        activation: A name from `ACTIVATIONS`.
        bias: Whether the three projections have biases.
        dropout: Probability of dropping a gated feature while training, in [0, 1).
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        *,
        activation: str = "silu",
        bias: bool = False,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.activation = get_activation(activation)
        self.gate_projection = nn.Linear(d_model, d_ff, bias=bias)
        self.up_projection = nn.Linear(d_model, d_ff, bias=bias)
        self.down_projection = nn.Linear(d_ff, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)
        start_projections(
            self.gate_projection, self.up_projection, self.down_projection
        )

    def forward(
        self, x: Float[Tensor, "*batch time d_model"]
    ) -> Float[Tensor, "*batch time d_model"]:
        """Transform each position by itself."""
        gate = self.activation(self.gate_projection(x))  # (*batch, time, d_ff)
        return self.down_projection(self.dropout(gate * self.up_projection(x)))


@door(each(d_ff=partial(check_size, minimum=2), multiple_of=check_size))
def gated_width(d_ff: int, *, multiple_of: int = 1) -> int:
    r"""Return the width at which a gated layer costs as much as an ungated one.

    $$d_{\mathrm{gated}} = m \left\lceil \frac{1}{m}
    \left\lfloor \frac{2}{3}\, d_{\mathrm{ff}} \right\rfloor \right\rceil$$

    Three matrices of two thirds of the width hold as many numbers as two of the full
    width.

    Source: Shazeer (2020), section 2, for the two thirds; the released code of
    Llama (Touvron et al., 2023) for rounding down to a whole number, then up to a
    multiple of $m$.

    Args:
        d_ff: Width of the ungated layer, at least 2.
        multiple_of: The number $m$ that must divide the width, at least 1.
    """
    blocks = -(-(2 * d_ff // 3) // multiple_of)  # rounded up
    return blocks * multiple_of
