"""Multi-head attention: several attentions side by side, with projections."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from transformer.checks.doors import doors
from transformer.checks.values import check_divisible, check_dropout, check_positive
from transformer.layers.attention import (
    AttentionOutput,
    check_allowed,
    check_broadcast,
    check_sequences,
    fused_attention,
    scaled_dot_product_attention,
    share_heads,
    split_heads,
)
from transformer.layers.cache import KVCache, check_one_layer
from transformer.layers.masks import causal_mask
from transformer.layers.positions import Positions
from transformer.layers.projections import start_projections
from transformer.layers.relative import RelativeKeys
from transformer.layers.rotary import RotaryEmbedding


@doors(
    init=lambda: check_multi_head,
    forward=lambda: check_attending,
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
        is_causal: whether, beside what the mask says, no query sees a later key; as
        `causal_mask` has it, but no mask is made where the kernel needs none.
        positions: those of the queries, when a stack has made them for all its layers.
        values: (batch, target, d_model); weights: (batch, heads, target, source).
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
        is_causal: bool = False,
        positions: Positions | None = None,
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
                query, key = self._rotate(query, key, start, positions)
            if cache is not None:
                key, value = cache.update(key, value)
        if self.relative_keys is not None:
            relative = self._relative_scores(query, key.size(2), start)
            bias = relative if bias is None else bias + relative
        if bias is not None:
            bias = bias.to(query.dtype)  # autocast may have changed that of the query
        attended = self._attend(query, key, value, mask, bias, is_causal, need_weights)
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
        is_causal: bool,
        need_weights: bool,
    ) -> AttentionOutput:
        """Attend by the formula if weights are asked for, else by the fused kernel."""
        alone = mask is None and bias is None and query.size(2) == key.size(2)
        if is_causal and (need_weights or not alone):  # the kernel needs a mask
            causal = causal_mask(query.size(2), key.size(2), device=query.device)
            mask, is_causal = causal if mask is None else causal & mask, False
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
                need_weights=True,
            )
        values = fused_attention(
            query, key, value, mask, bias, self.scale, dropout, is_causal=is_causal
        )
        return AttentionOutput(values, None)

    def _rotate(
        self, query: Tensor, key: Tensor, start: int, positions: Positions | None
    ) -> tuple[Tensor, Tensor]:
        """Rotate queries and keys by their positions, `start` on."""
        if positions is None:
            positions = Positions(start, query.size(2), device=query.device)
        if not hasattr(self.rotary, "rotation"):  # another part with the same call
            return self.rotary(query, positions.new), self.rotary(key, positions.new)
        rotation = positions.rotation(self.rotary, query.dtype)
        return self.rotary.rotate(query, rotation), self.rotary.rotate(key, rotation)

    def _relative_scores(self, query: Tensor, source: int, start: int) -> Tensor:
        """Return the scaled scores of the queries with the vectors of distances."""
        positions = torch.arange(
            max(source, start + query.size(2)), device=query.device
        )
        asked = positions[start : start + query.size(2)]
        return self.scale * self.relative_keys(query, asked, positions[:source])


# Checks


def check_multi_head(
    d_model: object,
    num_heads: object,
    num_kv_heads: object,
    d_head: object,
    scale: object,
    rotary: object,
    relative_keys: object,
    dropout: object,
) -> None:
    """Check the settings of multi-head attention."""
    check_widths(d_model, num_heads, num_kv_heads, d_head)
    d_head = d_model // num_heads if d_head is None else d_head
    if scale is not None:
        check_positive("scale", scale)
    _check_positions_fit(d_head, rotary, relative_keys)
    check_dropout("dropout", dropout)


def check_widths(
    d_model: int, num_heads: int, num_kv_heads: int | None, d_head: int | None
) -> None:
    """Check that heads share their width, and keys and values, evenly."""
    if num_kv_heads is not None:
        check_divisible("num_heads", num_heads, "num_kv_heads", num_kv_heads)
    if d_head is None:
        check_divisible("d_model", d_model, "num_heads", num_heads)


def _check_positions_fit(
    d_head: int, rotary: nn.Module | None, relative_keys: nn.Module | None
) -> None:
    """Check that positions were made for heads of this size."""
    sizes = {}
    if rotary is not None:
        sizes["rotary"] = rotary.d_head
    if relative_keys is not None:
        sizes["relative_keys"] = relative_keys.embedding.embedding_dim
    for name, size in sizes.items():
        if size != d_head:
            raise ValueError(
                f"{name} must be made for heads of d_head={d_head}, got {size}; make "
                "it with the d_head of the attention."
            )


def check_attending(
    attention: nn.Module,
    query: Tensor,
    key: Tensor | None,
    value: Tensor | None,
    mask: object | None,
    bias: object | None,
    cache: object | None,
) -> None:
    """Check that attention can take these sequences, with this cache and mask."""
    held = 0 if cache is None else cache.length
    if cache is not None:
        check_one_layer(cache)
    _check_sources(query, key, value, cache, rotated=attention.rotary is not None)
    source = held if key is None else held + key.size(1)
    if source == 0:
        raise ValueError(
            "key must hold at least one position, got none; pass a longer sequence."
        )
    check_allowed(mask, bias)
    scores = (query.size(0), attention.num_heads, query.size(1), source)
    for name, given in (("mask", mask), ("bias", bias)):
        if given is not None:
            check_broadcast(name, given, scores)


def _check_sources(
    query: Tensor,
    key: Tensor | None,
    value: Tensor | None,
    cache: object | None,
    *,
    rotated: bool,
) -> None:
    """Check that sequences fit together, and that there is something to attend to."""
    sequences = {"query": query}
    if key is not None or value is not None:
        sequences |= {"key": key, "value": value}
    elif cache is None or cache.length == 0:
        raise ValueError(
            "key and value must be given unless a cache holds some, got neither; pass "
            "them, or a cache that was filled before."
        )
    check_sequences(**sequences)
    if cache is not None and cache.keys.size(0) != query.size(0):
        raise ValueError(
            "query and cache must have one batch size, got "
            f"{query.size(0)} and {cache.keys.size(0)}; make a new cache."
        )
    if key is None:
        return
    if key.size(1) != value.size(1):
        raise ValueError(
            "key and value must have the same number of source positions, got "
            f"{key.size(1)} and {value.size(1)}; pass them from the same sequence."
        )
    if rotated and key.size(1) != query.size(1):
        raise ValueError(
            "rotated queries and keys must have the same positions, got "
            f"{query.size(1)} queries and {key.size(1)} keys; pass one sequence, or "
            "build attention without rotary."
        )
