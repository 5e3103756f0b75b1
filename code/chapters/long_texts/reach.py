"""How far back a stack of layers with windows can feel a token."""

import torch

from chapters.laboratory.fit import same_numbers
from transformer.config import TransformerConfig
from transformer.models import DecoderOnlyTransformer

VOCAB = 13


def windowed_model(*, layers: int, window: int) -> DecoderOnlyTransformer:
    """Return a random decoder whose layers look through a window.

    Args:
        layers: How many it has.
        window: How many positions a query sees, itself counted.
    """
    config = TransformerConfig.decoder_only(
        vocab_size=VOCAB,
        max_len=64,
        num_decoder_layers=layers,
        d_model=24,
        d_ff=48,
        num_heads=2,
        position="rotary",
        norm_placement="pre",
        window=window,
    )
    with same_numbers(0):
        return DecoderOnlyTransformer(config).double().eval()


@torch.no_grad()
def felt_back(model: DecoderOnlyTransformer, *, time: int = 48) -> int:
    """Return how many places back a changed token still changes the last output.

    Args:
        model: A decoder that has learned nothing.
        time: Length of the text that it reads.
    """
    with same_numbers(1):
        tokens = torch.randint(VOCAB, (1, time))
    last = model(tokens)[0, -1]
    felt = []
    for back in range(time):
        changed = tokens.clone()
        place = time - 1 - back
        changed[0, place] = (changed[0, place] + 1) % VOCAB
        if not torch.equal(model(changed)[0, -1], last):
            felt.append(back)
    return max(felt)
