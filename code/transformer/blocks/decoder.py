"""The decoder: layers in which each position sees itself and earlier ones."""

from functools import partial

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from transformer.blocks.decoder_layer import DecoderLayer, ParallelLayer, check_step
from transformer.blocks.parts import (
    arrange,
    build_final_norm,
    build_layers,
    build_position_bias,
    plain,
)
from transformer.checks.doors import doors
from transformer.config import TransformerConfig
from transformer.layers.attention import check_allowed
from transformer.layers.cache import DecoderCache
from transformer.layers.masks import causal_mask
from transformer.layers.positions import Positions
from transformer.layers.recurrent_mixer import RecurrentMixer
from transformer.layers.rolling_cache import RollingDecoderCache


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
    Those with a mixer other than softmax do without the bias.

    Source: Vaswani et al. (2017), sections 3.1 and 3.2.3.

    Args:
        config: Number of layers, sizes and choices.
        cross_attention: Whether the layers attend to a memory.

    Shape:
        x: (batch, target, d_model); the result has the same shape.
        memory: (batch, source, d_model).
        mask: broadcasts to (batch, heads, target, cached + target): what may be seen
        beside being no later, such as real tokens only; nothing else with mixers other
        than softmax.
        memory_mask: broadcasts to (batch, heads, target, source).

    Raises:
        ValueError: If the configuration has no decoder layers, or shapes do not fit.
    """

    def __init__(
        self, config: TransformerConfig, *, cross_attention: bool = False
    ) -> None:
        super().__init__()
        self.config = config
        kind = ParallelLayer if config.parallel_residual else DecoderLayer
        self.layers = build_layers(
            partial(kind, cross_attention=cross_attention),
            [plain(config).of_layer(n) for n in range(config.num_decoder_layers)],
        )
        for layer, mixer in zip(self.layers, config.layer_mixers, strict=True):
            arrange(layer, config, mixer)
        self.reads_memory = cross_attention
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
        positions = Positions(start, target, device=x.device)
        bias = None
        if self.position_bias is not None:
            bias = self.position_bias(positions.new, positions.all, dtype=x.dtype)
        is_causal = False
        if target > 1:  # a single new position may see all that came before
            if start == 0 and mask is None and bias is None:
                is_causal = True  # with nothing else to hide, the kernel needs no mask
            else:
                causal = causal_mask(target, start + target, device=x.device)
                mask = causal if mask is None else causal & mask
        for number, layer in enumerate(self.layers):
            x = layer(
                x,
                memory,
                mask=mask,
                memory_mask=memory_mask,
                bias=bias,
                cache=None if cache is None else cache[number],
                is_causal=is_causal,
                positions=positions,
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
        spare: int = 0,
    ) -> DecoderCache:
        """Return an empty cache for `batch` sequences of up to `max_len` positions.

        Args:
            batch: Number of sequences.
            max_len: Room for positions; that of the configuration when not given.
            source: Number of positions of the memory, with cross-attention.
            dtype: That of the parameters when not given; under autocast, pass its.
            spare: How many positions may be truncated, where layers have a window.
        """
        room = {"max_len": max_len, "source": source, "dtype": dtype, "spare": spare}
        return empty_cache(self, self.config, batch, **room)


def empty_cache(
    decoder: nn.Module,
    config: TransformerConfig,
    batch: int,
    *,
    max_len: int | None = None,
    source: int | None = None,
    dtype: torch.dtype | None = None,
    spare: int = 0,
) -> DecoderCache:
    """Return an empty cache for a decoder, whoever has made it.

    Args:
        decoder: Its parameters tell device and dtype; its `layers`, or those of the
            `Decoder` within it, how many there are and which of them have states.
        config: What is not told otherwise.
        batch: Number of sequences.
        max_len: Room for positions; that of the configuration when not given.
        source: Number of positions of the memory, with cross-attention.
        dtype: That of the parameters when not given.
        spare: How many positions may be truncated, where layers have a window.
    """
    like = next(decoder.parameters(), torch.empty(0))
    stacks = (part for part in decoder.modules() if isinstance(part, Decoder))
    layers = getattr(next(stacks, decoder), "layers", ())
    number = len(layers) or config.num_decoder_layers
    sizes = {
        "batch": batch,
        "max_len": config.max_len if max_len is None else max_len,
        **config.cached_sizes,
        "dtype": like.dtype if dtype is None else dtype,
        "device": like.device,
    }
    if config.window is None:
        states = {
            number: mixer.state_shapes
            for number, layer in enumerate(layers)
            for mixer in getattr(layer, "self_attention", layer).modules()
            if isinstance(mixer, RecurrentMixer)
        }
        return DecoderCache(number, source=source, states=states, **sizes)
    windows = [config.window_of(layer) for layer in range(number)]
    stays = {"sink_tokens": config.sink_tokens, "spare": spare}
    return RollingDecoderCache(windows, **stays, **sizes)


# Checks


def check_decoder(config: TransformerConfig) -> None:
    """Check that a configuration has decoder layers."""
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
    narrow = mask is None or (mask.dim() == 4 and mask.shape[1:3] == (1, 1))
    if decoder.config.has_states and not narrow:
        raise ValueError(
            "mask must have shape (batch, 1, 1, source) with mixers="
            f"{decoder.config.mixers!r}, which hide padding and nothing else, got "
            f"{tuple(mask.shape)}; write mask[:, None, None]."
        )


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
    wanted = getattr(decoder, "reads_memory", memory is not None)
    check_step(x, memory, memory_mask, parts, wanted=wanted)


def check_new_cache(decoder: nn.Module, source: object | None) -> None:
    """Check that a decoder whose cache is to hold a memory attends to one."""
    if source is not None and not decoder.reads_memory:
        raise ValueError(
            "a decoder without cross-attention has no memory to hold, got source="
            f"{source}; leave it out."
        )
