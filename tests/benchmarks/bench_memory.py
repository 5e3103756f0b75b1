"""The peak memory of attention, with and without its weights."""

from collections.abc import Callable, Iterator
from functools import partial

import torch
from bench_case import Case, Sides
from bench_sizes import Sizes
from bench_weights import as_pytorch, perturb
from torch import Tensor, nn

from transformer.layers import MultiHeadAttention


def memory_cases(sizes: Sizes) -> Iterator[Case]:
    """Yield attention with and without weights, then one against the other."""
    for kind, need_weights in {"with": True, "without": False}.items():
        yield Case(
            name=f"memory of attention {kind} weights, {sizes.memory_length} tokens",
            reference="torch.nn",
            build=partial(against_pytorch, sizes, need_weights),
            unit="MiB",
        )
    yield Case(
        name=f"memory of attention without weights, {sizes.memory_length} tokens",
        reference="with weights",
        build=partial(against_weights, sizes),
        unit="MiB",
    )


def against_pytorch(sizes: Sizes, need_weights: bool, device: torch.device) -> Sides:
    """Build our attention and that of PyTorch."""
    ours, x = attention(sizes, device)
    theirs = nn.MultiheadAttention(sizes.d_model, sizes.num_heads, batch_first=True)
    theirs.to(device).eval().load_state_dict(as_pytorch(ours.state_dict()))
    ask = {"need_weights": need_weights, "average_attn_weights": False}
    return Sides(
        ours=given(lambda: ours(x, x, x, need_weights=need_weights)),
        reference=given(lambda: theirs(x, x, x, **ask)),
    )


def against_weights(sizes: Sizes, device: torch.device) -> Sides:
    """Build our attention without weights, and with them; the values must agree."""
    ours, x = attention(sizes, device)
    return Sides(
        ours=given(lambda: ours(x, x, x)[:1]),
        reference=given(lambda: ours(x, x, x, need_weights=True)[:1]),
    )


def attention(sizes: Sizes, device: torch.device) -> tuple[MultiHeadAttention, Tensor]:
    """Return our attention, and a sequence to attend to."""
    ours = MultiHeadAttention(sizes.d_model, sizes.num_heads).to(device).eval()
    perturb(ours)
    return ours, torch.randn(1, sizes.memory_length, sizes.d_model, device=device)


def given(call: Callable) -> Callable[[], tuple[Tensor, ...]]:
    """Return a call without graph; of values and weights it returns what there is."""

    def quiet() -> tuple[Tensor, ...]:
        with torch.inference_mode():
            return tuple(tensor for tensor in call() if tensor is not None)

    return quiet
