"""A feed-forward layer whose positions see their neighbors through a convolution."""

from math import prod

import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn

from transformer.checks.doors import doors
from transformer.checks.values import check_dropout
from transformer.layers.activations import get_activation
from transformer.layers.masks import check_real
from transformer.layers.projections import start_projections


@doors(init=lambda: check_convolution, forward=lambda: check_convolved)
class ConvFeedForward(nn.Module):
    r"""Expand each position's features, mix neighbors, bend, and project back.

    $$\mathrm{ConvFFN}(X)_t = f\Big(\mathbf{b} + \sum_{j=0}^{k-1}
    \mathbf{c}_j \odot \mathbf{h}_{t+j-\ell}\Big) W_{\mathrm{down}}
    + \mathbf{b}_{\mathrm{down}}, \qquad
    \mathbf{h}_s = \mathbf{x}_s W_{\mathrm{up}} + \mathbf{b}_{\mathrm{up}}$$

    with $\mathbf{h}_s = 0$ outside the sequence. A causal layer looks back only,
    $\ell = k - 1$; the other one looks to both sides, $\ell = (k - 1) / 2$. The
    convolution is depthwise: each feature has a kernel of its own. With kernels of
    size one and value one it is `PositionwiseFeedForward`.

    Source: the order of the steps is that of Xie et al. (2021), section 3.1, where
    the convolution runs over an image; Li et al. (2021) bend before the convolution
    too. On sequences, So et al. (2021) put depthwise convolutions behind the
    projections of attention, and Gulati et al. (2020) into a module of their own. The
    projections start as in `PositionwiseFeedForward`. The kernels are uniform with
    variance $1/k$, which leaves the variance of independent inputs as it is.

    There is no cache: give the layer whole sequences.

    Args:
        d_model: Number of features of the input and the output.
        d_ff: Number of features in between.
        kernel_size: Number of positions $k$ that are mixed; odd if not causal.
        causal: Whether a position sees itself and earlier ones only.
        activation: A name from `ACTIVATIONS`.
        bias: Whether projections and convolution have biases.
        dropout: Probability of dropping an activated feature while training, in
            [0, 1).

    Shape:
        x: (..., time, d_model); mask: (..., time); the result has the shape of x.

    Raises:
        ValueError: If a size is below 1, `kernel_size` even in a layer that is not
            causal, `activation` unknown, `dropout` out of range, or a tensor has the
            wrong shape.
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        *,
        kernel_size: int = 3,
        causal: bool = True,
        activation: str = "relu",
        bias: bool = True,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        back = kernel_size - 1 if causal else kernel_size // 2
        self.padding = (back, kernel_size - 1 - back)
        self.activation = get_activation(activation)
        self.up_projection = nn.Linear(d_model, d_ff, bias=bias)
        self.convolution = nn.Conv2d(
            d_ff, d_ff, (1, kernel_size), groups=d_ff, bias=bias
        )
        self.down_projection = nn.Linear(d_ff, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)
        start_projections(self.up_projection, self.down_projection)
        limit = (3 / kernel_size) ** 0.5  # a uniform variable has variance limit² / 3
        nn.init.uniform_(self.convolution.weight, -limit, limit)
        if bias:
            nn.init.zeros_(self.convolution.bias)

    def forward(
        self,
        x: Float[Tensor, "*batch time d_model"],
        *,
        mask: Bool[Tensor, "*batch time"] | None = None,
    ) -> Float[Tensor, "*batch time d_model"]:
        """Transform each position and its neighbors; True in the mask is a real one.

        Padding counts as lying outside the sequence: real positions get what they
        would get without it.
        """
        hidden = self.up_projection(x)  # (*batch, time, d_ff)
        if mask is not None:
            hidden = hidden.masked_fill(~mask.unsqueeze(-1), 0.0)
        hidden = self.activation(self._mix_neighbors(hidden))
        return self.down_projection(self.dropout(hidden))

    def _mix_neighbors(
        self, hidden: Float[Tensor, "*batch time d_ff"]
    ) -> Float[Tensor, "*batch time d_ff"]:
        """Convolve each feature over time."""
        *batch, time, d_ff = hidden.shape
        rows = hidden.reshape(prod(batch), 1, time, d_ff)
        padded = F.pad(rows, (0, 0, *self.padding))  # zeros before and after in time
        # As an image of one row its features may stay last in memory, uncopied.
        image = padded.permute(0, 3, 1, 2)  # (rows, d_ff, 1, time + kernel_size - 1)
        mixed = self.convolution(image).permute(0, 2, 3, 1)  # (rows, 1, time, d_ff)
        return mixed.reshape(hidden.shape)


# Checks


def check_convolution(dropout: object, kernel_size: int, causal: bool) -> None:
    """Check the settings of a feed-forward layer with a convolution."""
    check_dropout("dropout", dropout)
    if not causal and kernel_size % 2 == 0:
        raise ValueError(
            "kernel_size must be odd unless the layer is causal, got "
            f"{kernel_size}; choose {kernel_size - 1} or {kernel_size + 1}."
        )


def check_convolved(x: Tensor, mask: object) -> None:
    """Check that the mask of a convolution fits `x`."""
    if mask is not None:
        check_real("mask", mask, x.shape[:-1], x.device)
