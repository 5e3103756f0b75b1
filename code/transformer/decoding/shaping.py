"""Shaping: from logits to the distribution that a token is drawn from."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Integer
from torch import Tensor

from transformer.checks.tensors import check_float_tensor
from transformer.checks.values import check_positive, check_size
from transformer.decoding.filters import (
    apply_temperature,
    check_logits,
    check_share,
    check_temperature,
    keep_min_p,
    keep_top_k,
    keep_top_p,
    penalize_repetition,
)


@dataclass(frozen=True, kw_only=True)
class Shaping:
    """Turn logits into the distribution that is drawn from, in float64.

    The filters come in this order: repetition, temperature, top-k, top-p,
    min-p.

    Args:
        temperature: See `apply_temperature`.
        top_k: See `keep_top_k`; None to keep all.
        top_p: See `keep_top_p`; None to keep all.
        min_p: See `keep_min_p`; None to keep all.
        repetition_penalty: See `penalize_repetition`; None for no penalty.
    """

    temperature: float = 1.0
    top_k: int | None = None
    top_p: float | None = None
    min_p: float | None = None
    repetition_penalty: float | None = None

    def __post_init__(self) -> None:
        check_temperature("temperature", self.temperature)
        if self.top_k is not None:
            check_size("top_k", self.top_k)
        if self.top_p is not None:
            check_share(self.top_p)
        if self.min_p is not None:
            check_share(self.min_p, "min_p", 0.1)
        if self.repetition_penalty is not None:
            check_positive("repetition_penalty", self.repetition_penalty)

    def probabilities(
        self,
        logits: Float[Tensor, "batch vocab"],
        seen: Bool[Tensor, "batch vocab"] | None = None,
    ) -> Float[Tensor, "batch vocab"]:
        """Return the probability of each token."""
        logits = logits.double()
        if self.repetition_penalty is not None and seen is not None:
            logits = penalize_repetition(logits, seen, self.repetition_penalty)
        # The largest becomes 0, so that no temperature makes it overflow.
        logits = logits - logits.max(dim=-1, keepdim=True).values
        logits = apply_temperature(logits, self.temperature)
        if self.top_k is not None:
            logits = keep_top_k(logits, self.top_k)
        if self.top_p is not None:
            logits = keep_top_p(logits, self.top_p)
        if self.min_p is not None:
            logits = keep_min_p(logits, self.min_p)
        return logits.softmax(dim=-1)


def draw(
    probabilities: Float[Tensor, "batch vocab"], uniform: Float[Tensor, " batch"]
) -> Integer[Tensor, " batch"]:
    r"""Return the token at which the summed probabilities exceed a uniform number.

    $$y = \min_{v \,:\, \sum_{u=0}^{v} p_u > U} v, \qquad 0 \le U < 1$$

    Source: inverse transform sampling, Devroye (1986), section III.2.

    Args:
        probabilities: What to draw from; a row need not sum to 1 exactly.
        uniform: One number in [0, 1) for each row.
    """
    check_logits("probabilities", probabilities)
    check_float_tensor("uniform", uniform)
    if uniform.shape != probabilities.shape[:1]:
        raise ValueError(
            "uniform must hold one number for each row, got shape "
            f"{tuple(uniform.shape)} for {probabilities.size(0)} rows; draw them with "
            "torch.rand."
        )
    sums = probabilities.cumsum(dim=-1)
    total = sums[:, -1]
    below = torch.nextafter(total, torch.zeros_like(total))  # the product may round up
    return torch.searchsorted(
        sums, torch.minimum(uniform * total, below)[:, None], right=True
    )[:, 0]
