"""The encoder-decoder of 2017: from one sequence to another."""

import torch
from jaxtyping import Bool, Float, Integer
from torch import Tensor, nn

from transformer.blocks.decoder import Decoder, empty_cache
from transformer.blocks.encoder import Encoder
from transformer.blocks.inputs import (
    InputEmbedding,
    check_inputs,
    check_real_tokens,
    over_scores,
    real_tokens,
)
from transformer.checks.doors import doors
from transformer.config import TransformerConfig
from transformer.layers.attention import check_sequences
from transformer.layers.cache import DecoderCache
from transformer.layers.masks import check_real
from transformer.models.decoder_only import check_decoded
from transformer.models.device import HasDevice
from transformer.models.heads import LanguageModelHead
from transformer.models.parameters import initialize


@doors(
    forward=lambda: check_both,
    encode=lambda: check_source,
    decode=lambda: check_target,
    new_cache=lambda memory: check_sequences(memory=memory),
)
class Transformer(HasDevice, nn.Module):
    r"""Read a source sequence, then score each next token of a target sequence.

    $$\mathbf{M} = \mathrm{Encoder}(\mathrm{Embed}(\mathrm{source})), \qquad
    \mathrm{logits} = \mathrm{Head}(\mathrm{Decoder}(
    \mathrm{Embed}(\mathrm{target}), \mathbf{M}))$$

    Source and target share one vocabulary and one embedding. The logits at a target
    position score the token that *follows* it: train with the target shifted by one.

    Source: Vaswani et al. (2017), section 3 and Figure 1; T5: Raffel et al. (2020),
    section 2.1.

    Args:
        config: Sizes and choices; both numbers of layers above 0.

    Shape:
        source: (batch, source); target: (batch, target); token ids.
        source_mask, target_mask: like the ids, True for real tokens; made from
        `pad_id` when not given.
        memory: (batch, source, d_model); logits: (batch, target, vocab).

    Raises:
        ValueError: If the configuration lacks a stack, ids are out of range, or
            shapes do not fit.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.config = config
        self.embedding = InputEmbedding(config)
        self.encoder = Encoder(config)
        self.decoder = Decoder(config, cross_attention=True)
        self.head = LanguageModelHead(config, self.embedding.tokens)
        initialize(self, config)

    def encode(
        self,
        source: Integer[Tensor, "batch source"],
        *,
        source_mask: Bool[Tensor, "batch source"] | None = None,
    ) -> Float[Tensor, "batch source d_model"]:
        """Return the memory: a representation of each source position."""
        real = real_tokens("source", source, source_mask, self.config.pad_id)
        return self.encoder(self.embedding(source), mask=over_scores(real))

    def decode(
        self,
        target: Integer[Tensor, "batch target"],
        memory: Float[Tensor, "batch source d_model"],
        *,
        target_mask: Bool[Tensor, "batch target"] | None = None,
        source_mask: Bool[Tensor, "batch source"] | None = None,
        cache: DecoderCache | None = None,
    ) -> Float[Tensor, "batch target vocab"]:
        """Return the logits of the token after each target position.

        The memory alone does not tell padding: pass the `source_mask` that `encode`
        has used, if there was any. With a cache, `target` holds the new tokens only.
        """
        real = real_tokens("target", target, target_mask, self.config.pad_id)
        start = 0
        if cache is not None:
            start, real = cache.length, cache.remember(real, target.size(1))
        x = self.decoder(
            self.embedding(target, start=start),
            memory,
            mask=over_scores(real),
            memory_mask=over_scores(source_mask),
            cache=cache,
        )
        return self.head(x)

    def forward(
        self,
        source: Integer[Tensor, "batch source"],
        target: Integer[Tensor, "batch target"],
        *,
        source_mask: Bool[Tensor, "batch source"] | None = None,
        target_mask: Bool[Tensor, "batch target"] | None = None,
    ) -> Float[Tensor, "batch target vocab"]:
        """Return the logits of the token after each target position."""
        real = real_tokens("source", source, source_mask, self.config.pad_id)
        memory = self.encode(source, source_mask=real)
        return self.decode(target, memory, target_mask=target_mask, source_mask=real)

    def new_cache(
        self,
        memory: Float[Tensor, "batch source d_model"],
        *,
        max_len: int | None = None,
        dtype: torch.dtype | None = None,
    ) -> DecoderCache:
        """Return an empty cache for decoding against a memory."""
        return empty_cache(
            self.decoder,
            self.config,
            memory.size(0),
            max_len=max_len,
            source=memory.size(1),
            dtype=dtype,
        )


# Checks


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
    check_decoded(model, target, target_mask, source[..., None], None)


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
    check_decoded(model, target, target_mask, memory, cache)
