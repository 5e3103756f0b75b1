"""Attention: weighted means of values, with weights from queries and keys."""

from functools import partial
from typing import NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor

from transformer.checks.doors import door
from transformer.checks.tensors import (
    broadcasts,
    can_read,
    check_boolean,
    check_float_tensor,
    is_transformed,
)
from transformer.checks.values import check_divisible, check_dropout, check_positive


class AttentionOutput(NamedTuple):
    """What attention returns: the mixed values, and the weights if asked for."""

    values: Float[Tensor, "*batch target d_value"]
    weights: Float[Tensor, "*batch target source"] | None


@door(lambda: check_attention)
def scaled_dot_product_attention(
    query: Float[Tensor, "*batch target d_head"],
    key: Float[Tensor, "*batch source d_head"],
    value: Float[Tensor, "*batch source d_value"],
    *,
    mask: Bool[Tensor, "..."] | None = None,
    bias: Float[Tensor, "..."] | None = None,
    scale: float | None = None,
    dropout: float = 0.0,
    need_weights: bool = False,
) -> AttentionOutput:
    r"""Mix the values by how well their keys match each query.

    $$\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\!\left(
    \frac{Q K^\top}{\sqrt{d_{\mathrm{head}}}} + B\right) V$$

    Source: Vaswani et al. (2017), section 3.2.1, equation (1); the bias $B$ as in
    Raffel et al. (2020), section 2.1. Where the mask is False the score is
    $-\infty$. A query that may attend to nothing gets weights and values of zero,
    where the bare formula would give NaN.

    Args:
        query: One row for each position that asks.
        key: One row for each position that is looked at.
        value: One row for each key.
        mask: True where a query (row) may attend to a key (column); broadcasts to
            (*batch, target, source).
        bias: Finite numbers added to the scores; broadcasts like the mask.
        scale: Factor on the scores; the inverse root of `d_head` when not given.
        dropout: Probability of dropping a weight, applied whenever it is above 0.
        need_weights: Whether to compute by the formula and return the weights;
            if not, PyTorch's fused kernel computes the same values.

    Returns:
        Values of shape (*batch, target, d_value); weights of shape
        (*batch, target, source) before dropout, or None.
    """
    scale = query.size(-1) ** -0.5 if scale is None else scale
    if not need_weights:
        values = fused_attention(query, key, value, mask, bias, scale, dropout)
        return AttentionOutput(values, None)
    scores = (query * scale) @ key.transpose(-2, -1)  # (*batch, target, source)
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        sees_any = mask.any(dim=-1, keepdim=True)
        scores = scores.masked_fill(~mask & sees_any, -torch.inf)
    weights = scores.softmax(dim=-1)  # each row sums to one
    if mask is not None:
        weights = weights.masked_fill(~sees_any, 0.0)  # or to zero
    return AttentionOutput(F.dropout(weights, dropout) @ value, weights)


def fused_attention(
    query: Float[Tensor, "*batch target d_head"],
    key: Float[Tensor, "*kv_batch source d_head"],
    value: Float[Tensor, "*kv_batch source d_value"],
    mask: Bool[Tensor, "..."] | None,
    bias: Float[Tensor, "..."] | None,
    scale: float,
    dropout: float,
    *,
    is_causal: bool = False,
) -> Float[Tensor, "*batch target d_value"]:
    r"""Compute the values of attention with PyTorch's fused kernel.

    The equation and the arguments are those of `scaled_dot_product_attention`; the
    $m \times n$ weights need not be stored. Keys and values may have fewer heads than
    the queries, on the axis before the positions: the kernel shares them as
    `share_heads` does, without a copy. With `is_causal`, as many keys as queries and
    neither mask nor bias, no query sees a later key, and no mask is made: the kernel
    leaves out what lies in the future. A bias that learns is hidden from the kernel by
    `torch.func` and by `torch.export`: beside one, they get the formula.

    Source: Dao et al. (2022) for computing attention tile by tile; the kernel is
    `torch.nn.functional.scaled_dot_product_attention`.
    """
    grouped = query.shape[:-2] != key.shape[:-2]
    if bias is not None and _is_hidden(bias):
        if grouped:
            key, value = (share_heads(x, query.size(1)) for x in (key, value))
        options = {"mask": mask, "bias": bias, "scale": scale, "dropout": dropout}
        formula = scaled_dot_product_attention
        return formula(query, key, value, need_weights=True, **options).values
    attend = partial(
        F.scaled_dot_product_attention,
        scale=scale,
        dropout_p=dropout,
        enable_gqa=grouped,
    )  # it takes one mask or bias, of rank two or more
    if bias is not None:
        bias = torch.atleast_2d(bias)
    if mask is None:
        return attend(query, key, value, attn_mask=bias, is_causal=is_causal)
    # A row without any key is computed as if it saw all, then set to zero: what a
    # kernel makes of such a row, and of its gradient, differs between kernels.
    mask = torch.atleast_2d(mask)
    sees_any = mask.any(dim=-1, keepdim=True)
    # On a CPU, testing for such a row is cheaper than providing for it.
    all_see = mask.is_cpu and can_read(mask) and bool(sees_any.all())
    allowed = mask if all_see else mask | ~sees_any
    if bias is not None:
        allowed = bias.masked_fill(~allowed, -torch.inf)
    values = attend(query, key, value, attn_mask=allowed)
    return values if all_see else values.masked_fill(~sees_any, 0.0)


def _is_hidden(bias: Tensor) -> bool:
    """Return whether the kernel would not see, or not carry on, that a bias learns."""
    if torch.compiler.is_exporting():
        return bias.requires_grad
    return is_transformed(bias)


@door(lambda: check_split)
def split_heads(
    x: Float[Tensor, "batch time features"], num_heads: int
) -> Float[Tensor, "batch heads time d_head"]:
    r"""Cut the features into heads.

    $$H_{b,i,t,j} = x_{b,t,\,i\,d_{\mathrm{head}} + j}$$

    Head $i$ takes the $i$-th block of features, so that one matrix product serves
    all the $W_i$ of Vaswani et al. (2017), section 3.2.2.

    Args:
        x: Projected features, one row for each position.
        num_heads: Number of heads; divides the number of features.

    Returns:
        A view of shape (batch, heads, time, d_head).

    Raises:
        ValueError: If the number of heads does not divide the number of features.
    """
    d_head = x.size(-1) // num_heads
    return x.view(*x.shape[:2], num_heads, d_head).transpose(1, 2)


@door(lambda: check_shared)
def share_heads(
    x: Float[Tensor, "batch kv_heads time d_head"], num_heads: int
) -> Float[Tensor, "batch heads time d_head"]:
    r"""Give each group of query heads its key or value head.

    $$H_{b,i,t,j} = x_{b,\,g(i),\,t,j}, \qquad
    g(i) = \lfloor i\, h_{\mathrm{kv}} / h \rfloor$$

    Source: Ainslie et al. (2023), section 2.2.

    Args:
        x: Keys or values.
        num_heads: Number of query heads; a multiple of the number of heads of `x`.

    Returns:
        `x` itself if there are as many, otherwise a copy with repeated heads.

    Raises:
        ValueError: If the number of heads of `x` does not divide `num_heads`.
    """
    group = num_heads // x.size(1)
    return x if group == 1 else x.repeat_interleave(group, dim=1)


# Checks


def check_attention(
    query: object,
    key: object,
    value: object,
    mask: object | None,
    bias: object | None,
    scale: object | None,
    dropout: object,
) -> None:
    """Check the arguments of `scaled_dot_product_attention`."""
    for name, tensor in (("query", query), ("key", key), ("value", value)):
        check_float_tensor(name, tensor)
    check_shapes(query, key, value)
    scores = (*query.shape[:-1], key.size(-2))
    if mask is not None:
        _check_boolean(mask)
        check_broadcast("mask", mask, scores)
    if bias is not None:
        check_float_tensor("bias", bias)
        check_broadcast("bias", bias, scores)
        check_finite_bias(bias)
    check_dropout("dropout", dropout)
    if scale is not None:
        check_positive("scale", scale)


def check_shapes(query: Tensor, key: Tensor, value: Tensor) -> None:
    """Check that sizes fit together."""
    if not query.shape[:-2] == key.shape[:-2] == value.shape[:-2]:
        raise ValueError(
            "query, key and value must share their leading axes, got "
            f"{tuple(query.shape)}, {tuple(key.shape)} and {tuple(value.shape)}; "
            "expand the smaller one."
        )
    if key.size(-2) != value.size(-2):
        raise ValueError(
            "key and value must have the same number of source positions, got "
            f"{key.size(-2)} and {value.size(-2)}; pass them from the same sequence."
        )
    if key.size(-2) == 0 or query.size(-1) == 0:
        raise ValueError(
            "key must hold at least one position with at least one feature, got "
            f"shape {tuple(key.shape)}; pass a longer sequence."
        )


def _check_boolean(mask: object) -> None:
    """Check that a mask says True or False, and no numbers."""
    remedy = "write for example tokens != pad_id, and pass numbers as bias"
    check_boolean("mask", mask, means="may attend", remedy=remedy)


def check_broadcast(name: str, x: Tensor, shape: tuple[int, ...]) -> None:
    """Check that a tensor broadcasts to `shape` as it stands."""
    if not broadcasts(x.shape, shape):
        raise ValueError(
            f"{name} must broadcast to the scores of shape {tuple(shape)}, got "
            f"{tuple(x.shape)}; rows are queries, columns are keys."
        )


def check_finite_bias(bias: Tensor) -> None:
    """Check that a bias holds finite numbers.

    The graph is left alone: what recomputes a layer counts what was kept for it.
    """
    bias = bias.detach()
    if not can_read(bias) or bool(bias.sum().isfinite()):
        return  # a sum is finite only if its terms are, and is found much faster
    if not bool(bias.isfinite().all()):
        raise ValueError(
            "bias must be finite, got infinite numbers or NaN; to forbid a key, pass a "
            "mask that is False there."
        )


def check_split(x: Tensor, num_heads: int) -> None:
    """Check that features can be cut into heads."""
    check_divisible("features", x.size(-1), "num_heads", num_heads)


def check_shared(x: Tensor, num_heads: int) -> None:
    """Check that each head can have one of `x`."""
    check_divisible("num_heads", num_heads, "num_kv_heads", x.size(1))


def check_sequences(**sequences: Tensor) -> None:
    """Check that sequences have the axes (batch, time, d_model) and one batch size."""
    for name, x in sequences.items():
        if x.dim() != 3:
            raise ValueError(
                f"{name} must have shape (batch, time, d_model), got {tuple(x.shape)}; "
                "add a missing batch axis with .unsqueeze(0)."
            )
    sizes = {x.size(0) for x in sequences.values()}
    if len(sizes) > 1:
        found = ", ".join(f"{x.size(0)} of {name}" for name, x in sequences.items())
        raise ValueError(
            f"all sequences must have one batch size, got {found}; expand the smaller."
        )


def check_allowed(mask: object | None, bias: object | None) -> None:
    """Check that a mask is Boolean and a bias finite, and what their axes mean."""
    for name, given in (("mask", mask), ("bias", bias)):
        if isinstance(given, Tensor) and given.dim() not in (2, 4):
            raise ValueError(
                f"{name} must have the axes (target, source) or (batch, heads, target, "
                f"source), got shape {tuple(given.shape)}; for one mask a sequence "
                "write mask[:, None]."
            )
    if mask is not None:
        _check_boolean(mask)
    if bias is not None:
        check_finite_bias(bias)
