"""Masks: who may attend to whom. True means *may attend*, everywhere."""

import torch
from jaxtyping import Bool, Integer
from torch import Tensor

from transformer.checks.doors import door
from transformer.checks.masks import check_causal, check_padding


@door(check_causal)
def causal_mask(
    target: int,
    source: int | None = None,
    *,
    device: torch.device | str | None = None,
) -> Bool[Tensor, "target source"]:
    r"""Let each position attend to itself and to earlier positions.

    $$M_{ts} = \big[\, s \le t + (n - m) \,\big]$$

    with $m$ queries and $n$ keys: the last query sees every key, which is what a
    decoder with $n - m$ cached positions needs.

    Source: Vaswani et al. (2017), section 3.2.3.

    Args:
        target: Number of queries $m$, at least 1.
        source: Number of keys $n$, at least $m$; $m$ when not given.
        device: Where to make the mask.

    Returns:
        Boolean mask, shape (target, source), rows = queries, columns = keys.

    Raises:
        TypeError: If a size is not an int.
        ValueError: If a size is below 1, or `source` below `target`.
    """
    source = target if source is None else source
    full = torch.ones(target, source, dtype=torch.bool, device=device)
    return full.tril(diagonal=source - target)


@door(check_padding)
def padding_mask(
    tokens: Integer[Tensor, "batch source"], pad_id: int
) -> Bool[Tensor, "batch 1 1 source"]:
    r"""Let every position attend to real tokens and to no padding.

    $$M_{b,1,1,s} = \big[\, \mathrm{id}_{b,s} \ne \mathrm{pad} \,\big]$$

    The two axes of size one broadcast over heads and queries, so that
    `causal_mask(time) & padding_mask(tokens, pad_id)` is the mask of a decoder.

    Source: ours; Vaswani et al. (2017) do not spell padding out.

    Args:
        tokens: Integer ids of the source, padded to one length.
        pad_id: The id that marks padding.

    Returns:
        Boolean mask, shape (batch, 1, 1, source).

    Raises:
        TypeError: If `tokens` are not integers or `pad_id` is not an int.
        ValueError: If `tokens` has another rank than two or `pad_id` is too large.
    """
    return (tokens.long() != pad_id)[:, None, None, :]  # (batch, 1, 1, source)
