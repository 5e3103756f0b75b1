"""A tiny random Mamba-2 of Hugging Face, to compare ours with."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from chapters.laboratory.fit import same_numbers
from chapters.laboratory.tiny_models import hugging_face

TINY = {
    "vocab_size": 23,
    "hidden_size": 12,
    "num_hidden_layers": 2,
    "num_heads": 6,
    "head_dim": 4,
    "state_size": 5,
    "n_groups": 2,
    "chunk_size": 4,
    "pad_token_id": 0,
}


@contextmanager
def quiet() -> Iterator[None]:
    """Let the library not say that it misses its kernels for graphics cards."""
    [logging] = hugging_face("logging")
    before = logging.get_verbosity()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(before)


def tiny_mamba2() -> nn.Module:
    """Return a random model in float32, each parameter away from where it starts.

    Raises:
        ImportError: If `transformers` is missing; the message says what to install.
    """
    kind, config_of = hugging_face("Mamba2ForCausalLM", "Mamba2Config")
    with quiet(), same_numbers(0):
        model = kind(config_of(**TINY))
        for parameter in model.parameters():
            parameter.data += 0.1 * torch.randn(parameter.shape)
    return model.to(torch.get_default_device(), torch.float32).eval()


@torch.no_grad()
def logits_of(
    model: nn.Module, tokens: Int[Tensor, "batch time"]
) -> Float[Tensor, "batch time vocab"]:
    """Return what the model of the library says of tokens."""
    with quiet():
        return model(tokens).logits
