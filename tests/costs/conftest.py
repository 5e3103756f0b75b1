"""What the tests of costs share: models that take no memory."""

from dataclasses import replace

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


@pytest.fixture(scope="session")
def shallow():
    """A layer or two of each stack: a count is a sum of equal layers."""

    def cut(config):
        layers = {"num_encoder_layers": 2, "num_decoder_layers": 1}
        fewer = {name: min(n, getattr(config, name)) for name, n in layers.items()}
        return replace(config, **fewer)

    return cut
