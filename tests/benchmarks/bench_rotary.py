"""Rotating queries and keys, against Hugging Face and against the formulas."""

from collections.abc import Iterator
from functools import partial

import torch
from bench_case import Case, Sides
from bench_sizes import Sizes
from torch import Tensor

from transformer.layers import RotaryEmbedding, rotary_frequencies

Rotated = tuple[Tensor, Tensor]


def rotary_cases(sizes: Sizes) -> Iterator[Case]:
    """Yield both layouts; angles are computed anew each time, on both sides."""
    for length in sizes.lengths:
        yield Case(
            name=f"RoPE, half layout, {length} tokens",
            reference="Hugging Face",
            build=partial(half_layouts, sizes, length),
        )
        yield Case(
            name=f"RoPE, interleaved layout, {length} tokens",
            reference="complex product",
            build=partial(interleaved_layouts, sizes, length),
        )


def half_layouts(sizes: Sizes, length: int, device: torch.device) -> Sides:
    """Build our rotation, that of Hugging Face, and the pairs written out."""
    from transformers import LlamaConfig
    from transformers.models.llama import modeling_llama as llama

    query, key = inputs(sizes, length, device)
    config = LlamaConfig(head_dim=query.size(-1))
    turns = llama.LlamaRotaryEmbedding(config).to(device)
    positions = torch.arange(length, device=device)

    def theirs() -> Rotated:
        cosine, sine = turns(query, positions[None])
        return llama.apply_rotary_pos_emb(query, key, cosine, sine)

    def written_out() -> Rotated:
        cosine, sine = angles(positions, query).cos(), angles(positions, query).sin()

        def rotate(x: Tensor) -> Tensor:
            first, second = x.chunk(2, dim=-1)
            turned = (first * cosine - second * sine, second * cosine + first * sine)
            return torch.cat(turned, dim=-1)

        return rotate(query), rotate(key)

    return build(query, key, positions, "half", theirs, written_out)


def interleaved_layouts(sizes: Sizes, length: int, device: torch.device) -> Sides:
    """Build our rotation, a complex product, and the pairs written out."""
    query, key = inputs(sizes, length, device)
    positions = torch.arange(length, device=device)

    def complex_product() -> Rotated:
        turned = angles(positions, query)
        turns = torch.polar(torch.ones_like(turned), turned)

        def rotate(x: Tensor) -> Tensor:
            pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)))
            return torch.view_as_real(pairs * turns).flatten(-2)

        return rotate(query), rotate(key)

    def written_out() -> Rotated:
        cosine, sine = angles(positions, query).cos(), angles(positions, query).sin()

        def rotate(x: Tensor) -> Tensor:
            first, second = x[..., ::2], x[..., 1::2]
            turned = (first * cosine - second * sine, second * cosine + first * sine)
            return torch.stack(turned, dim=-1).flatten(-2)

        return rotate(query), rotate(key)

    return build(query, key, positions, "interleaved", complex_product, written_out)


def build(query, key, positions, layout, reference, naive) -> Sides:
    """Set our rotation beside the others."""
    rotary = RotaryEmbedding(query.size(-1), layout=layout)

    def ours() -> Rotated:
        rotation = rotary.rotation(positions, query.dtype)
        return rotary.rotate(query, rotation), rotary.rotate(key, rotation)

    quiet = torch.inference_mode()
    return Sides(ours=quiet(ours), reference=quiet(reference), naive=quiet(naive))


def inputs(sizes: Sizes, length: int, device: torch.device) -> Rotated:
    """Return queries and keys as attention has them: heads were features before."""
    d_head = sizes.d_model // sizes.num_heads
    shape = (2, sizes.batch, length, sizes.num_heads, d_head)
    query, key = torch.randn(shape, device=device).transpose(2, 3)
    return query, key


def angles(positions: Tensor, x: Tensor) -> Tensor:
    """Return the angle of each position and pair, in the dtype of `x`."""
    frequencies = rotary_frequencies(x.size(-1)).to(x.device, torch.float32)
    return (positions[:, None] * frequencies).to(x.dtype)  # (time, pairs)
