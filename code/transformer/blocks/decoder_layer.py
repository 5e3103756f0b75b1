"""A layer of the decoder: self-attention, attention to a memory, and a network."""

from jaxtyping import Bool, Float
from torch import Tensor, nn

from transformer.blocks.parts import (
    build_attention,
    build_feed_forward,
    build_residual,
    build_self_attention,
    check_branches,
    check_one_window,
)
from transformer.checks.doors import doors
from transformer.config import TransformerConfig
from transformer.layers.attention import check_allowed, check_sequences
from transformer.layers.cache import LayerCache, check_one_layer, check_room
from transformer.layers.positions import Positions


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

    The layer itself does not know the future: whoever calls it passes the mask, or
    says `is_causal`, as for `MultiHeadAttention`. Without cross-attention the step in
    the middle falls away.

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
        ValueError: If shapes do not fit, a memory is missing or not wanted, or the
            configuration asks for a `ParallelLayer`.
    """

    side_by_side = False  # its branches

    def __init__(
        self, config: TransformerConfig, *, cross_attention: bool = False
    ) -> None:
        super().__init__()
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
        is_causal: bool = False,
        positions: Positions | None = None,
    ) -> Float[Tensor, "batch target d_model"]:
        """Return what each target position has become."""
        own, crossed = cache or (None, None)
        handed = {"is_causal": is_causal, "positions": positions, "cache": own}

        def attend(x: Tensor) -> Tensor:
            return self.self_attention(x, x, x, mask=mask, bias=bias, **handed).values

        def attend_to_memory(x: Tensor) -> Tensor:
            filled = crossed is not None and crossed.length > 0
            source = None if filled else memory
            return self.cross_attention(
                x, source, source, mask=memory_mask, cache=crossed
            ).values

        x = self.self_attention_residual(x, attend)
        if self.cross_attention is not None:
            x = self.cross_attention_residual(x, attend_to_memory)
        return self.feed_forward_residual(x, self.feed_forward)


@doors(forward=lambda: check_decoder_layer_call)
class ParallelLayer(DecoderLayer):
    r"""Let all branches read the same input, and add up what they propose.

    $$\mathbf{Y} = \mathbf{X} + \mathrm{MultiHead}(\mathrm{Norm}_1(\mathbf{X})) +
    \mathrm{FFN}(\mathrm{Norm}_2(\mathbf{X}))$$

    In an encoder and in a decoder alike; attention to a memory is a third branch.

    Source: Black et al. (2022), section 2.1.

    Args:
        config: Sizes and choices of the layer.
        cross_attention: Whether the layer attends to a memory.

    Shape:
        As for `DecoderLayer`.

    Raises:
        ValueError: If shapes do not fit, a memory is missing or not wanted, or the
            configuration asks for branches in a row.
    """

    side_by_side = True

    def forward(
        self,
        x: Float[Tensor, "batch target d_model"],
        memory: Float[Tensor, "batch source d_model"] | None = None,
        *,
        mask: Bool[Tensor, "..."] | None = None,
        memory_mask: Bool[Tensor, "..."] | None = None,
        bias: Float[Tensor, "..."] | None = None,
        cache: LayerCache | None = None,
        is_causal: bool = False,
        positions: Positions | None = None,
    ) -> Float[Tensor, "batch target d_model"]:
        """Return what each target position has become."""
        own, crossed = cache or (None, None)
        handed = {"is_causal": is_causal, "positions": positions, "cache": own}

        def attend(x: Tensor) -> Tensor:
            return self.self_attention(x, x, x, mask=mask, bias=bias, **handed).values

        def attend_to_memory(x: Tensor) -> Tensor:
            filled = crossed is not None and crossed.length > 0
            source = None if filled else memory
            return self.cross_attention(
                x, source, source, mask=memory_mask, cache=crossed
            ).values

        change = self.self_attention_residual.change(x, attend)
        if self.cross_attention is not None:
            residual = self.cross_attention_residual
            change = change + residual.change(x, attend_to_memory)
        return x + change + self.feed_forward_residual.change(x, self.feed_forward)


# Checks


def check_decoder_layer(layer: DecoderLayer, config: TransformerConfig) -> None:
    """Check the settings of a decoder layer."""
    check_branches(config, side_by_side=layer.side_by_side)
    check_one_window(config)


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
    check_step(
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


def check_step(
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
    if cache.batch != x.size(0):
        raise ValueError(
            f"x and the cache must have one batch size, got {x.size(0)} and "
            f"{cache.batch}; make a new cache."
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
