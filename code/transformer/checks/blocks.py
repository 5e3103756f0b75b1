"""Checks at the doors of layers and stacks of encoders and decoders."""

from torch import Tensor, nn

from transformer.checks.attention import check_inputs, check_mask
from transformer.checks.cache import check_one_layer, check_room
from transformer.checks.multi_head_attention import check_cached, check_scores
from transformer.checks.values import check_flag, check_kind


def check_config(kind: type, config: object) -> None:
    """Check that a configuration is one."""
    check_kind("config", config, kind)


def check_encoder(kind: type, config: object) -> None:
    """Check that a configuration has encoder layers."""
    check_config(kind, config)
    if config.num_encoder_layers == 0:
        raise ValueError(
            "an encoder must have layers, got num_encoder_layers=0; set it, or "
            "take a decoder-only model."
        )


def check_encoder_layer_call(
    layer: nn.Module, x: object, mask: object | None, bias: object | None
) -> None:
    """Check that an encoder layer can take `x`, with this mask and bias."""
    attention = layer.self_attention
    check_inputs(attention.query_projection, x=x)
    check_scores(mask, bias, x, attention.num_heads, x.size(1))


def check_encoder_call(encoder: nn.Module, x: object, mask: object | None) -> None:
    """Check that an encoder can take `x`, with this mask."""
    check_encoder_layer_call(encoder.layers[0], x, mask, None)


def check_decoder(kind: type, config: object, cross_attention: object) -> None:
    """Check that a configuration has decoder layers."""
    check_decoder_layer(kind, config, cross_attention)
    if config.num_decoder_layers == 0:
        raise ValueError(
            "a decoder must have layers, got num_decoder_layers=0; set it, or "
            "take an encoder-only model."
        )


def check_decoder_layer(kind: type, config: object, cross_attention: object) -> None:
    """Check the settings of a decoder layer."""
    check_config(kind, config)
    check_flag("cross_attention", cross_attention)


def check_decoder_layer_call(
    cache_kind: type,
    layer: nn.Module,
    x: object,
    memory: object | None,
    mask: object | None,
    memory_mask: object | None,
    bias: object | None,
    cache: object | None,
) -> None:
    """Check that a decoder layer can take `x` and a memory, before a cache is written.

    All is checked before the first product, so that a refused call leaves the cache as
    it was.
    """
    check_kind("cache", cache, cache_kind | None)
    own, crossed = cache or (None, None)
    attention, wanted = layer.self_attention, layer.cross_attention is not None
    length = 0 if crossed is None else crossed.length
    sequences = {"x": x} if memory is None else {"x": x, "memory": memory}
    check_inputs(attention.query_projection, **sequences)
    _check_memory(memory, wanted=wanted, held=length > 0)
    if memory_mask is not None:
        source = length if memory is None else memory.size(1)
        _check_memory_mask(memory_mask, x, attention.num_heads, source, wanted=wanted)
    start = 0
    if own is not None:
        start = own.length
        _check_cache(attention, own, x)
    if crossed is not None:
        _check_memory_cache(layer.cross_attention, crossed, x, memory)
    check_scores(mask, bias, x, attention.num_heads, start + x.size(1))


def check_decoder_call(
    cache_kind: type,
    decoder: nn.Module,
    x: object,
    memory: object | None,
    mask: object | None,
    memory_mask: object | None,
    cache: object | None,
) -> None:
    """Check that a decoder can take `x` and a memory, before a cache is written."""
    check_kind("cache", cache, cache_kind | None)
    first, part = decoder.layers[0], None
    check_inputs(first.self_attention.query_projection, x=x)
    if cache is not None:
        if len(cache) != len(decoder.layers):
            raise ValueError(
                f"the cache must have one part for each of {len(decoder.layers)} "
                f"layers, got {len(cache)}; use the cache of new_cache()."
            )
        part = cache[0]
    check_decoder_layer_call(object, first, x, memory, mask, memory_mask, None, part)


def check_new_cache(decoder: nn.Module, source: object | None) -> None:
    """Check that a decoder whose cache is to hold a memory attends to one."""
    if source is not None and decoder.layers[0].cross_attention is None:
        raise ValueError(
            "a decoder without cross-attention has no memory to hold, got source="
            f"{source}; leave it out."
        )


def _check_cache(attention: nn.Module, cache: object, x: Tensor) -> None:
    """Check that a cache has room for `x`, and was made for its batch and sizes."""
    check_room(cache, x.size(1))
    _check_cache_batch(cache, x)
    check_cached(attention, cache, x, x)


def _check_cache_batch(cache: object, x: Tensor) -> None:
    """Check that a cache was made for one layer, and for as many sequences."""
    check_one_layer(cache)
    if cache.keys.size(0) != x.size(0):
        raise ValueError(
            f"x and the cache must have one batch size, got {x.size(0)} and "
            f"{cache.keys.size(0)}; make a new cache."
        )


def _check_memory(memory: object | None, *, wanted: bool, held: bool) -> None:
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


def _check_memory_mask(
    memory_mask: object, x: Tensor, num_heads: int, source: int, *, wanted: bool
) -> None:
    """Check that the mask of a memory fits it, and that a memory is read."""
    if not wanted:
        raise ValueError(
            "a layer without cross-attention takes no memory_mask, got one; leave it "
            "out, or build the layer with cross_attention=True."
        )
    check_mask(memory_mask, (x.size(0), num_heads, x.size(1), source), x)
    check_scores(memory_mask, None, x, num_heads, source)


def _check_memory_cache(
    attention: nn.Module, cache: object, x: Tensor, memory: Tensor | None
) -> None:
    """Check that a cache has room for the memory, or was filled from one like it."""
    if memory is not None:
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
    _check_cache_batch(cache, x)
    if memory is not None and not cache.length:
        check_cached(attention, cache, memory, memory)
