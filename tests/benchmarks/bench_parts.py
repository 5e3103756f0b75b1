"""Norms and attention against PyTorch's fused functions, and against the formulas."""

from collections.abc import Callable, Iterator
from functools import partial

import torch
import torch.nn.functional as F
from bench_case import Call, Case, Sides
from bench_sizes import Sizes
from torch import Tensor

from transformer.layers import (
    LayerNorm,
    RMSNorm,
    causal_mask,
    layer_norm,
    rms_norm,
    scaled_dot_product_attention,
)

EPS = 1e-5


def part_cases(sizes: Sizes) -> Iterator[Case]:
    """Yield the norms, then the core of attention, forward and with gradients."""
    for mode, run in {"forward": outputs, "forward + backward": gradients}.items():
        for name, build in {"layer": layer_norms, "rms": rms_norms}.items():
            yield Case(
                name=f"{name} norm, {mode}",
                reference=f"F.{name}_norm",
                build=partial(build, sizes, run),
            )
        for length in sizes.lengths:
            yield Case(
                name=f"causal attention, {length} tokens, {mode}",
                reference="fused kernel",
                build=partial(attentions, sizes, length, run),
            )


def layer_norms(sizes: Sizes, run: Callable, device: torch.device) -> Sides:
    """Build our layer norm, the fused function, and the formula."""
    x = torch.randn(sizes.rows, sizes.d_model, device=device)
    norm = LayerNorm(sizes.d_model, eps=EPS).to(device)
    gain, bias = norm.weight, norm.bias
    return Sides(
        ours=run(norm, x),
        reference=run(lambda x: F.layer_norm(x, gain.shape, gain, bias, EPS), x),
        naive=run(lambda x: layer_norm(x, gain, bias, eps=EPS), x),
    )


def rms_norms(sizes: Sizes, run: Callable, device: torch.device) -> Sides:
    """Build our norm by root mean squares, the fused function, and the formula."""
    x = torch.randn(sizes.rows, sizes.d_model, device=device)
    norm = RMSNorm(sizes.d_model, eps=EPS).to(device)
    gain = norm.weight
    return Sides(
        ours=run(norm, x),
        reference=run(lambda x: F.rms_norm(x, gain.shape, gain, EPS), x),
        naive=run(lambda x: rms_norm(x, gain, eps=EPS), x),
    )


def attentions(sizes: Sizes, length: int, run: Callable, device: torch.device) -> Sides:
    """Build attention without weights, the fused function, and the formula."""
    d_head = sizes.d_model // sizes.num_heads
    shape = (sizes.batch, sizes.num_heads, length, d_head)
    query, key, value = torch.randn(3, *shape, device=device).unbind()
    mask = causal_mask(length, device=device)

    def ours(query: Tensor, *, need_weights: bool) -> Tensor:
        return scaled_dot_product_attention(
            query, key, value, mask=mask, need_weights=need_weights
        ).values

    def theirs(query: Tensor) -> Tensor:
        return F.scaled_dot_product_attention(query, key, value, is_causal=True)

    return Sides(
        ours=run(partial(ours, need_weights=False), query),
        reference=run(theirs, query),
        naive=run(partial(ours, need_weights=True), query),
    )


def outputs(function: Callable, x: Tensor) -> Call:
    """Return a call that computes what the function makes of `x`."""
    return torch.inference_mode()(partial(function, x))


def gradients(function: Callable, x: Tensor) -> Call:
    """Return a call that computes the output, and the gradient of `x`."""
    direction = x.flip(-1)  # a norm would lose that of x itself
    x = x.clone().requires_grad_()

    def call() -> tuple[Tensor, Tensor]:
        x.grad = None
        output = function(x)
        output.backward(direction)
        return output, x.grad

    return call
