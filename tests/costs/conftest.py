"""What the tests of costs share: models that take no memory."""

import pytest
import torch

from transformer.models import (
    DecoderOnlyTransformer,
    EncoderOnlyTransformer,
    Transformer,
)


@pytest.fixture(scope="session")
def described():
    """The model that a configuration describes, on the meta device: no numbers."""

    def build(config, head="masked_language_model"):
        with torch.device("meta"):
            if not config.num_decoder_layers:
                return EncoderOnlyTransformer(config, head=head).eval()
            if not config.num_encoder_layers:
                return DecoderOnlyTransformer(config).eval()
            return Transformer(config).eval()

    return build
