"""Position information that is added to the input of the first layer."""

from functools import partial

import torch
from jaxtyping import Float
from torch import Tensor, nn

from transformer.checks.doors import door, doors, each
from transformer.checks.tensors import check_features
from transformer.checks.values import (
    check_dropout,
    check_even,
    check_positive,
    check_size,
)


@door(each(d_model=check_even, base=partial(check_positive, above=1.0)))
def sinusoidal_frequencies(
    d_model: int, *, base: float = 10_000.0
) -> Float[Tensor, " pairs"]:
    r"""Return the angular frequency of each pair of features, fastest first.

    $$\omega_i = b^{-2i/d_{\mathrm{model}}}, \qquad
    i = 0, \dots, d_{\mathrm{model}}/2 - 1$$

    Source: Vaswani et al. (2017), section 3.5, with base $b = 10000$.

    Args:
        d_model: Number of features, even: each frequency takes two of them.
        base: The number $b$ whose powers divide the positions, above 1.

    Returns:
        Frequencies in radians per position, float64, shape (d_model / 2,).
    """
    pair = torch.arange(d_model // 2, dtype=torch.float64)
    return float(base) ** (-2 * pair / d_model)


@door(
    each(
        length=check_size,
        d_model=check_even,
        base=partial(check_positive, above=1.0),
    )
)
def sinusoidal_table(
    length: int, d_model: int, *, base: float = 10_000.0
) -> Float[Tensor, "length d_model"]:
    r"""Return the sinusoidal encodings of the positions 0 to `length` - 1.

    $$\mathrm{PE}_{t,2i} = \sin(\omega_i t), \qquad
    \mathrm{PE}_{t,2i+1} = \cos(\omega_i t)$$

    Source: Vaswani et al. (2017), section 3.5.

    Args:
        length: Number of positions, at least 1.
        d_model: Number of features, even.
        base: See `sinusoidal_frequencies`.

    Returns:
        One row for each position, float64, shape (length, d_model).
    """
    position = torch.arange(length, dtype=torch.float64)
    angles = torch.outer(position, sinusoidal_frequencies(d_model, base=base))
    pairs = torch.stack((angles.sin(), angles.cos()), dim=-1)  # (length, pairs, 2)
    return pairs.flatten(start_dim=1)  # (length, d_model)


@doors(
    init=each(max_len=check_size, dropout=check_dropout, d_model=check_even),
    forward=lambda: check_encoded,
)
class PositionalEncoding(nn.Module):
    r"""Add the sinusoidal encoding of its position to each vector.

    $$\mathbf{y}_t = \mathrm{Dropout}(\mathbf{x}_t + \mathrm{PE}_t)$$

    Source: Vaswani et al. (2017), section 3.5; dropout on the sum: section 5.4.
    The table is computed in float64 and then rounded once to the dtype of the module:
    computed in a narrower type, large positions lose their fast frequencies. It is no
    parameter and is not saved, but computed again wherever the module is moved to.

    Args:
        d_model: Number of features, even.
        max_len: Number of positions the table holds.
        dropout: Probability of dropping a value of the sum, in [0, 1).

    Raises:
        ValueError: If `d_model` is odd, a size or probability out of range, `x` of
            the wrong shape, or a position not below `max_len`.
    """

    def __init__(
        self, d_model: int, *, max_len: int = 5000, dropout: float = 0.0
    ) -> None:
        super().__init__()
        table = sinusoidal_table(max_len, d_model).to(torch.get_default_dtype())
        self.max_len = max_len
        self.register_buffer("table", table, persistent=False)
        self.dropout = nn.Dropout(dropout)

    def _apply(self, *args, **kwargs) -> "PositionalEncoding":
        """Compute the table anew where PyTorch has moved, cast or emptied it."""
        super()._apply(*args, **kwargs)
        exact = sinusoidal_table(*self.table.shape)  # a cast of a cast is rounded twice
        self.table = exact.to(self.table)
        return self

    def forward(
        self, x: Float[Tensor, "*batch time d_model"], *, start: int = 0
    ) -> Float[Tensor, "*batch time d_model"]:
        """Encode `x` as the positions `start`, `start + 1`, and so on."""
        rows = self.table[start : start + x.size(-2)].to(x.dtype)  # (time, d_model)
        return self.dropout(x + rows)


@doors(init=each(d_model=check_size, max_len=check_size), forward=lambda: check_placed)
class LearnedPositionalEmbedding(nn.Module):
    r"""Add a learned vector of its position to each vector.

    $$\mathbf{y}_t = \mathbf{x}_t + P_t, \qquad
    P \in \mathbb{R}^{\mathtt{max\_len} \times d_{\mathrm{model}}}$$

    Source: Gehring et al. (2017), section 3.1. The entries start from
    $\mathcal{N}(0, 0.02^2)$; BERT (Devlin et al., 2019, released code) cuts the
    tails of the same distribution off.

    Args:
        d_model: Number of features, at least 1.
        max_len: Number of positions that can be told apart.

    Raises:
        ValueError: If a size is below 1, `x` has the wrong shape, or a position is
            not below `max_len`.
    """

    def __init__(self, d_model: int, *, max_len: int) -> None:
        super().__init__()
        self.max_len = max_len
        self.embedding = nn.Embedding(max_len, d_model)
        nn.init.normal_(self.embedding.weight, std=0.02)

    def forward(
        self, x: Float[Tensor, "*batch time d_model"], *, start: int = 0
    ) -> Float[Tensor, "*batch time d_model"]:
        """Add the rows `start`, `start + 1`, and so on."""
        return x + self.embedding.weight[start : start + x.size(-2)]


# Checks


def check_encoded(encoding: nn.Module, x: object, start: object) -> None:
    """Check that a table has the rows to add to `x`."""
    check_features("x", x, encoding.table.size(-1))
    check_span(start, x.size(-2), encoding.table.size(0))


def check_placed(positions: nn.Module, x: object, start: object) -> None:
    """Check that a learned table has the rows to add to `x`."""
    weight = positions.embedding.weight
    check_features("x", x, weight.size(1))
    check_span(start, x.size(-2), weight.size(0))


def check_span(start: object, length: int, max_len: int) -> None:
    """Check that `length` positions from `start` on fit into `max_len`."""
    check_size("start", start, minimum=0)
    if start + length > max_len:
        raise ValueError(
            f"positions must stay below max_len={max_len}, got {length} positions from "
            f"{start} on; shorten the sequence or enlarge max_len."
        )
