"""The decoder: layers in which each position sees itself and earlier ones."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from transformer.blocks.decoder_layer import DecoderLayer
from transformer.blocks.parts import build_final_norm, build_position_bias
from transformer.checks.attention import check_mask, check_sequences
from transformer.checks.values import check_kind
from transformer.config import TransformerConfig
from transformer.layers.decoder_cache import DecoderCache
from transformer.layers.masks import causal_mask


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
        check_kind("config", config, TransformerConfig)
        if config.num_decoder_layers == 0:
            raise ValueError(
                "a decoder must have layers, got num_decoder_layers=0; set it, or "
                "take an encoder-only model."
            )
        self.config = config
        self.layers = nn.ModuleList(
            DecoderLayer(config, cross_attention=cross_attention)
            for _ in range(config.num_decoder_layers)
        )
        self.relative_bias = build_position_bias(config, bidirectional=False)
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
        self._check(x, mask, cache)
        start, target = 0 if cache is None else cache.length, x.size(1)
        if target > 1:  # a single new position may see all that came before
            causal = causal_mask(target, start + target, device=x.device)
            mask = causal if mask is None else causal & mask
        bias = None
        if self.relative_bias is not None:
            positions = torch.arange(start + target, device=x.device)
            bias = self.relative_bias(positions[start:], positions).to(x.dtype)
        caches = [None] * len(self.layers) if cache is None else cache.layers
        for layer, layer_cache in zip(self.layers, caches, strict=True):
            x = layer(
                x,
                memory,
                mask=mask,
                memory_mask=memory_mask,
                bias=bias,
                cache=layer_cache,
            )
        return self.norm(x)

    def _check(
        self, x: object, mask: object | None, cache: DecoderCache | None
    ) -> None:
        """Refuse what does not fit at the door of `forward`."""
        check_kind("cache", cache, DecoderCache | None)
        check_sequences(self.config.d_model, x=x)
        if cache is not None and len(cache.layers) != len(self.layers):
            raise ValueError(
                f"the cache must have one part for each of {len(self.layers)} layers, "
                f"got {len(cache.layers)}; use the cache of new_cache()."
            )
        if mask is not None:
            source = x.size(1) + (0 if cache is None else cache.length)
            check_mask(mask, (x.size(0), self.config.num_heads, x.size(1), source), x)

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
        if source is not None and self.layers[0].cross_attention is None:
            raise ValueError(
                "a decoder without cross-attention has no memory to hold, got source="
                f"{source}; leave it out."
            )
        weight = self.layers[0].self_attention.key_projection.weight
        return DecoderCache.empty(
            len(self.layers),
            batch=batch,
            num_kv_heads=self.config.kv_heads,
            max_len=self.config.max_len if max_len is None else max_len,
            d_head=self.config.head_size,
            source=source,
            dtype=weight.dtype if dtype is None else dtype,
            device=weight.device,
        )
