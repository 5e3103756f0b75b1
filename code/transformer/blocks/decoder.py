"""The decoder: layers in which each position sees itself and earlier ones."""

from functools import partial

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from transformer.blocks.parts import (
    build_attention,
    build_feed_forward,
    build_final_norm,
    build_position_bias,
    build_residual,
    build_self_attention,
)
from transformer.checks.blocks import (
    check_decoder,
    check_decoder_call,
    check_decoder_layer,
    check_decoder_layer_call,
    check_new_cache,
)
from transformer.checks.doors import doors
from transformer.config import TransformerConfig
from transformer.layers.cache import DecoderCache, LayerCache
from transformer.layers.masks import causal_mask


@doors(
    init=partial(check_decoder_layer, TransformerConfig),
    forward=check_decoder_layer_call,
)
class DecoderLayer(nn.Module):
    r"""Attend within the target, then to the memory, then work on each position.

    $$\mathbf{X}' = \mathrm{Residual}(\mathbf{X}, \mathrm{MultiHead}), \qquad
    \mathbf{X}'' = \mathrm{Residual}(\mathbf{X}', \mathrm{MultiHead}(\cdot,
    \mathbf{M}, \mathbf{M})), \qquad
    \mathbf{Y} = \mathrm{Residual}(\mathbf{X}'', \mathrm{FFN})$$

    The layer itself does not know the future: whoever calls it passes the mask.
    Without cross-attention the step in the middle falls away. The branches may be
    parallel, as in `EncoderLayer`.

    Source: Vaswani et al. (2017), section 3.1 and Figure 1; without cross-attention:
    Liu et al. (2018), section 4.2.3.

    Args:
        config: Sizes and choices of the layer.
        cross_attention: Whether the layer attends to a memory.

    Shape:
        x: (batch, target, d_model); the result has the same shape.
        memory: (batch, source, d_model).
        mask, bias: broadcast to (batch, heads, target, cached + target).
        memory_mask: broadcasts to (batch, heads, target, source).

    Raises:
        TypeError: If an argument has the wrong type or dtype.
        ValueError: If shapes do not fit, or a memory is missing or not wanted.
    """

    def __init__(
        self, config: TransformerConfig, *, cross_attention: bool = False
    ) -> None:
        super().__init__()
        self.parallel = config.parallel_residual
        self.self_attention = build_self_attention(config)
        self.self_attention_residual = build_residual(config)
        self.cross_attention = None
        if cross_attention:
            self.cross_attention = build_attention(config)
            self.cross_attention_residual = build_residual(config)
        self.feed_forward = build_feed_forward(config)
        self.feed_forward_residual = build_residual(config)

    def forward(
        self,
        x: Float[Tensor, "batch target d_model"],
        memory: Float[Tensor, "batch source d_model"] | None = None,
        *,
        mask: Bool[Tensor, "..."] | None = None,
        memory_mask: Bool[Tensor, "..."] | None = None,
        bias: Float[Tensor, "..."] | None = None,
        cache: LayerCache | None = None,
    ) -> Float[Tensor, "batch target d_model"]:
        """Return what each target position has become."""
        own, crossed = cache or (None, None)

        def attend(x: Tensor) -> Tensor:
            return self.self_attention(x, x, x, mask=mask, bias=bias, cache=own).values

        def attend_to_memory(x: Tensor) -> Tensor:
            filled = crossed is not None and crossed.length > 0
            source = None if filled else memory
            return self.cross_attention(
                x, source, source, mask=memory_mask, cache=crossed
            ).values

        if self.parallel:
            change = self.self_attention_residual.change(x, attend)
            if self.cross_attention is not None:
                residual = self.cross_attention_residual
                change = change + residual.change(x, attend_to_memory)
            return x + change + self.feed_forward_residual.change(x, self.feed_forward)
        x = self.self_attention_residual(x, attend)
        if self.cross_attention is not None:
            x = self.cross_attention_residual(x, attend_to_memory)
        return self.feed_forward_residual(x, self.feed_forward)


@doors(
    init=partial(check_decoder, TransformerConfig),
    forward=check_decoder_call,
    new_cache=check_new_cache,
)
class Decoder(nn.Module):
    r"""Stack decoder layers, none of which sees the future.

    $$\mathbf{X}^{(l)} = \mathrm{DecoderLayer}_l(\mathbf{X}^{(l-1)}, \mathbf{M}),
    \qquad l = 1, \dots, N$$

    The stack makes the causal mask itself, and one position bias for all its layers.

    Source: Vaswani et al. (2017), sections 3.1 and 3.2.3.

    Args:
        config: Number of layers, sizes and choices.
        cross_attention: Whether the layers attend to a memory.

    Shape:
        x: (batch, target, d_model); the result has the same shape.
        memory: (batch, source, d_model).
        mask: broadcasts to (batch, heads, target, cached + target): what may be seen
        beside being no later, such as real tokens only.
        memory_mask: broadcasts to (batch, heads, target, source).

    Raises:
        TypeError: If an argument has the wrong type or dtype.
        ValueError: If the configuration has no decoder layers, or shapes do not fit.
    """

    def __init__(
        self, config: TransformerConfig, *, cross_attention: bool = False
    ) -> None:
        super().__init__()
        self.config = config
        self.layers = nn.ModuleList(
            DecoderLayer(config, cross_attention=cross_attention)
            for _ in range(config.num_decoder_layers)
        )
        self.position_bias = build_position_bias(config, bidirectional=False)
        self.norm = build_final_norm(config)

    def forward(
        self,
        x: Float[Tensor, "batch target d_model"],
        memory: Float[Tensor, "batch source d_model"] | None = None,
        *,
        mask: Bool[Tensor, "..."] | None = None,
        memory_mask: Bool[Tensor, "..."] | None = None,
        cache: DecoderCache | None = None,
    ) -> Float[Tensor, "batch target d_model"]:
        """Return the representation of each position after the last layer."""
        start, target = 0 if cache is None else cache.length, x.size(1)
        if target > 1:  # a single new position may see all that came before
            causal = causal_mask(target, start + target, device=x.device)
            mask = causal if mask is None else causal & mask
        bias = None
        if self.position_bias is not None:
            positions = torch.arange(start + target, device=x.device)
            bias = self.position_bias(positions[start:], positions, dtype=x.dtype)
        for number, layer in enumerate(self.layers):
            x = layer(
                x,
                memory,
                mask=mask,
                memory_mask=memory_mask,
                bias=bias,
                cache=None if cache is None else cache[number],
            )
        if cache is not None:
            cache.advance(target, 0 if memory is None else memory.size(1))
        return self.norm(x)

    def new_cache(
        self,
        batch: int,
        *,
        max_len: int | None = None,
        source: int | None = None,
        dtype: torch.dtype | None = None,
    ) -> DecoderCache:
        """Return an empty cache for `batch` sequences of up to `max_len` positions.

        Args:
            batch: Number of sequences.
            max_len: Room for positions; that of the configuration when not given.
            source: Number of positions of the memory, with cross-attention.
            dtype: That of the parameters when not given; under autocast, pass its.
        """
        return empty_cache(
            self, self.config, batch, max_len=max_len, source=source, dtype=dtype
        )


def empty_cache(
    decoder: nn.Module,
    config: TransformerConfig,
    batch: int,
    *,
    max_len: int | None = None,
    source: int | None = None,
    dtype: torch.dtype | None = None,
) -> DecoderCache:
    """Return an empty cache for a decoder, whoever has made it.

    Args:
        decoder: Its parameters tell device and dtype, its `layers`, if it has some, how
            many there are.
        config: What is not told otherwise.
        batch: Number of sequences.
        max_len: Room for positions; that of the configuration when not given.
        source: Number of positions of the memory, with cross-attention.
        dtype: That of the parameters when not given.
    """
    like = next(decoder.parameters(), torch.empty(0))
    return DecoderCache(
        len(getattr(decoder, "layers", ())) or config.num_decoder_layers,
        batch=batch,
        num_kv_heads=config.kv_heads,
        max_len=config.max_len if max_len is None else max_len,
        d_head=config.head_size,
        source=source,
        dtype=like.dtype if dtype is None else dtype,
        device=like.device,
    )
