"""Checks at the doors of models: tokens, segments, masks, memories and caches."""

from collections.abc import Collection

from torch import Tensor, nn

from transformer.checks.attention import check_sequences
from transformer.checks.blocks import check_config, check_stack
from transformer.checks.cache import check_remembered
from transformer.checks.embeddings import check_span, rows_of
from transformer.checks.masks import check_real
from transformer.checks.tensors import can_read, check_float_tensor, check_tokens
from transformer.checks.values import check_choice, check_kind


def check_real_tokens(name: str, tokens: object, mask: object | None) -> None:
    """Check that tokens are a batch, and that a mask fits them."""
    check_tokens(tokens, name=name)
    if tokens.dim() != 2 or tokens.size(1) == 0:
        remedy = "add a missing batch axis with .unsqueeze(0)"
        if tokens.dim() == 2:
            remedy = "begin with one, such as the id that starts a text"
        raise ValueError(
            f"{name} must have shape (batch, time), with at least one token, got "
            f"{tuple(tokens.shape)}; {remedy}."
        )
    if mask is not None:
        check_real(f"the mask of {name}", mask, tokens.shape, tokens.device)


def check_inputs(
    embedding: nn.Module, tokens: Tensor, segments: object | None, start: object
) -> None:
    """Check that an input embedding knows the tokens, segments and positions.

    One that somebody else has made is left to itself.
    """
    check_tokens(tokens, rows_of(getattr(embedding, "tokens", None)))
    if tokens.dim() == 0:
        raise ValueError(
            "tokens must have a time axis, got a single id; add it with [None]."
        )
    known = getattr(embedding, "segments", segments)
    if known is None and segments is not None:
        raise ValueError(
            "segments need embeddings, got segments for a model with "
            "num_segments=0; leave them out or set num_segments."
        )
    if segments is not None:
        _check_segments(segments, tokens, rows_of(known))
    max_len = getattr(getattr(embedding, "positions", None), "max_len", None)
    if max_len is not None:  # other positions than ours may have no end
        check_span(start, tokens.size(-1), max_len)


def _check_segments(segments: object, tokens: Tensor, number: int | None) -> None:
    """Check that segments name one segment for each token."""
    check_tokens(segments, name="segments")
    known = number is not None and can_read(segments)
    if known and bool(((segments < 0) | (segments >= number)).any()):
        raise ValueError(
            f"segments must lie from 0 to {number - 1}, got others; number them "
            "from 0, or enlarge num_segments."
        )
    if segments.shape != tokens.shape:
        raise ValueError(
            "segments must name one segment for each token, got shape "
            f"{tuple(segments.shape)} for tokens of shape {tuple(tokens.shape)}; "
            "pass one id for each token."
        )
    if segments.device != tokens.device:
        raise ValueError(
            f"segments and tokens must be on one device, got {segments.device} and "
            f"{tokens.device}; move one with .to(device)."
        )


def check_layers(config: object, tensors: Collection[object]) -> None:
    """Check that there are tensors for so many layers, before any is built."""
    layers = config.num_encoder_layers + config.num_decoder_layers
    if layers > len(tensors):
        raise ValueError(
            "a configuration must have a tensor for each layer at least, got "
            f"{layers} layers and {len(tensors)} tensors; both must be of one model."
        )


def check_encoder_only(
    kind: type, heads: Collection[str | None], config: object, head: object
) -> None:
    """Check the settings of an encoder-only model."""
    check_config(kind, config)
    check_choice("head", head, heads)
    if config.num_decoder_layers:
        raise ValueError(
            "an encoder-only model must have no decoder layers, got "
            f"num_decoder_layers={config.num_decoder_layers}; set it to 0, or make the "
            "configuration by TransformerConfig.encoder_only."
        )


def check_decoder_only(kind: type, config: object) -> None:
    """Check the settings of a decoder-only model."""
    check_config(kind, config)
    if config.num_encoder_layers:
        raise ValueError(
            "a decoder-only model must have no encoder layers, got "
            f"num_encoder_layers={config.num_encoder_layers}; set it to 0, or make the "
            "configuration by TransformerConfig.decoder_only."
        )


def check_encoded_tokens(
    model: nn.Module, tokens: object, segments: object | None, mask: object | None
) -> None:
    """Check that an encoder-only model can read the tokens."""
    check_real_tokens("tokens", tokens, mask)
    check_inputs(model.embedding, tokens, segments, 0)


def check_continued_tokens(
    model: nn.Module, tokens: object, mask: object | None, cache: object | None
) -> None:
    """Check that a decoder-only model can read the tokens, after those of a cache."""
    check_real_tokens("tokens", tokens, mask)
    _check_decoded(model, tokens, mask, None, cache)


def check_source(model: nn.Module, source: object, source_mask: object | None) -> None:
    """Check that an encoder-decoder can read the source."""
    check_real_tokens("source", source, source_mask)
    check_inputs(model.embedding, source, None, 0)


def check_target(
    model: nn.Module,
    target: object,
    memory: Tensor,
    target_mask: object | None,
    source_mask: object | None,
    cache: object | None,
) -> None:
    """Check that an encoder-decoder can read the target, with a memory and a cache."""
    check_sequences(memory=memory)
    if source_mask is not None:
        check_real("the mask of source", source_mask, memory.shape[:2], memory.device)
    check_real_tokens("target", target, target_mask)
    _check_decoded(model, target, target_mask, memory, cache)


def check_both(
    model: nn.Module,
    source: object,
    target: object,
    source_mask: object | None,
    target_mask: object | None,
) -> None:
    """Check that an encoder-decoder can read the source and the target."""
    check_source(model, source, source_mask)
    check_real_tokens("target", target, target_mask)
    _check_decoded(model, target, target_mask, _placed(source), None)


def _check_decoded(
    model: nn.Module,
    tokens: Tensor,
    mask: Tensor | None,
    memory: Tensor | None,
    cache: object | None,
) -> None:
    """Check that the decoder of a model can go on with the tokens."""
    start = 0
    if cache is not None:
        real = tokens if mask is None and model.config.pad_id is not None else mask
        check_remembered(cache, real, tokens.size(1))
        start = cache.length
    check_inputs(model.embedding, tokens, None, start)
    check_stack(model.decoder, _placed(tokens), memory, None, cache)


def _placed(tokens: Tensor) -> Tensor:
    """Return what has the axes of the embedded tokens."""
    return tokens[..., None]


def check_memory(memory: Tensor) -> None:
    """Check that a memory is one."""
    check_sequences(memory=memory)


def check_head(
    config_kind: type, embedding_kind: type, config: object, embedding: object
) -> None:
    """Check that a head and the embedding that it may share have one shape."""
    check_config(config_kind, config)
    check_kind("embedding", embedding, embedding_kind)
    sizes = tuple(embedding.embedding.weight.shape)
    if sizes != (config.vocab_size, config.d_model):
        raise ValueError(
            "the embedding must have the shape (vocab_size, d_model)="
            f"{(config.vocab_size, config.d_model)}, got {sizes}; build it from "
            "the same configuration."
        )


def check_pooled(x: Tensor) -> None:
    """Check that a pooler can read `x`."""
    check_sequences(x=x)
    if x.size(1) == 0:
        raise ValueError(
            "x must hold at least one position, got none; pass a longer sequence."
        )


def check_mean(x: object, mask: object) -> None:
    """Check the arguments of `mean_pooling`."""
    check_float_tensor("x", x)
    if x.dim() != 3:
        raise ValueError(
            f"x must have shape (batch, time, d_model), got {tuple(x.shape)}; add a "
            "missing batch axis with .unsqueeze(0)."
        )
    check_real("mask", mask, x.shape[:2], x.device)
