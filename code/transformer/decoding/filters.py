"""Filters: change the logits of the next token before one is drawn."""

from numbers import Real

import torch
from jaxtyping import Bool, Float, Integer
from torch import Tensor

from transformer.checks.doors import door, each
from transformer.checks.tensors import check_boolean, check_float_tensor, check_tokens
from transformer.checks.values import check_positive, check_size


@door(lambda: each(logits=check_logits, temperature=check_temperature))
def apply_temperature(
    logits: Float[Tensor, "batch vocab"], temperature: float
) -> Float[Tensor, "batch vocab"]:
    r"""Flatten the distribution of the next token, or sharpen it.

    $$p_v = \frac{\exp(x_v / T)}{\sum_u \exp(x_u / T)}$$

    Below 1 the probable becomes more probable, above 1 all become alike.

    Source: Hinton et al. (2015), section 2, equation (1); for text: Holtzman et al.
    (2019), section 3.3.

    Args:
        logits: The scores $x$ of each token.
        temperature: The divisor $T$, above 0.
    """
    return logits / temperature


@door(lambda: check_top_k)
def keep_top_k(
    logits: Float[Tensor, "batch vocab"], k: int
) -> Float[Tensor, "batch vocab"]:
    r"""Keep the $k$ most probable tokens, remove all others.

    $$x'_v = \begin{cases} x_v & v \in \mathrm{top}_k(x) \\
    -\infty & \text{otherwise} \end{cases}$$

    Exactly $k$ remain: of equal logits the smaller ids are kept.

    Source: Fan et al. (2018), section 5.4.

    Args:
        logits: The scores of each token.
        k: How many to keep, at least 1; all of them, if there are fewer.
    """
    if k >= logits.size(-1):
        return logits
    return logits.masked_fill(~top_k_mask(logits, k), -torch.inf)


def top_k_mask(
    scores: Float[Tensor, "batch vocab"], k: int
) -> Bool[Tensor, "batch vocab"]:
    """Mark the `k` largest of each row; of equal ones those that come first."""
    least = scores.topk(k, dim=-1).values[:, -1:]  # (batch, 1)
    above, equal = scores > least, scores == least
    room = k - above.sum(dim=-1, keepdim=True)
    return above | (equal & (equal.cumsum(dim=-1) <= room))


@door(lambda: check_top_p)
def keep_top_p(
    logits: Float[Tensor, "batch vocab"], p: float
) -> Float[Tensor, "batch vocab"]:
    r"""Keep the nucleus: the smallest set of tokens that has the probability $p$.

    $$x'_v = \begin{cases} x_v & \sum_{u \,:\, P_u > P_v} P_u < p \\
    -\infty & \text{otherwise} \end{cases}$$

    for probabilities $P$. These are the most probable tokens; of equal ones the smaller
    ids come first. The sums are taken in float64. With $p = 1$ all tokens remain.

    Source: Holtzman et al. (2019), section 3.1, equation (2).

    Args:
        logits: The scores of each token.
        p: The probability $p$, above 0 and at most 1.
    """
    if p == 1:
        return logits
    ranked = logits.double().softmax(dim=-1).sort(dim=-1, descending=True, stable=True)
    sums = ranked.values.cumsum(dim=-1)
    surplus = torch.zeros_like(sums, dtype=torch.bool)
    surplus[:, 1:] = sums[:, :-1] >= p  # those before it are enough
    return logits.masked_fill(
        torch.empty_like(surplus).scatter_(1, ranked.indices, surplus), -torch.inf
    )


@door(lambda: check_min_p)
def keep_min_p(
    logits: Float[Tensor, "batch vocab"], p: float
) -> Float[Tensor, "batch vocab"]:
    r"""Keep the tokens that are not much less probable than the most probable one.

    $$x'_v = \begin{cases} x_v & P_v \ge p \max_u P_u \\
    -\infty & \text{otherwise} \end{cases}$$

    for probabilities $P$. Where the model is sure, few tokens remain; where it is not,
    many do.

    Source: Nguyen et al. (2025), section 3.

    Args:
        logits: The scores of each token.
        p: The share $p$ of the largest probability, above 0 and at most 1.
    """
    probabilities = logits.softmax(dim=-1)
    least = p * probabilities.max(dim=-1, keepdim=True).values  # (batch, 1)
    return logits.masked_fill(probabilities < least, -torch.inf)


@door(lambda: check_penalized)
def penalize_repetition(
    logits: Float[Tensor, "batch vocab"],
    seen: Bool[Tensor, "batch vocab"],
    penalty: float,
) -> Float[Tensor, "batch vocab"]:
    r"""Make tokens that were seen before less probable.

    $$x'_v = \begin{cases} x_v / \theta & v \in \mathrm{seen},\ x_v > 0 \\
    x_v\, \theta & v \in \mathrm{seen},\ x_v \le 0 \\
    x_v & \text{otherwise} \end{cases}$$

    Source: Keskar et al. (2019), section 4.1, with $\theta \approx 1.2$. The paper
    divides whatever the sign; dividing a negative logit would reward repetition, so
    we multiply there, as is usual since.

    Args:
        logits: The scores of each token.
        seen: True for tokens that came before.
        penalty: The factor $\theta$, above 0; 1 changes nothing.
    """
    penalized = torch.where(logits > 0, logits / penalty, logits * penalty)
    return torch.where(seen, penalized, logits)


@door(lambda: check_seen)
def mark_seen(
    tokens: Integer[Tensor, "batch time"], vocab_size: int
) -> Bool[Tensor, "batch vocab"]:
    """Mark the tokens of the vocabulary that are in each row.

    Args:
        tokens: Ids, one row for each text.
        vocab_size: Number of different tokens.
    """
    seen = torch.zeros(
        tokens.size(0), vocab_size, dtype=torch.bool, device=tokens.device
    )
    return seen.scatter_(1, tokens.long(), True)


# Checks


def check_logits(name: str, logits: object) -> None:
    """Check that there is one row of numbers for each text."""
    check_float_tensor(name, logits)
    if logits.dim() != 2 or logits.size(-1) == 0:
        raise ValueError(
            f"{name} must have shape (batch, vocab), got {tuple(logits.shape)}; pass "
            "those of one position of each text."
        )


def check_temperature(name: str, temperature: object) -> None:
    """Check that a temperature is above 0."""
    is_number = isinstance(temperature, Real)
    if is_number and not isinstance(temperature, bool) and temperature == 0:
        raise ValueError(
            f"{name} must be above 0, got 0; to always take the most probable token, "
            "use greedy_decode."
        )
    check_positive(name, temperature)


def check_share(p: object, name: str = "top_p", example: float = 0.9) -> None:
    """Check that a number is a probability above 0."""
    check_positive(name, p)
    if p > 1:
        raise ValueError(
            f"{name} must be at most 1, got {p}; pass a probability such as {example}."
        )


def check_top_k(logits: object, k: object) -> None:
    """Check the arguments of `keep_top_k`."""
    check_logits("logits", logits)
    check_size("top_k", k)


def check_top_p(logits: object, p: object) -> None:
    """Check the arguments of `keep_top_p`."""
    check_logits("logits", logits)
    check_share(p)


def check_min_p(logits: object, p: object) -> None:
    """Check the arguments of `keep_min_p`."""
    check_logits("logits", logits)
    check_share(p, "min_p", 0.1)


def check_penalized(logits: object, seen: object, penalty: object) -> None:
    """Check the arguments of `penalize_repetition`."""
    check_logits("logits", logits)
    check_positive("repetition_penalty", penalty)
    check_boolean("seen", seen, means="came before", remedy="see mark_seen")
    if seen.shape != logits.shape:
        raise ValueError(
            "seen must say of each token whether it came before, got shape "
            f"{tuple(seen.shape)} for logits of shape {tuple(logits.shape)}; see "
            "mark_seen."
        )


def check_seen(tokens: object, vocab_size: object) -> None:
    """Check the arguments of `mark_seen`."""
    check_size("vocab_size", vocab_size)
    check_tokens(tokens, vocab_size)
