"""The big picture: a small translator of numbers, and what becomes of it with a fault.

The trainings take a minute, so the chapter reads their results from a file that
`python -m chapters.big_picture.experiments` writes, and repeats one of them.
"""

from collections import Counter
from itertools import product

import torch
from torch import Tensor, nn

from chapters.laboratory import translator
from chapters.laboratory.fit import fit, same_numbers
from chapters.laboratory.measurements import Measurements, measure_all
from chapters.laboratory.number_words import BELOW, numbers
from transformer.commands.inference import translate
from transformer.commands.metrics import exact_match
from transformer.config import TransformerConfig
from transformer.data import (
    PAD_ID,
    Batch,
    Pair,
    TrainingBatches,
    encode_pairs,
    english,
)
from transformer.models import Transformer

MEASUREMENTS = Measurements("big_picture")
VARIANTS = ("whole", "no positions", "not shifted")
SEEDS = (0, 1, 2)
STEPS = 150
EVERY = 10  # steps between two looks at the held-out numbers
SHOWN = Pair("two hundred and forty-three", "deux cent quarante-trois")


def small_config(position: str = "sinusoidal") -> TransformerConfig:
    """Return the sizes of a translator of numbers below a thousand."""
    return TransformerConfig(
        vocab_size=numbers()[1].vocab_size,
        max_len=32,
        num_encoder_layers=2,
        num_decoder_layers=2,
        d_model=64,
        d_ff=256,
        num_heads=4,
        position=position,
        norm_placement="pre",
        final_norm=True,
        pad_id=PAD_ID,
    )


def new_translator(variant: str = "whole", *, seed: int) -> Transformer:
    """Return an untrained translator, computed in float32."""
    position = "none" if variant == "no positions" else "sinusoidal"
    with same_numbers(seed):
        model = Transformer(small_config(position))
    return model.to(torch.get_default_device(), torch.float32)


def shifted(batch: Batch, variant: str = "whole") -> tuple[tuple[Tensor, ...], Tensor]:
    """Return what a model reads and what it must say.

    Args:
        batch: Pairs, the target within begin and end.
        variant: With "not shifted" the decoder reads the very tokens it must say.
    """
    if variant == "not shifted":
        return (batch.source, batch.target[:, 1:]), batch.labels
    return batch.inputs, batch.labels


def train_translator(
    variant: str = "whole",
    *,
    seed: int,
    steps: int = STEPS,
    watch: list[dict] | None = None,
) -> tuple[Transformer, list[float]]:
    """Train on 2,000 pairs of number words, and return the model and its losses.

    Args:
        variant: One of `VARIANTS`.
        seed: Seed of the parameters and of the order of the pairs.
        steps: Training steps of 64 pairs (Adam, learning rate 0.003).
        watch: Where to put what `look` finds, every ten steps, if anywhere.
    """
    model = new_translator(variant, seed=seed)
    splits, tokenizer = numbers()
    learned = encode_pairs(splits.train, tokenizer)
    batches = TrainingBatches(learned, batch_size=64, seed=seed, bucket=1)
    passed = iter(range(steps))

    def draw_batch() -> tuple[tuple[Tensor, ...], Tensor]:
        step = next(passed)
        if watch is not None and step % EVERY == 0:
            watch.append({"step": step, **look(model, variant)})
        return shifted(batches[step], variant)

    options = {"steps": steps, "learning_rate": 3e-3, "warm_up": 20}
    losses = fit(model, draw_batch, **options, device=torch.get_default_device())
    return model, losses


@torch.no_grad()
def look(model: Transformer, variant: str) -> dict:
    """Return how a model does on held-out numbers.

    Returns:
        "tokens", the share of right tokens where the decoder reads the true ones, and
        "exact", the share of numbers it translates by itself without a fault.
    """
    splits, tokenizer = numbers()
    device = next(model.parameters()).device
    test = Batch.of(encode_pairs(splits.test, tokenizer)).to(device)
    inputs, labels = shifted(test, variant)
    real = labels >= 0
    right = model(*inputs).argmax(dim=-1) == labels
    texts, references = zip(*splits.test, strict=True)
    found = translate(model, tokenizer, texts)
    tokens = right[real].double().mean().item()
    return {"tokens": tokens, "exact": exact_match(found, references)}


def ambiguous() -> list[Pair]:
    """Return the held-out numbers whose words make another number in another order."""
    splits, tokenizer = numbers()
    bags = Counter(tuple(sorted(tokenizer.encode(english(n)))) for n in range(BELOW))
    return [
        pair
        for pair in splits.test
        if bags[tuple(sorted(tokenizer.encode(pair.source)))] > 1
    ]


def tokens_of(pair: Pair) -> tuple[list[str], list[str]]:
    """Return what the encoder and the decoder read of a pair, as words."""
    tokenizer = numbers()[1]
    source, target = (tokenizer.pieces(text) for text in pair)
    return [*source, "end"], ["begin", *target]


def cross_weights(model: nn.Module, pair: Pair = SHOWN) -> list[Tensor]:
    """Return the weights of the cross-attention in each layer, for one pair.

    Shape:
        Each (heads, target, source); the first target token is the begin.
    """
    return list(translator.cross_weights(model, numbers()[1], pair).values())


def measured(variant: str, seed: int, steps: int = STEPS) -> dict:
    """Train a translator and return its curve, and for one of them its weights."""
    watch: list[dict] = []
    model, losses = train_translator(variant, seed=seed, steps=steps, watch=watch)
    watch.append({"step": steps, **look(model, variant)})
    row = {name: [seen[name] for seen in watch] for name in watch[0]}
    texts, references = zip(*ambiguous(), strict=True)
    row["ambiguous"] = exact_match(translate(model, numbers()[1], texts), references)
    row["loss"] = sum(losses[-EVERY:]) / len(losses[-EVERY:])
    if (variant, seed) == ("whole", 0):
        row["weights"] = [layer.cpu().tolist() for layer in cross_weights(model)]
    return row


def rounds() -> list[dict]:
    """Return the settings of every training that the file holds."""
    return [{"variant": v, "seed": seed} for v, seed in product(VARIANTS, SEEDS)]


def curves(rows: list[dict], field: str) -> dict[str, Tensor]:
    """Return a field of each variant, a row for each seed.

    Args:
        rows: What `MEASUREMENTS.read` returned.
        field: "tokens", "exact", "ambiguous" or "loss".
    """
    return {
        variant: torch.tensor(
            [row[field] for row in rows if row["variant"] == variant],
            dtype=torch.float64,
            device="cpu",
        )
        for variant in VARIANTS
    }


if __name__ == "__main__":
    MEASUREMENTS.write(measure_all(measured, rounds()), steps=STEPS)
