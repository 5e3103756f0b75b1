"""The decoder: layers in which each position sees itself and earlier ones."""

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
from transformer.checks.doors import doors
from transformer.checks.values import check_flag
from transformer.config import TransformerConfig, check_config
from transformer.layers.attention import check_allowed, check_sequences
from transformer.layers.cache import (
    DecoderCache,
    LayerCache,
    check_one_layer,
    check_room,
)
from transformer.layers.masks import causal_mask


@doors(
    init=lambda: check_decoder_layer,
    forward=lambda: check_decoder_layer_call,
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
    init=lambda: check_decoder,
    forward=lambda: check_decoder_call,
    new_cache=lambda: check_new_cache,
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


# Checks


def check_decoder_layer(config: object, cross_attention: object) -> None:
    """Check the settings of a decoder layer."""
    check_config(config)
    check_flag("cross_attention", cross_attention)


def check_decoder_layer_call(
    layer: nn.Module,
    x: Tensor,
    memory: Tensor | None,
    mask: object | None,
    memory_mask: object | None,
    bias: object | None,
    cache: tuple | None,
) -> None:
    """Check that a decoder layer can take `x` and a memory, before a cache is written.

    All is checked before the first product, so that a refused call leaves the cache as
    it was.
    """
    own, crossed = cache or (None, None)
    _check_step(
        x,
        memory,
        memory_mask,
        (own, crossed),
        wanted=layer.cross_attention is not None,
    )
    for part in (own, crossed):
        if part is not None:
            check_one_layer(part)
    check_allowed(mask, bias)


def check_decoder(config: object, cross_attention: object) -> None:
    """Check that a configuration has decoder layers."""
    check_decoder_layer(config, cross_attention)
    if config.num_decoder_layers == 0:
        raise ValueError(
            "a decoder must have layers, got num_decoder_layers=0; set it, or "
            "take an encoder-only model."
        )


def check_decoder_call(
    decoder: nn.Module,
    x: Tensor,
    memory: Tensor | None,
    mask: object | None,
    memory_mask: object | None,
    cache: object | None,
) -> None:
    """Check that a decoder can take `x` and a memory, before a cache is written."""
    check_stack(decoder, x, memory, memory_mask, cache)
    check_allowed(mask, None)


def check_stack(
    decoder: nn.Module,
    x: Tensor,
    memory: Tensor | None,
    memory_mask: object | None,
    cache: object | None,
) -> None:
    """Check that a stack of layers can take `x`, a memory and a cache.

    A decoder that somebody else has made is left to itself.
    """
    layers = getattr(decoder, "layers", None)
    if layers is None:
        return
    if cache is not None and len(cache) != len(layers):
        raise ValueError(
            f"the cache must have one part for each of {len(layers)} layers, got "
            f"{len(cache)}; use the cache of new_cache()."
        )
    parts = (None, None) if cache is None else (cache.own, cache.memory)
    attends = getattr(layers[0], "cross_attention", True)  # or is not known
    wanted = memory is not None if attends is True else attends is not None
    _check_step(x, memory, memory_mask, parts, wanted=wanted)


def check_new_cache(decoder: nn.Module, source: object | None) -> None:
    """Check that a decoder whose cache is to hold a memory attends to one."""
    if source is not None and decoder.layers[0].cross_attention is None:
        raise ValueError(
            "a decoder without cross-attention has no memory to hold, got source="
            f"{source}; leave it out."
        )


def _check_step(
    x: Tensor,
    memory: Tensor | None,
    memory_mask: object | None,
    cache: tuple,
    *,
    wanted: bool,
) -> None:
    """Check `x` and a memory against each other and against what is held of both."""
    own, crossed = cache
    held = 0 if crossed is None else crossed.length
    check_sequences(x=x, **({} if memory is None else {"memory": memory}))
    _check_memory(memory, wanted=wanted, held=held > 0)
    if memory_mask is not None:
        if not wanted:
            raise ValueError(
                "a layer without cross-attention takes no memory_mask, got one; leave "
                "it out, or build the layer with cross_attention=True."
            )
        check_allowed(memory_mask, None)
    if own is not None:
        check_room(own, x.size(1))
        _check_cache_batch(own, x)
    if crossed is not None:
        _check_memory_cache(crossed, x, memory)


def _check_cache_batch(cache: object, x: Tensor) -> None:
    """Check that a cache was made for as many sequences."""
    if cache.keys.size(-4) != x.size(0):
        raise ValueError(
            f"x and the cache must have one batch size, got {x.size(0)} and "
            f"{cache.keys.size(-4)}; make a new cache."
        )


def _check_memory(memory: Tensor | None, *, wanted: bool, held: bool) -> None:
    """Check that a memory is there, and not empty, if one is read, and only then."""
    if memory is not None and not wanted:
        raise ValueError(
            "a layer without cross-attention takes no memory, got one; leave it out, "
            "or build the layer with cross_attention=True."
        )
    if memory is not None and memory.size(1) == 0:
        raise ValueError(
            "memory must hold at least one position, got none; pass a longer source."
        )
    if memory is None and wanted and not held:
        raise ValueError(
            "a layer with cross-attention must have a memory, got none; pass what the "
            "encoder returns."
        )


def _check_memory_cache(cache: object, x: Tensor, memory: Tensor | None) -> None:
    """Check that a cache has room for the memory, or was filled from one like it."""
    _check_cache_batch(cache, x)
    if memory is None:
        return
    if cache.length and memory.size(1) != cache.length:
        raise ValueError(
            f"the cache was filled from a memory of {cache.length} positions, got "
            f"one of {memory.size(1)}; make a new cache for another memory."
        )
    if memory.size(1) > cache.max_len:
        raise ValueError(
            f"the cache has room for a memory of {cache.max_len} positions, got "
            f"one of {memory.size(1)}; make a cache for this memory."
        )
