"""The way in: token ids become the vectors that the first layer reads."""

from functools import partial

import torch
from jaxtyping import Bool, Float, Integer
from torch import Tensor, nn

from transformer.blocks.parts import build_norm
from transformer.checks.blocks import check_config
from transformer.checks.doors import door, doors
from transformer.checks.models import check_inputs, check_real_tokens
from transformer.config import TransformerConfig
from transformer.layers.embeddings import TokenEmbedding
from transformer.layers.positional import LearnedPositionalEmbedding, PositionalEncoding

# Positions that are added to the input; the other kinds act inside attention.
POSITION_AT_INPUT = {
    "sinusoidal": PositionalEncoding,
    "learned": LearnedPositionalEmbedding,
}


@doors(init=partial(check_config, TransformerConfig), forward=check_inputs)
class InputEmbedding(nn.Module):
    r"""Add up what is known of each token: which it is, where, and in which segment.

    $$\mathbf{x}_t = \mathrm{Dropout}\big(\mathrm{Norm}(
    s\,U_{\mathrm{id}_t} + G_{\mathrm{segment}_t} + P_t)\big)$$

    with the parts that the configuration names. A sequence whose segments are not
    given belongs to segment 0.

    Source: Vaswani et al. (2017), sections 3.4 and 3.5, dropout: section 5.4;
    segments: Devlin et al. (2019), section 3 and Figure 2; the norm: their released
    code.

    Args:
        config: Which parts, and their sizes.

    Shape:
        tokens, segments: (batch, time); the result: (batch, time, d_model).

    Raises:
        TypeError: If `config` is no `TransformerConfig`, or ids are not integers.
        ValueError: If an id is out of range, shapes do not fit, segments are given
            to a model without any, or a position is not below `max_len`.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.tokens = TokenEmbedding(
            config.vocab_size, config.d_model, scale=config.scale_embeddings
        )
        self.segments = None
        if config.num_segments:
            self.segments = TokenEmbedding(config.num_segments, config.d_model)
        self.positions = None
        if config.position in POSITION_AT_INPUT:
            add_positions = POSITION_AT_INPUT[config.position]
            self.positions = add_positions(config.d_model, max_len=config.max_len)
        self.norm = build_norm(config) if config.norm_embeddings else nn.Identity()
        self.dropout = nn.Dropout(config.dropout)

    def forward(
        self,
        tokens: Integer[Tensor, "batch time"],
        *,
        segments: Integer[Tensor, "batch time"] | None = None,
        start: int = 0,
    ) -> Float[Tensor, "batch time d_model"]:
        """Embed tokens that stand at the positions `start`, `start + 1`, and so on."""
        x = self.tokens(tokens)  # (batch, time, d_model)
        if self.segments is not None:
            segments = torch.zeros_like(tokens) if segments is None else segments
            x = x + self.segments(segments)
        if self.positions is not None:
            x = self.positions(x, start=start)
        return self.dropout(self.norm(x))


@door(check_real_tokens)
def real_tokens(
    name: str,
    tokens: Integer[Tensor, "batch time"],
    mask: Bool[Tensor, "batch time"] | None,
    pad_id: int | None,
) -> Bool[Tensor, "batch time"] | None:
    """Return which tokens are real and not padding.

    Args:
        name: What the tokens are called there, for messages.
        tokens: Ids, one row for each sequence.
        mask: True where a token is real; made from `pad_id` when not given.
        pad_id: The token that pads, if any.

    Returns:
        True where a token is real; None if there is no padding to tell.

    Raises:
        TypeError: If tokens are no integers, or the mask is not Boolean.
        ValueError: If shapes do not fit, or there is no token at all.
    """
    if mask is None:
        return None if pad_id is None else tokens.long() != pad_id
    return mask


def over_scores(
    real: Bool[Tensor, "batch source"] | None,
) -> Bool[Tensor, "batch 1 1 source"] | None:
    """Add the axes of attention: all heads and queries see the same real tokens."""
    return None if real is None else real[:, None, None, :]
