"""Checks at the doors of layers and stacks of encoders and decoders."""

from torch import Tensor, nn

from transformer.checks.attention import check_allowed, check_sequences
from transformer.checks.cache import check_one_layer, check_room
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
    x: Tensor, mask: object | None, bias: object | None
) -> None:
    """Check that an encoder layer can take `x`, with this mask and bias."""
    check_sequences(x=x)
    check_allowed(mask, bias)


def check_encoder_call(x: Tensor, mask: object | None) -> None:
    """Check that an encoder can take `x`, with this mask."""
    check_encoder_layer_call(x, mask, None)


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
