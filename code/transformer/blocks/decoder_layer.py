"""The layer of a decoder: look at the target, at the memory, then work."""

from jaxtyping import Bool, Float
from torch import Tensor, nn

from transformer.blocks.parts import (
    build_attention,
    build_feed_forward,
    build_residual,
    build_self_attention,
)
from transformer.checks.attention import check_inputs
from transformer.checks.decoder import (
    check_cache_batch,
    check_memory,
    check_memory_cache,
    check_memory_mask,
)
from transformer.checks.values import check_flag, check_kind
from transformer.config import TransformerConfig
from transformer.layers.cache import KVCache
from transformer.layers.decoder_cache import LayerCache


class DecoderLayer(nn.Module):
    r"""Attend within the target, then to the memory, then work on each position.

    $$\mathbf{X}' = \mathrm{Residual}(\mathbf{X}, \mathrm{MultiHead}), \quad
    \mathbf{X}'' = \mathrm{Residual}(\mathbf{X}', \mathrm{MultiHead}(\cdot,
    \mathbf{M}, \mathbf{M})), \quad
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
        check_kind("config", config, TransformerConfig)
        check_flag("cross_attention", cross_attention)
        self.d_model = config.d_model
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
        check_kind("cache", cache, LayerCache | None)
        own, crossed = cache or (None, None)
        self._check(x, memory, memory_mask, own, crossed)

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

    def _check(
        self,
        x: object,
        memory: object | None,
        memory_mask: object | None,
        own: KVCache | None,
        crossed: KVCache | None,
    ) -> None:
        """Refuse what does not fit, before a cache is written."""
        attention, wanted = self.self_attention, self.cross_attention is not None
        held = None if crossed is None else crossed.held()[0]
        length = 0 if held is None else held.size(2)
        sequences = {"x": x} if memory is None else {"x": x, "memory": memory}
        check_inputs(attention.query_projection.weight, **sequences)
        check_memory(memory, wanted=wanted, held=length > 0)
        source = length if memory is None else memory.size(1)
        check_memory_mask(memory_mask, x, attention.num_heads, source, wanted=wanted)
        if own is not None:
            own.check_room(x.size(1))
            check_cache_batch(x, own.keys)
        if held is not None:
            check_memory_cache(memory, held, crossed.max_len)
            check_cache_batch(x, crossed.keys)
