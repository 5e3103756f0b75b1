"""What the block of 2017 and that of Llama are made of."""

import torch
from torch.nn.functional import scaled_dot_product_attention


def split(x, heads):
    """Cut the features into heads: (batch, heads, time, d_head)."""
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def attend(q, k, v):
    """Gather from what came before, a key head for each group of query heads."""
    y = scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
    return y.transpose(1, 2).flatten(2)  # (batch, time, d_model)


def turn(x, base=100_000):
    """Rotate feature i and its partner, half a head away, by the position."""
    a, b = x.chunk(2, dim=-1)
    pairs = torch.arange(a.shape[-1], dtype=x.dtype)
    rates = base ** (-pairs / len(pairs))
    angles = torch.arange(x.shape[-2])[:, None] * rates
    cos, sin = angles.cos(), angles.sin()  # (time, d_head / 2)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)


def layer_norm(x, gain, shift):
    """Take the mean away and divide by the standard deviation."""
    x = x - x.mean(-1, keepdim=True)
    return x / (x.square().mean(-1, keepdim=True) + 1e-6).sqrt() * gain + shift


def rms_norm(x, gain):
    """Divide by the root of the mean square."""
    return x / (x.square().mean(-1, keepdim=True) + 1e-5).sqrt() * gain
