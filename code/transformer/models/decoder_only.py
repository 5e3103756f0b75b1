"""The decoder alone: the language model of GPT-2, Llama and GPT-NeoX."""

import torch
from jaxtyping import Bool, Float, Integer
from torch import Tensor, nn

from transformer.blocks.decoder import Decoder, check_stack, empty_cache
from transformer.blocks.inputs import (
    InputEmbedding,
    check_inputs,
    check_real_tokens,
    over_scores,
    real_tokens,
)
from transformer.checks.doors import doors
from transformer.config import TransformerConfig
from transformer.layers.cache import DecoderCache, check_remembered
from transformer.models.device import HasDevice
from transformer.models.heads import LanguageModelHead
from transformer.models.parameters import initialize


@doors(
    init=lambda: check_decoder_only,
    forward=lambda: check_continued_tokens,
    hidden_states=lambda: check_continued_tokens,
)
class DecoderOnlyTransformer(HasDevice, nn.Module):
    r"""Score each next token of a sequence from those before it.

    $$\mathrm{logits} = \mathrm{Head}(\mathrm{Decoder}(
    \mathrm{Embed}(\mathrm{tokens})))$$

    Source: Radford et al. (2018), section 3.1, after Liu et al. (2018), section
    4.2.3.

    Args:
        config: Sizes and choices; no encoder layers.

    Shape:
        tokens: (batch, time); with a cache, the new tokens only.
        mask: like the tokens, True for real ones; made from `pad_id` when not given.
        logits: (batch, time, vocab), of the token that follows each position.

    Raises:
        ValueError: If the configuration has encoder layers, ids are out of range,
            the sequence does not fit, or shapes do not fit.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.config = config
        self.embedding = InputEmbedding(config)
        self.decoder = Decoder(config)
        self.head = LanguageModelHead(config, self.embedding.tokens)
        initialize(self, config)

    def hidden_states(
        self,
        tokens: Integer[Tensor, "batch time"],
        *,
        mask: Bool[Tensor, "batch time"] | None = None,
        cache: DecoderCache | None = None,
    ) -> Float[Tensor, "batch time d_model"]:
        """Return the hidden state of each position after the last layer."""
        real = real_tokens("tokens", tokens, mask, self.config.pad_id)
        start = 0
        if cache is not None:
            start, real = cache.length, cache.remember(real, tokens.size(1))
        x = self.embedding(tokens, start=start)
        return self.decoder(x, mask=over_scores(real), cache=cache)

    def forward(
        self,
        tokens: Integer[Tensor, "batch time"],
        *,
        mask: Bool[Tensor, "batch time"] | None = None,
        cache: DecoderCache | None = None,
    ) -> Float[Tensor, "batch time vocab"]:
        """Return the logits of the token after each position."""
        return self.head(self.hidden_states(tokens, mask=mask, cache=cache))

    def new_cache(
        self,
        batch: int,
        *,
        max_len: int | None = None,
        dtype: torch.dtype | None = None,
        spare: int = 0,
    ) -> DecoderCache:
        """Return an empty cache for `batch` sequences of up to `max_len` positions.

        Where layers have a window, `spare` says how many positions may be truncated.
        """
        room = {"max_len": max_len, "dtype": dtype, "spare": spare}
        return empty_cache(self.decoder, self.config, batch, **room)


# Checks


def check_decoder_only(config: object) -> None:
    """Check the settings of a decoder-only model."""
    if config.num_encoder_layers:
        raise ValueError(
            "a decoder-only model must have no encoder layers, got "
            f"num_encoder_layers={config.num_encoder_layers}; set it to 0, or make the "
            "configuration by TransformerConfig.decoder_only."
        )


def check_continued_tokens(
    model: nn.Module, tokens: object, mask: object | None, cache: object | None
) -> None:
    """Check that a decoder-only model can read the tokens, after those of a cache."""
    check_real_tokens("tokens", tokens, mask)
    check_decoded(model, tokens, mask, None, cache)


def check_decoded(
    model: nn.Module,
    tokens: Tensor,
    mask: Tensor | None,
    memory: Tensor | None,
    cache: object | None,
) -> None:
    """Check that the decoder of a model can go on with the tokens."""
    start = 0
    if cache is not None:
        real = tokens if mask is None and model.config.pad_id is not None else mask
        check_remembered(cache, real, tokens.size(1))
        start = cache.length
    check_inputs(model.embedding, tokens, None, start)
    embedded = tokens[..., None]  # has the axes of what the decoder reads
    check_stack(model.decoder, embedded, memory, None, cache)
