"""Windowed attention: see the last positions and the first ones, or nothing at all."""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from transformer.checks.doors import doors
from transformer.checks.values import check_size
from transformer.layers.attention import AttentionOutput
from transformer.layers.masks import causal_mask, window_mask
from transformer.layers.multi_head_attention import MultiHeadAttention
from transformer.layers.positions import Positions


@doors(init=lambda: check_windowed)
class WindowedAttention(MultiHeadAttention):
    r"""Attend to a window of the last positions; a head may leave weight unused.

    $$a_{ts} = \frac{M_{ts}\, e^{S_{ts}}}{[e^{b}] + \sum_u M_{tu}\, e^{S_{tu}}}$$

    with the scores $S$ of `MultiHeadAttention`, the mask $M$ of `window_mask`, and, if
    `learned_sinks`, one learned number $b$ for each head. A query sees no later
    position, whether asked for or not, if there is a window.

    First tokens that stay in sight are counted as if the text between them and the
    window were not there: for them a rotated query stands at position
    $\min(t, k + w - 1)$, its place in the cache. So no distance is larger than those
    that the model was trained with, however long the text. All other distances are
    those in the text, with which they agree.

    Source: the window: Jiang et al. (2023, "Mistral 7B"), section 2; first tokens and
    their positions: Xiao et al. (2024), section 3.2; the learned number: OpenAI (2025),
    model card of gpt-oss, section 2.

    Args:
        d_model: Number of features of the input and the output.
        num_heads: Number of query heads.
        window: Number of positions that a query sees, itself counted; all when None.
        sink_tokens: Number $k$ of first tokens that every query sees.
        learned_sinks: Whether each head has a score of its own for seeing nothing.
        options: What else `MultiHeadAttention` takes.

    Shape:
        As for `MultiHeadAttention`. With a `RollingKVCache` mask and bias still have a
        column for each position that was read, forgotten ones too, and the returned
        weights one for each that was kept. With `learned_sinks` a row of weights sums
        to less than one.

    Raises:
        ValueError: As for `MultiHeadAttention`, and if first tokens are to stay in
            sight without a window, or with vectors of distances.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        *,
        window: int | None = None,
        sink_tokens: int = 0,
        learned_sinks: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(d_model, num_heads, **options)
        self.window, self.sink_tokens = window, sink_tokens
        sinks = nn.Parameter(torch.zeros(num_heads)) if learned_sinks else None
        self.register_parameter("sink_scores", sinks)

    def extra_repr(self) -> str:
        """Name the settings when the module is printed."""
        return f"{super().extra_repr()}, window={self.window}, " + (
            f"sink_tokens={self.sink_tokens}"
        )

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
        """Attend to what is in sight, and to the sink of the head if there is one."""
        target, source = query.size(2), key.size(2)
        if self.window is not None:
            mask, bias = (self._columns(given, source) for given in (mask, bias))
            in_sight = self.window + (self.sink_tokens if target == 1 else 0)
            is_causal = is_causal or target > 1
            if source > in_sight:
                seen = window_mask(
                    target,
                    source,
                    window=self.window,
                    sink_tokens=self.sink_tokens,
                    device=query.device,
                )
                mask, is_causal = seen if mask is None else seen & mask, False
        if query.size(-1) != key.size(-1):
            key = self._apart(key)  # (batch, kv_heads, source, 2 * d_head)
        if self.sink_scores is None:
            handed = (mask, bias, is_causal, need_weights)
            return super()._attend(query, key, value, *handed)
        if is_causal:
            causal = causal_mask(target, source, device=query.device)
            mask = causal if mask is None else causal & mask
        # A key of zeros, whose value is zero too, and whose score is the sink.
        key, value = F.pad(key, (0, 0, 0, 1)), F.pad(value, (0, 0, 0, 1))
        if mask is not None:
            mask = F.pad(mask.expand(*mask.shape[:-1], source), (0, 1), value=True)
        bias = self._with_sink(bias, query, source)
        found = super()._attend(query, key, value, mask, bias, False, need_weights)
        weights = None if found.weights is None else found.weights[..., :-1]
        return AttentionOutput(found.values, weights)

    def _columns(self, given: Tensor | None, source: int) -> Tensor | None:
        """Return the columns of a mask or bias that belong to what a cache has kept."""
        if given is None or given.size(-1) in (1, source):
            return given
        recent = given[..., given.size(-1) - source + self.sink_tokens :]
        return torch.cat((given[..., : self.sink_tokens], recent), dim=-1)

    def _with_sink(self, bias: Tensor | None, query: Tensor, source: int) -> Tensor:
        """Return the bias with one more column, the score of the sink of each head."""
        if bias is None:
            bias = query.new_zeros(1, 1, 1, source)
        sinks = self.sink_scores.to(query.dtype)[:, None, None]  # (heads, 1, 1)
        rows = torch.broadcast_shapes(bias.shape[:-1], (1, self.num_heads, 1))
        return torch.cat((bias.expand(*rows, source), sinks.expand(*rows, 1)), dim=-1)

    def _rotate(
        self, query: Tensor, key: Tensor, start: int, positions: Positions | None
    ) -> tuple[Tensor, Tensor]:
        """Rotate queries twice: as the window sees them, and as the first tokens do."""
        near, key = super()._rotate(query, key, start, positions)
        if not self.sink_tokens:
            return near, key
        if positions is None:
            positions = Positions(start, query.size(2), device=query.device)
        last = self.sink_tokens + self.window - 1  # place of the query in a full cache
        far = self.rotary(query, positions.new.clamp(max=last))
        return torch.cat((near, far), dim=-1), key

    def _apart(self, key: Tensor) -> Tensor:
        """Let the first keys meet the far query, and all others the near one."""
        places = torch.arange(key.size(2), device=key.device)[:, None]
        is_first = places < self.sink_tokens
        near, far = key.masked_fill(is_first, 0), key.masked_fill(~is_first, 0)
        return torch.cat((near, far), dim=-1)

    def _relative_scores(self, query: Tensor, source: int, start: int) -> Tensor:
        """Return the scores of distances, where the last key is the last query."""
        return super()._relative_scores(query, source, source - query.size(2))


# Checks


def check_windowed(window: object, sink_tokens: object, options: dict) -> None:
    """Check what windowed attention takes beside `MultiHeadAttention`."""
    if window is not None:
        check_size("window", window)
    check_size("sink_tokens", sink_tokens, minimum=0)
    if sink_tokens and window is None:
        raise ValueError(
            f"first tokens stay in sight of a window, got sink_tokens={sink_tokens} and"
            " window=None; set a window, or leave sink_tokens out."
        )
    if sink_tokens and options.get("relative_keys") is not None:
        raise ValueError(
            "sink tokens must have positions that can be counted in the cache, got "
            "relative_keys, which count in the text; take rotary instead."
        )
