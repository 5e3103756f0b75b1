"""Latent attention: keys and values of all heads are read off one short vector."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from transformer.checks.doors import doors
from transformer.checks.values import check_dropout, check_positive
from transformer.layers.attention import AttentionOutput, split_heads
from transformer.layers.branch_norms import NormedProjection
from transformer.layers.cache import KVCache
from transformer.layers.multi_head_attention import MultiHeadAttention, check_attending
from transformer.layers.norms import RMSNorm
from transformer.layers.positions import Positions
from transformer.layers.projections import start_projections
from transformer.layers.rotary import RotaryEmbedding


class LatentCache(KVCache):
    r"""Hold of each position its latent vector and its rotated key, and nothing else.

    $$d_{\mathrm{latent}} + d_{\mathrm{rotary}}$$

    numbers for each position and layer, however many heads there are.

    Source: DeepSeek-AI (2024, "DeepSeek-V2"), section 2.1.4 and Table 1.

    Args:
        batch: Number of sequences.
        max_len: Number of positions for which there is room.
        d_latent: Number of features of a latent vector, kept in `keys`.
        d_rotary: Number of features of a rotated key, kept in `values`.
        num_layers: As for `KVCache`.
        dtype: Type of the numbers; the default dtype when not given.
        device: Where to hold them; the default device when not given.
    """

    def __init__(
        self,
        batch: int,
        max_len: int,
        d_latent: int,
        d_rotary: int,
        *,
        num_layers: int | None = None,
        dtype: torch.dtype | None = None,
        device: torch.device | str | None = None,
    ) -> None:
        place = {"num_layers": num_layers, "dtype": dtype, "device": device}
        super().__init__(batch, 1, max_len, d_latent, d_value=d_rotary, **place)


@doors(init=lambda: check_latent, forward=lambda: check_latent_call)
class MultiHeadLatentAttention(MultiHeadAttention):
    r"""Attend with keys and values that are unpacked from one latent vector.

    $$\mathbf{c}_t = \mathrm{Norm}(W^{DKV} \mathbf{x}_t), \qquad
    \mathbf{k}_{t,i} = [\,W^{UK}_i \mathbf{c}_t;\; R_t W^{KR} \mathbf{x}_t\,], \qquad
    \mathbf{v}_{t,i} = W^{UV}_i \mathbf{c}_t, \qquad
    \mathbf{q}_{t,i} = [\,W^{Q}_i \mathbf{x}_t;\; R_t W^{QR}_i \mathbf{x}_t\,]$$

    for head $i$, with the rotation $R_t$ of position $t$. Since
    $\mathbf{q} \cdot W^{UK} \mathbf{c} = (W^{UK\top} \mathbf{q}) \cdot \mathbf{c}$, the
    matrix that unpacks keys can move into the query, and that of the values behind the
    mix: in this absorbed form all heads attend to the latent vectors themselves, as in
    multi-query attention, and nothing is unpacked. A rotation between the two would
    forbid it, so a few features of their own, shared by all heads, tell the position.

    Source: DeepSeek-AI (2024, "DeepSeek-V2"), sections 2.1.2 and 2.1.3, equations (9)
    to (19); the norms of the latent vectors: section 3.1.2.

    Args:
        d_model: Number of features of the input and the output.
        num_heads: Number of heads.
        d_latent: Number of features of the vector that keys and values are read off.
        d_head: Number of features of a query that know no position.
        d_value: Number of features of a value; `d_head` when not given.
        rotary: Rotation of the other features of queries and keys; its `d_head` says
            how many.
        query_latent: Number of features of a latent vector for the queries, which are
            projected directly when not given.
        bias: Whether the projections onto latent vectors and the output have biases.
        scale: Factor on the scores; the inverse root of all features of a query when
            not given.
        norm_eps: Of the norms of the latent vectors.
        dropout: Probability of dropping a weight while training, in [0, 1).
        absorbed: Whether to use the absorbed form; when not given, where a cache holds
            earlier positions.

    Shape:
        query: (batch, target, d_model). As key and value it is passed again: this is
        self-attention.
        All else as for `MultiHeadAttention`; the cache is a `LatentCache`.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        *,
        d_latent: int,
        d_head: int,
        rotary: RotaryEmbedding,
        d_value: int | None = None,
        query_latent: int | None = None,
        bias: bool = False,
        scale: float | None = None,
        norm_eps: float = 1e-6,
        dropout: float = 0.0,
        absorbed: bool | None = None,
    ) -> None:
        nn.Module.__init__(self)  # the projections are others
        self.num_heads, self.num_kv_heads = num_heads, 1
        self.d_head, self.d_value = d_head, d_head if d_value is None else d_value
        self.d_latent, self.rotary, self.relative_keys = d_latent, rotary, None
        self.d_rotary = rotary.d_head
        wide = d_head + self.d_rotary
        self.scale = wide**-0.5 if scale is None else scale
        self.dropout, self.absorbed = dropout, absorbed
        asking = d_model if query_latent is None else query_latent
        self.query_latent = nn.Identity()
        if query_latent is not None:
            packing = nn.Linear(d_model, query_latent, bias=bias)
            norm = RMSNorm(query_latent, eps=norm_eps)
            self.query_latent = NormedProjection(packing, norm, d_head=query_latent)
            start_projections(packing)
        self.query_projection = nn.Linear(asking, num_heads * wide, bias=False)
        self.latent_projection = nn.Linear(d_model, d_latent + self.d_rotary, bias=bias)
        self.latent_norm = RMSNorm(d_latent, eps=norm_eps)
        unpacked = num_heads * (d_head + self.d_value)
        self.unpack_projection = nn.Linear(d_latent, unpacked, bias=False)
        self.output_projection = nn.Linear(num_heads * self.d_value, d_model, bias=bias)
        start_projections(
            self.query_projection,
            self.latent_projection,
            self.unpack_projection,
            self.output_projection,
        )

    def forward(
        self,
        query: Float[Tensor, "batch time d_model"],
        key: Float[Tensor, "batch time d_model"],
        value: Float[Tensor, "batch time d_model"],
        *,
        mask: Bool[Tensor, "..."] | None = None,
        bias: Float[Tensor, "..."] | None = None,
        cache: KVCache | None = None,
        is_causal: bool = False,
        positions: Positions | None = None,
        need_weights: bool = False,
    ) -> AttentionOutput:
        """Return what each target position gathers from the source positions."""
        start = 0 if cache is None else cache.length
        asked = split_heads(
            self.query_projection(self.query_latent(query)), self.num_heads
        )
        still, turned = asked.split((self.d_head, self.d_rotary), dim=-1)
        packed = self.latent_projection(key)[:, None]  # (batch, 1, time, ...)
        latent, shared = packed.split((self.d_latent, self.d_rotary), dim=-1)
        latent = self.latent_norm(latent)
        turned, shared = self._rotate(turned, shared, start, positions)
        if cache is not None:
            latent, shared = cache.update(latent, shared)
        absorbed = start > 0 if self.absorbed is None else self.absorbed
        attend = self._attend_absorbed if absorbed else self._attend_plain
        options = (mask, bias, is_causal, need_weights)
        attended = attend(still, turned, latent, shared, *options)
        merged = attended.values.transpose(1, 2).flatten(start_dim=2)
        return AttentionOutput(self.output_projection(merged), attended.weights)

    def extra_repr(self) -> str:
        """Name the settings when the module is printed."""
        return (
            f"num_heads={self.num_heads}, d_latent={self.d_latent}, "
            f"d_head={self.d_head}, d_rotary={self.d_rotary}, "
            f"d_value={self.d_value}, scale={self.scale:.4g}, dropout={self.dropout}"
        )

    def _attend_plain(
        self,
        still: Tensor,
        turned: Tensor,
        latent: Tensor,
        shared: Tensor,
        *options: object,
    ) -> AttentionOutput:
        """Unpack the keys and values of all positions, and attend to them."""
        unpacked = split_heads(self.unpack_projection(latent[:, 0]), self.num_heads)
        key, value = unpacked.split((self.d_head, self.d_value), dim=-1)
        shared = shared.expand(-1, self.num_heads, -1, -1)
        query, key = torch.cat((still, turned), -1), torch.cat((key, shared), -1)
        return self._attend(query, key, value, *options)

    def _attend_absorbed(
        self,
        still: Tensor,
        turned: Tensor,
        latent: Tensor,
        shared: Tensor,
        *options: object,
    ) -> AttentionOutput:
        """Bring the queries to the latent vectors, and unpack only what was mixed."""
        key, value = self._unpacking()
        query = torch.cat((still @ key, turned), dim=-1)  # (..., d_latent + d_rotary)
        seen = torch.cat((latent, shared), dim=-1)
        found = self._attend(query, seen, latent, *options)
        return AttentionOutput(found.values @ value.transpose(-2, -1), found.weights)

    def _unpacking(self) -> tuple[Tensor, Tensor]:
        """Return the matrices that unpack keys and values, (heads, ..., d_latent)."""
        part = self.unpack_projection
        if type(part) is nn.Linear:
            matrix = part.weight
        else:  # something with the same call, such as an adapter, tells what it does
            like = next(self.latent_norm.parameters())
            every = torch.eye(self.d_latent, dtype=like.dtype, device=like.device)
            matrix = part(every[None])[0].transpose(0, 1)
        rows = matrix.unflatten(0, (self.num_heads, self.d_head + self.d_value))
        return rows.split((self.d_head, self.d_value), dim=1)


# Checks


def check_latent(scale: object, norm_eps: object, dropout: object) -> None:
    """Check the settings of latent attention."""
    if scale is not None:
        check_positive("scale", scale)
    check_positive("norm_eps", norm_eps)
    check_dropout("dropout", dropout)


def check_latent_call(
    attention: nn.Module,
    query: Tensor,
    key: Tensor | None,
    value: Tensor | None,
    mask: object | None,
    bias: object | None,
    cache: object | None,
) -> None:
    """Check that this is self-attention, and what `MultiHeadAttention` checks."""
    if key is not query or value is not query:
        raise ValueError(
            "latent attention reads queries, keys and values off one sequence, got "
            "another key or value; pass query three times."
        )
    check_attending(attention, query, key, value, mask, bias, cache)
