"""Checks at the doors of feed-forward layers."""

from torch import Tensor

from transformer.checks.masks import check_real
from transformer.checks.tensors import check_float_tensor
from transformer.checks.values import check_dropout, check_flag, check_size


def check_feed_forward(
    d_model: object, d_ff: object, bias: object, dropout: object
) -> None:
    """Check the settings of a feed-forward layer."""
    check_size("d_model", d_model)
    check_size("d_ff", d_ff)
    check_flag("bias", bias)
    check_dropout("dropout", dropout)


def check_convolution(
    d_model: object,
    d_ff: object,
    bias: object,
    dropout: object,
    kernel_size: object,
    causal: object,
) -> None:
    """Check the settings of a feed-forward layer with a convolution."""
    check_feed_forward(d_model, d_ff, bias, dropout)
    check_flag("causal", causal)
    check_size("kernel_size", kernel_size)
    if not causal and kernel_size % 2 == 0:
        raise ValueError(
            "kernel_size must be odd unless the layer is causal, got "
            f"{kernel_size}; choose {kernel_size - 1} or {kernel_size + 1}."
        )


def check_convolved(x: Tensor, mask: object) -> None:
    """Check that a convolution can take `x`, and that the mask fits."""
    if x.size(-2) == 0:
        raise ValueError(
            f"x must hold at least one position, got shape {tuple(x.shape)}; "
            "pass a longer sequence."
        )
    if mask is not None:
        check_real("mask", mask, x.shape[:-1], x.device)


def check_experts(
    d_model: object,
    d_ff: object,
    dropout: object,
    experts_per_token: object,
    num_experts: object,
) -> None:
    """Check the settings of a mixture of experts."""
    _check_chosen(experts_per_token, num_experts)
    check_feed_forward(d_model, d_ff, False, dropout)


def check_balancing(logits: object, experts_per_token: object) -> None:
    """Check the arguments of `load_balancing_loss`."""
    check_float_tensor("logits", logits)
    if logits.dim() == 0 or logits.device.type == "meta":
        came = "a single number" if logits.dim() == 0 else "one on meta"
        raise ValueError(
            "logits must have shape (..., experts) and numbers that can be counted, "
            f"got {came}; pass those of the router."
        )
    _check_chosen(experts_per_token, logits.size(-1))
    if logits.numel() == 0:
        raise ValueError(
            f"logits must hold at least one position, got {tuple(logits.shape)}; "
            "leave no batch without a real token."
        )


def _check_chosen(experts_per_token: object, num_experts: object) -> None:
    """Check that no more experts are asked than there are."""
    check_size("num_experts", num_experts)
    check_size("experts_per_token", experts_per_token)
    if experts_per_token > num_experts:
        raise ValueError(
            "experts_per_token must be at most num_experts, got "
            f"experts_per_token={experts_per_token} and num_experts={num_experts}; "
            "add experts or ask fewer."
        )
