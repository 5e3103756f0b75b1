"""The task of writing letters backward, for models that may lack a part."""

from collections.abc import Callable
from functools import cache

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from chapters.laboratory.changed_layers import WithoutSkip
from chapters.laboratory.fit import fit, same_numbers
from chapters.laboratory.language_model import exchange
from transformer.config import TransformerConfig
from transformer.data import (
    BOS_ID,
    IGNORED,
    PAD_ID,
    Batch,
    Example,
    TrainingBatches,
    WordTokenizer,
    encode_pairs,
    reversal,
)
from transformer.layers import ResidualConnection
from transformer.models import Transformer

MISSING = ("none", "causal", "padding", "shift", "cross-attention", "residual")
EXTRA = (0, 2, 5, 10)  # columns of padding that are added to the sources of the test


class PassBy(nn.Module):
    """Stands where a residual connection stood: the sublayer is never called."""

    def forward(
        self, x: Float[Tensor, "*shape"], sublayer: Callable[[Tensor], Tensor]
    ) -> Float[Tensor, "*shape"]:
        """Return `x` as it is."""
        return x


class Reverser(nn.Module):
    """An encoder-decoder, with all its parts or without one of them.

    A missing shift is no part of the model: `train` feeds it the target unshifted.

    Args:
        config: Sizes of the model.
        missing: What the model lacks, one of `MISSING`.
    """

    def __init__(self, config: TransformerConfig, missing: str):
        super().__init__()
        self.model = Transformer(config)
        self.missing = missing
        if missing == "residual":
            exchange(self.model, ResidualConnection, WithoutSkip)
        if missing == "cross-attention":
            for layer in self.model.decoder.layers:
                layer.cross_attention_residual = PassBy()

    def forward(
        self, source: Int[Tensor, "batch source"], target: Int[Tensor, "batch target"]
    ) -> Float[Tensor, "batch target vocab"]:
        """Return a score for each token that may follow a position of the target."""
        real = source != PAD_ID
        if self.missing == "padding":
            real = torch.ones_like(real)  # padding passes for a word
        memory = self.model.encode(source, source_mask=real)
        everything = torch.ones_like(target, dtype=torch.bool)
        if self.missing != "causal":
            return self.model.decode(
                target, memory, target_mask=everything, source_mask=real
            )
        x = self.model.embedding(target)
        for layer in self.model.decoder.layers:  # as the decoder does, but unmasked
            x = layer(x, memory, memory_mask=real[:, None, None, :])
        return self.model.head(self.model.decoder.norm(x))


@cache
def rows() -> tuple[list[Example], list[Example], int]:
    """Return what to learn from, what to test with, and the size of the vocabulary."""
    splits = reversal(symbols=6, max_len=7, train=8_000, validation=0, test=256)
    tokenizer = WordTokenizer.fit([text for pair in splits.train for text in pair])
    learned, held_out = (
        encode_pairs(part, tokenizer) for part in (splits.train, splits.test)
    )
    return learned, held_out, tokenizer.vocab_size


def sizes(vocab_size: int, layers: int = 1) -> TransformerConfig:
    """Return the sizes of a model with so many layers in each stack."""
    return TransformerConfig(
        vocab_size=vocab_size,
        max_len=32,
        num_encoder_layers=layers,
        num_decoder_layers=layers,
        d_model=64,
        d_ff=128,
        num_heads=4,
        norm_placement="pre",
        final_norm=True,
        pad_id=PAD_ID,
    )


def shifted(batch: Batch) -> tuple[tuple[Tensor, Tensor], Tensor]:
    """Return source and target as inputs, and the target one step on as labels."""
    labels = batch.target[:, 1:]
    labels = labels.masked_fill(labels == PAD_ID, IGNORED)
    return (batch.source, batch.target[:, :-1]), labels


@torch.no_grad()
def write(
    model: Reverser, source: Int[Tensor, "batch source"], length: int
) -> Int[Tensor, "batch length"]:
    """Return the ids that a model writes for each row, each id read again."""
    written = torch.full_like(source[:, :1], BOS_ID)
    for _ in range(length):
        following = model(source, written)[:, -1:].argmax(dim=-1)
        written = torch.cat((written, following), dim=1)
    return written[:, 1:]


def exact_match(model: Reverser, test: Batch, extra: int) -> float:
    """Return the share of rows that are written without a fault.

    They are written by `write`; nothing of the target is seen.

    Args:
        model: A trained model.
        test: The rows.
        extra: Columns of padding to put behind the sources.
    """
    source = nn.functional.pad(test.source, (0, extra), value=PAD_ID)
    (_, _), labels = shifted(test)
    right = (write(model, source, labels.size(1)) == labels) | (labels == IGNORED)
    return right.all(dim=1).double().mean().item()


def unshifted(batch: Batch) -> tuple[tuple[Tensor, Tensor], Tensor]:
    """Return the target as input and, by mistake, the same target as labels."""
    labels = batch.target.masked_fill(batch.target == PAD_ID, IGNORED)
    return (batch.source, batch.target), labels


@torch.no_grad()
def held_out_loss(model: Reverser, test: Batch) -> float:
    """Return the loss on held-out rows, fed as in training, in nats per token."""
    inputs, labels = (unshifted if model.missing == "shift" else shifted)(test)
    logits = model(*inputs).double().flatten(end_dim=-2)
    return F.cross_entropy(logits, labels.flatten(), ignore_index=IGNORED).item()


def halves(held_out: Batch) -> tuple[Batch, Batch]:
    """Return the rows that choose a learning rate, and those between, which test."""
    chooses, tests = (
        Batch(held_out.source[start::2], held_out.target[start::2]) for start in (0, 1)
    )
    return chooses, tests


def train(
    *,
    missing: str,
    seed: int,
    steps: int = 500,
    layers: int = 1,
    learning_rate: float = 3e-3,
) -> tuple[Reverser, list[float], Batch]:
    """Train a model with all its parts or without one.

    Args:
        missing: As in `Reverser`.
        seed: Seed of the parameters and of the order of the data.
        steps: Training steps of 64 rows, by Adam.
        layers: Layers of each stack.
        learning_rate: Learning rate after 50 steps of warm-up.

    Returns:
        The model in evaluation mode, the loss of each step in nats per token, and the
        rows that were held out.
    """
    device = torch.get_default_device()
    learned, held_out, vocab_size = rows()
    arranged = unshifted if missing == "shift" else shifted
    batches = TrainingBatches(learned, batch_size=64, seed=seed, bucket=1)
    test = Batch.of(held_out)
    drawn = iter(range(steps))
    with same_numbers(seed):
        model = Reverser(sizes(vocab_size, layers), missing).to(torch.float32)
    losses = fit(
        model,
        lambda: arranged(batches[next(drawn)]),
        steps=steps,
        learning_rate=learning_rate,
        warm_up=50,
        device=device,
    )
    test = Batch(test.source.to(device), test.target.to(device))
    return model.eval(), losses, test
