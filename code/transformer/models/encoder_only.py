"""The encoder alone: representations of a text that is all there, as in BERT."""

from jaxtyping import Bool, Float, Integer
from torch import Tensor, nn

from transformer.blocks.encoder import Encoder
from transformer.blocks.inputs import (
    InputEmbedding,
    check_inputs,
    check_real_tokens,
    over_scores,
    real_tokens,
)
from transformer.checks.doors import doors
from transformer.checks.values import check_choice
from transformer.config import TransformerConfig
from transformer.models.device import HasDevice
from transformer.models.heads import MaskedLanguageModelHead, Pooler
from transformer.models.parameters import initialize

HEADS = {
    "masked_language_model": lambda config, embedding: MaskedLanguageModelHead(
        config, embedding
    ),
    "pooler": lambda config, embedding: Pooler(config),
    None: lambda config, embedding: nn.Identity(),
}


@doors(
    init=lambda: check_encoder_only,
    forward=lambda: check_encoded_tokens,
    encode=lambda: check_encoded_tokens,
)
class EncoderOnlyTransformer(HasDevice, nn.Module):
    r"""Read a sequence in both directions at once.

    $$\mathbf{H} = \mathrm{Encoder}(\mathrm{Embed}(\mathrm{tokens})), \qquad
    \mathbf{Y} = \mathrm{Head}(\mathbf{H})$$

    Source: Devlin et al. (2019), section 3.

    Args:
        config: Sizes and choices; no decoder layers.
        head: `"masked_language_model"` scores each token of the vocabulary at each
            position, `"pooler"` makes one vector of a sequence, None leaves the
            hidden states as they are.

    Shape:
        tokens, segments: (batch, time); mask: like them, True for real tokens, made
        from `pad_id` when not given.
        hidden states: (batch, time, d_model); what the head makes of them: see there.

    Raises:
        ValueError: If the configuration has decoder layers or images, the head is not
            known, ids are out of range, or shapes do not fit.
    """

    def __init__(
        self, config: TransformerConfig, *, head: str | None = "masked_language_model"
    ) -> None:
        super().__init__()
        self.config = config
        self.embedding = InputEmbedding(config)
        self.encoder = Encoder(config)
        self.head = HEADS[head](config, self.embedding.tokens)
        initialize(self, config)

    def encode(
        self,
        tokens: Integer[Tensor, "batch time"],
        *,
        segments: Integer[Tensor, "batch time"] | None = None,
        mask: Bool[Tensor, "batch time"] | None = None,
    ) -> Float[Tensor, "batch time d_model"]:
        """Return the hidden state of each position after the last layer."""
        real = real_tokens("tokens", tokens, mask, self.config.pad_id)
        x = self.embedding(tokens, segments=segments)
        return self.encoder(x, mask=over_scores(real))

    def forward(
        self,
        tokens: Integer[Tensor, "batch time"],
        *,
        segments: Integer[Tensor, "batch time"] | None = None,
        mask: Bool[Tensor, "batch time"] | None = None,
    ) -> Float[Tensor, "batch ..."]:
        """Return what the head makes of the hidden states."""
        return self.head(self.encode(tokens, segments=segments, mask=mask))


# Checks


def check_encoder_only(config: object, head: object) -> None:
    """Check the settings of an encoder-only model."""
    check_choice("head", head, HEADS)
    if config.num_decoder_layers:
        raise ValueError(
            "an encoder-only model must have no decoder layers, got "
            f"num_decoder_layers={config.num_decoder_layers}; set it to 0, or make the "
            "configuration by TransformerConfig.encoder_only."
        )
    if config.image_size is not None:
        raise ValueError(
            "a model of texts must have no images, got image_size="
            f"{config.image_size}; build an ImageEncoder, or leave it out."
        )


def check_encoded_tokens(
    model: nn.Module, tokens: object, segments: object | None, mask: object | None
) -> None:
    """Check that an encoder-only model can read the tokens."""
    check_real_tokens("tokens", tokens, mask)
    check_inputs(model.embedding, tokens, segments, 0)
