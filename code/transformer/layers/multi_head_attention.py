"""Multi-head attention: several attentions side by side, with projections."""

from functools import partial

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from transformer.checks.doors import doors
from transformer.checks.multi_head_attention import check_attending, check_multi_head
from transformer.layers.attention import (
    AttentionOutput,
    fused_attention,
    scaled_dot_product_attention,
    share_heads,
    split_heads,
)
from transformer.layers.cache import KVCache
from transformer.layers.projections import start_projections
from transformer.layers.relative import RelativeKeys
from transformer.layers.rotary import RotaryEmbedding


@doors(
    init=partial(check_multi_head, RotaryEmbedding, RelativeKeys),
    forward=check_attending,
)
class MultiHeadAttention(nn.Module):
    r"""Attend several times in parallel, each head with projections of its own.

    $$\mathrm{MultiHead}(Q, K, V) = \mathrm{Concat}(H_1, \dots, H_h)\, W^O, \qquad
    H_i = \mathrm{Attention}(Q W_i^Q,\, K W_{g(i)}^K,\, V W_{g(i)}^V)$$

    Each group of `num_heads / num_kv_heads` heads shares one key and value head:
    $g(i) = i$ is multi-head, one group for all heads is multi-query attention.

    Source: Vaswani et al. (2017), section 3.2.2; one shared head: Shazeer (2019),
    section 3; grouped heads: Ainslie et al. (2023), section 2.2. The weights start
    from the normalized initialization of Glorot and Bengio (2010) and the biases at
    zero, as in `torch.nn.MultiheadAttention`; there the three input projections
    count as one matrix, here each starts by itself.

    Args:
        d_model: Number of features of the input and the output.
        num_heads: Number of query heads.
        num_kv_heads: Number of key and value heads; divides `num_heads`, and equals
            it when not given.
        d_head: Number of features of a head; `d_model / num_heads` when not given.
        bias: Whether the four projections have biases.
        scale: Factor on the scores; the inverse root of `d_head` when not given.
        rotary: Rotation of queries and keys by their position (self-attention).
        relative_keys: Vectors for distances, met by the queries (self-attention).
        dropout: Probability of dropping a weight while training, in [0, 1).

    Shape:
        query: (batch, target, d_model); key, value: (batch, source, d_model), or
        None to attend to what the cache holds, and nothing else.
        mask, bias: broadcast to (batch, heads, target, source); of rank 2 or 4. With
        a cache the source axis holds the cached positions first.
        values: (batch, target, d_model); weights: (batch, heads, target, source).

    Raises:
        TypeError: If an argument has the wrong type or dtype.
        ValueError: If sizes do not divide, or shapes do not fit.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        *,
        num_kv_heads: int | None = None,
        d_head: int | None = None,
        bias: bool = True,
        scale: float | None = None,
        rotary: RotaryEmbedding | None = None,
        relative_keys: RelativeKeys | None = None,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        num_kv_heads = num_heads if num_kv_heads is None else num_kv_heads
        d_head = d_model // num_heads if d_head is None else d_head
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.scale = d_head**-0.5 if scale is None else scale
        self.rotary = rotary
        self.dropout = dropout
        self.query_projection = nn.Linear(d_model, num_heads * d_head, bias=bias)
        self.key_projection = nn.Linear(d_model, num_kv_heads * d_head, bias=bias)
        self.value_projection = nn.Linear(d_model, num_kv_heads * d_head, bias=bias)
        self.output_projection = nn.Linear(num_heads * d_head, d_model, bias=bias)
        start_projections(
            self.query_projection,
            self.key_projection,
            self.value_projection,
            self.output_projection,
        )
        self.relative_keys = relative_keys

    def forward(
        self,
        query: Float[Tensor, "batch target d_model"],
        key: Float[Tensor, "batch source d_model"] | None,
        value: Float[Tensor, "batch source d_model"] | None,
        *,
        mask: Bool[Tensor, "..."] | None = None,
        bias: Float[Tensor, "..."] | None = None,
        cache: KVCache | None = None,
        need_weights: bool = False,
    ) -> AttentionOutput:
        """Return what each target position gathers from the source positions."""
        start = 0 if cache is None or key is None else cache.length
        query = split_heads(self.query_projection(query), self.num_heads)
        if key is None:
            key, value = cache.held()  # (batch, kv_heads, source, d_head)
        else:
            key = split_heads(self.key_projection(key), self.num_kv_heads)
            value = split_heads(self.value_projection(value), self.num_kv_heads)
            if self.rotary is not None:
                query, key = self._rotate(query, key, start)
            if cache is not None:
                key, value = cache.update(key, value)
        if self.relative_keys is not None:
            relative = self._relative_scores(query, key.size(2), start)
            bias = relative if bias is None else bias + relative
        if bias is not None:
            bias = bias.to(query.dtype)  # autocast may have changed that of the query
        attended = self._attend(query, key, value, mask, bias, need_weights)
        merged = attended.values.transpose(1, 2).flatten(start_dim=2)
        return AttentionOutput(self.output_projection(merged), attended.weights)

    def extra_repr(self) -> str:
        """Name the settings when the module is printed."""
        heads = f"num_heads={self.num_heads}, num_kv_heads={self.num_kv_heads}"
        return f"{heads}, scale={self.scale:.4g}, dropout={self.dropout}"

    def _attend(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None,
        bias: Tensor | None,
        need_weights: bool,
    ) -> AttentionOutput:
        """Attend by the formula if weights are asked for, else by the fused kernel."""
        dropout = self.dropout if self.training else 0.0
        if need_weights:
            return scaled_dot_product_attention(
                query,  # (batch, heads, target, d_head)
                share_heads(key, self.num_heads),  # (batch, heads, source, d_head)
                share_heads(value, self.num_heads),
                mask=mask,
                bias=bias,
                scale=self.scale,
                dropout=dropout,
            )
        return AttentionOutput(
            fused_attention(query, key, value, mask, bias, self.scale, dropout), None
        )

    def _rotate(self, query: Tensor, key: Tensor, start: int) -> tuple[Tensor, Tensor]:
        """Rotate queries and keys by their positions, `start` on."""
        positions = torch.arange(start, start + query.size(2), device=query.device)
        if not hasattr(self.rotary, "rotation"):  # another part with the same call
            return self.rotary(query, positions), self.rotary(key, positions)
        rotation = self.rotary.rotation(positions, query.dtype)
        return self.rotary.rotate(query, rotation), self.rotary.rotate(key, rotation)

    def _relative_scores(self, query: Tensor, source: int, start: int) -> Tensor:
        """Return the scaled scores of the queries with the vectors of distances."""
        positions = torch.arange(
            max(source, start + query.size(2)), device=query.device
        )
        asked = positions[start : start + query.size(2)]
        return self.scale * self.relative_keys(query, asked, positions[:source])
