"""The leak: an encoder-decoder that gets the same tokens on both sides.

It learns sequences of random tokens, of which nothing can be learned; what it seems to
learn, it has seen. All trainings take minutes, so the chapter reads their results from
a file that `python -m chapters.is_it_the_model.experiments` writes, and repeats one.
"""

from itertools import product

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from chapters.laboratory.fit import fit, same_numbers
from chapters.laboratory.measurements import Measurements, measure_all
from transformer.config import TransformerConfig
from transformer.models import DecoderOnlyTransformer, Transformer, evaluating

MEASUREMENTS = Measurements("is_it_the_model")
TOKENS = 16  # the vocabulary, every token equally likely
LENGTH = 16  # tokens that are read, and tokens that are to be named
HELD_OUT = 256  # sequences of the test
STEPS = 400
SOURCES = ("the same tokens", "other tokens", "none")
SEEDS = (0, 1, 2)


class Reader(nn.Module):
    """A model that names each next token, with or without an encoder beside it.

    Args:
        source: What the encoder reads: "the same tokens" as the decoder, "other
            tokens" that have nothing to do with them, or "none" without an encoder.
        length: The longest sequence.
        **sizes: Fields of the configuration.
    """

    def __init__(self, source: str, *, length: int = LENGTH, **sizes: object) -> None:
        super().__init__()
        layers = {"num_encoder_layers": int(source != "none"), "num_decoder_layers": 1}
        usual = {"d_model": 64, "d_ff": 128, "num_heads": 4, "norm_placement": "pre"}
        config = TransformerConfig(
            vocab_size=TOKENS,
            max_len=length,
            final_norm=True,
            **{**layers, **usual, **sizes},
        )
        self.source = source
        kind = DecoderOnlyTransformer if source == "none" else Transformer
        self.model = kind(config)

    def forward(
        self, tokens: Int[Tensor, "batch time"], others: Int[Tensor, "batch time"]
    ) -> Float[Tensor, "batch time vocab"]:
        """Return the logits of the token after each position."""
        if self.source == "none":
            return self.model(tokens)
        read = tokens if self.source == "the same tokens" else others
        return self.model(read, tokens)


def draw_sequences(count: int, length: int) -> tuple[tuple[Tensor, Tensor], Tensor]:
    """Return what is read, what else may be read, and the tokens that follow."""
    tokens = torch.randint(TOKENS, (count, length + 1))
    others = torch.randint(TOKENS, (count, length))
    return (tokens[:, :-1], others), tokens[:, 1:]


@torch.no_grad()
def share_foretold(model: Reader, tokens: Tensor, others: Tensor, labels: Tensor):
    """Return the share of right guesses of one who reads only what came before.

    Args:
        model: A trained model.
        tokens: What is read, a token more at each guess; the encoder, where it reads
            the same tokens, gets no more than the decoder.
        others: What else may be read.
        labels: The token that follows each position.
    """
    right = 0
    for end in range(1, tokens.size(1) + 1):
        guess = model(tokens[:, :end], others)[:, -1].argmax(dim=-1)
        right += int((guess == labels[:, end - 1]).sum())
    return right / labels.numel()


def train_reader(
    source: str,
    *,
    seed: int,
    steps: int = STEPS,
    length: int = LENGTH,
    learning_rate: float = 2e-3,
    **sizes: object,
) -> dict:
    """Train on fresh random sequences, then test on others.

    Args:
        source: As in `Reader`.
        seed: Seed of the parameters and of the sequences.
        steps: Training steps of 64 sequences (Adam).
        length: Tokens of a sequence.
        learning_rate: After a warm-up of 30 steps.
        **sizes: Fields of the configuration.

    Returns:
        "losses", the nats at each position of held-out sequences, when all of them is
        read at once; "seen", the share of right guesses then; "foretold", the share
        when only what came before is read.
    """
    device = torch.get_default_device()
    with same_numbers(seed):
        model = Reader(source, length=length, **sizes).to(torch.float32)
        fit(
            model,
            lambda: draw_sequences(64, length),
            steps=steps,
            learning_rate=learning_rate,
            warm_up=30,
            device=device,
        )
        (tokens, others), labels = draw_sequences(HELD_OUT, length)
    tokens, others, labels = (x.to(device) for x in (tokens, others, labels))
    with evaluating(model), torch.no_grad():
        logits = model(tokens, others)
        losses = F.cross_entropy(logits.mT, labels, reduction="none").mean(dim=0)
        return {
            "losses": losses.tolist(),
            "seen": (logits.argmax(dim=-1) == labels).double().mean().item(),
            "foretold": share_foretold(model, tokens, others, labels),
        }


def settings() -> list[dict]:
    """Return the settings of every training that the file holds."""
    return [
        {"source": source, "seed": seed} for source, seed in product(SOURCES, SEEDS)
    ]


if __name__ == "__main__":
    MEASUREMENTS.write(measure_all(train_reader, settings()), steps=STEPS)
