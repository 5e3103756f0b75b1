"""The models for which laws hold: those of the tests of decoding, and random ones."""

import runpy
from pathlib import Path

import pytest
import torch

from transformer.config import TransformerConfig
from transformer.models import Transformer

_SHARED = runpy.run_path(str(Path(__file__).parents[1] / "decoding/conftest.py"))
decoder_only, new_decoder_only, markov = (
    _SHARED[name] for name in ("decoder_only", "new_decoder_only", "markov")
)
VOCAB = 23


@pytest.fixture(scope="session")
def model():
    """Make a random model in float64."""

    def make(seed, **choices):
        torch.manual_seed(seed)
        sizes = {"d_model": 20, "d_ff": 34, "num_heads": 2, "max_len": 13}
        layers = {"num_encoder_layers": 2, "num_decoder_layers": 2}
        config = TransformerConfig(vocab_size=VOCAB, **sizes, **layers, **choices)
        return Transformer(config).double().eval()

    return make


@pytest.fixture(scope="session")
def ids():
    """Draw three rows of tokens for such a model."""

    def draw(seed, length):
        generator = torch.Generator().manual_seed(seed)
        return torch.randint(VOCAB, (3, length), generator=generator)

    return draw
