"""Small random models of every kind of position, and texts to go on with."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from transformer.config import TransformerConfig
from transformer.models import DecoderOnlyTransformer, Transformer

BASE = TransformerConfig(
    vocab_size=13,
    max_len=29,
    num_encoder_layers=2,
    num_decoder_layers=2,
    d_model=12,
    d_ff=17,
    num_heads=3,
)
PRE = {"norm_placement": "pre", "final_norm": True, "scale_embeddings": False}
ROTARY = {**PRE, "norm": "rms", "position": "rotary", "tie_embeddings": False}
VARIANTS = {
    "2017": {},
    "learned": {**PRE, "position": "learned", "attention_bias": True},
    "relative": {**PRE, "position": "relative", "relative_max_distance": 31},
    "shaw": {"position": "relative_keys", "relative_max_distance": 3},
    "one key head": {**ROTARY, "num_kv_heads": 1, "gated": True, "activation": "silu"},
    "alibi": {**PRE, "position": "alibi"},
    "no positions": {"position": "none"},
}


def random_parameters(model, seed=0, std=0.5):
    """The model in float64, every parameter random.

    Biases are short, and so is what the networks add, since what has passed a ReLU is
    never negative: both would outweigh what a text says, and one token always win.
    """
    model, generator = model.double(), torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            drawn = torch.empty_like(parameter).normal_(std=std, generator=generator)
            if parameter.dim() == 1:
                parameter += 0.2 * drawn
            else:
                parameter.copy_(drawn * (0.2 if "down_projection" in name else 1))
    return model


def decoder_only_model(seed=0, std=0.5, **choices):
    config = replace(BASE, **{"num_encoder_layers": 0, **choices})
    return random_parameters(DecoderOnlyTransformer(config), seed, std)


def seq2seq_model(seed=0, std=0.5, **choices):
    return random_parameters(Transformer(replace(BASE, **choices)), seed, std)


@pytest.fixture(params=VARIANTS, scope="session")
def decoder_only(request):
    return decoder_only_model(**VARIANTS[request.param])


# Cross-attention knows no positions: fewer variants will do.
@pytest.fixture(params=["2017", "relative", "one key head"], scope="session")
def seq2seq(request):
    return seq2seq_model(**VARIANTS[request.param])


@pytest.fixture
def new_decoder_only():
    """Build a decoder-only model with some fields of its own."""
    return decoder_only_model


@pytest.fixture
def new_seq2seq():
    """Build an encoder-decoder with some fields of its own."""
    return seq2seq_model


@pytest.fixture
def batch():
    """Three texts of different lengths, padded on the right with the id 0."""
    lengths = torch.tensor([[7], [3], [5]])
    real = torch.arange(7) < lengths
    tokens = torch.randint(1, 13, (3, 7)).masked_fill(~real, 0)
    rows = [row[:length] for row, length in zip(tokens, lengths, strict=True)]
    return SimpleNamespace(tokens=tokens, mask=real, rows=rows)


class Markov(DecoderOnlyTransformer):
    """A model whose next token depends on the last one alone: a table of logits."""

    def __init__(self, table):
        config = replace(
            BASE, vocab_size=len(table), num_encoder_layers=0, position="none"
        )
        super().__init__(config)
        self.table, self.head = torch.as_tensor(table), torch.nn.Identity()

    def hidden_states(self, tokens, *, mask=None, cache=None):
        return self.table[tokens]


@pytest.fixture
def markov():
    """Build a model from the probabilities of each token after each."""
    return lambda probabilities: Markov(torch.as_tensor(probabilities).double().log())
