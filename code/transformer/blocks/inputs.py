"""The way in: token ids become the vectors that the first layer reads."""

import torch
from jaxtyping import Bool, Float, Integer
from torch import Tensor, nn

from transformer.blocks.parts import build_norm
from transformer.checks.doors import door, doors
from transformer.checks.tensors import can_read, check_tokens
from transformer.config import TransformerConfig
from transformer.layers.embeddings import TokenEmbedding, rows_of
from transformer.layers.masks import check_real
from transformer.layers.positional import (
    LearnedPositionalEmbedding,
    PositionalEncoding,
    check_span,
)

# Positions that are added to the input; the other kinds act inside attention.
POSITION_AT_INPUT = {
    "sinusoidal": PositionalEncoding,
    "learned": LearnedPositionalEmbedding,
}


@doors(forward=lambda: check_inputs)
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

    Raises:
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


@door(lambda: check_real_tokens)
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


# Checks


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
