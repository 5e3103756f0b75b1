"""Masks: who may attend to whom. True means *may attend*, everywhere."""

import torch
from jaxtyping import Bool, Integer
from torch import Tensor

from transformer.checks.doors import door
from transformer.checks.tensors import check_boolean, check_tokens
from transformer.checks.values import check_size


@door(lambda: check_causal)
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
        ValueError: If a size is below 1, or `source` below `target`.
    """
    source = target if source is None else source
    full = torch.ones(target, source, dtype=torch.bool, device=device)
    return full.tril(diagonal=source - target)


@door(lambda: check_window)
def window_mask(
    target: int,
    source: int | None = None,
    *,
    window: int,
    sink_tokens: int = 0,
    device: torch.device | str | None = None,
) -> Bool[Tensor, "target source"]:
    r"""Let each position attend to itself, to a few before it, and to the first ones.

    $$M_{ts} = \big[\, t' - w < s \le t' \,\big] \lor \big[\, s < k,\; s \le t' \,\big],
    \qquad t' = t + (n - m)$$

    with $m$ queries, $n$ keys, a window of $w$ positions and $k$ first tokens that stay
    in sight. A window counts the position itself, so each layer reaches $w - 1$
    positions back, and $L$ of them $L(w - 1)$.

    Source: Beltagy et al. (2020), section 3.1, there to both sides; looking back only:
    Jiang et al. (2023, "Mistral 7B"), section 2, whose text counts one position more
    than the models that load their weights; first tokens: Xiao et al. (2024), section
    3.2.

    Args:
        target: Number of queries $m$, at least 1.
        source: Number of keys $n$, at least $m$; $m$ when not given.
        window: Number of positions $w$ that a query sees, itself counted.
        sink_tokens: Number of first tokens $k$ that all later queries see.
        device: Where to make the mask.

    Returns:
        Boolean mask, shape (target, source), rows = queries, columns = keys.

    Raises:
        ValueError: If a size is too small, or `source` below `target`.
    """
    causal = causal_mask(target, source, device=device)
    first = causal.size(1) - target - window + 1  # that the first query sees
    near = causal.triu(diagonal=first)
    near[:, :sink_tokens] = causal[:, :sink_tokens]
    return near


@door(lambda: check_padding)
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
    """
    return (tokens.long() != pad_id)[:, None, None, :]  # (batch, 1, 1, source)


# Checks


def check_causal(target: object, source: object) -> None:
    """Check the arguments of `causal_mask`."""
    source = target if source is None else source
    check_size("target", target)
    check_size("source", source)
    if source < target:
        raise ValueError(
            f"source must be at least target, got source={source} and "
            f"target={target}; the first queries would see nothing."
        )


def check_window(
    target: object, source: object, window: object, sink_tokens: object
) -> None:
    """Check the arguments of `window_mask`."""
    check_causal(target, source)
    check_size("window", window)
    check_size("sink_tokens", sink_tokens, minimum=0)


def check_padding(tokens: object, pad_id: object) -> None:
    """Check the arguments of `padding_mask`."""
    check_tokens(tokens)


def check_real(
    name: str, mask: object, shape: tuple[int, ...], device: torch.device
) -> None:
    """Check that a mask tells for each position whether it is real."""
    check_boolean(name, mask, means="a real position")
    if mask.shape != shape or mask.device != device:
        raise ValueError(
            f"{name} must have shape {tuple(shape)} on {device}, got "
            f"{tuple(mask.shape)} on {mask.device}; pass one True or False for each "
            "position."
        )
