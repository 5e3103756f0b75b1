"""Checks at the doors of what shapes logits."""

import torch
from torch import Tensor

from transformer.checks.tensors import check_float_tensor, check_tokens
from transformer.checks.values import check_positive, check_size


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
    is_number = isinstance(temperature, int | float)
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
    if not isinstance(seen, Tensor) or seen.dtype != torch.bool:
        kind = seen.dtype if isinstance(seen, Tensor) else type(seen).__name__
        raise TypeError(
            f"seen must be a Boolean tensor, True for tokens that came before, got "
            f"{kind}; see mark_seen."
        )
    if seen.shape != logits.shape:
        raise ValueError(
            "seen must say of each token whether it came before, got shape "
            f"{tuple(seen.shape)} for logits of shape {tuple(logits.shape)}; see "
            "mark_seen."
        )
    if seen.device != logits.device:
        raise ValueError(
            f"logits and seen must be on one device, got {logits.device} and "
            f"{seen.device}; move one with .to(device)."
        )


def check_seen(tokens: object, vocab_size: object) -> None:
    """Check the arguments of `mark_seen`."""
    check_size("vocab_size", vocab_size)
    check_tokens(tokens, vocab_size)
    if tokens.dim() != 2:
        raise ValueError(
            f"tokens must have shape (batch, time), got {tuple(tokens.shape)}; add a "
            "missing batch axis with .unsqueeze(0)."
        )
