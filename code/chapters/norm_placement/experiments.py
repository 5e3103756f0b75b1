"""Where the norm goes: trainings of shallow and deep models, with and without warm-up.

All of them take minutes, so the chapter reads their results from a file that
`python -m chapters.norm_placement.experiments` writes, and repeats a few.
"""

from collections.abc import Sequence
from dataclasses import asdict
from itertools import product

import torch
from torch import Tensor

from chapters.laboratory.fit import same_numbers
from chapters.laboratory.measurements import measure_all
from chapters.laboratory.number_words import GRID, MEASUREMENTS, Run, numbers
from transformer.commands.inference import translate
from transformer.commands.metrics import exact_match
from transformer.config import TransformerConfig
from transformer.data import (
    PAD_ID,
    Pair,
    TrainingBatches,
    encode_pairs,
    sorted_batches,
)
from transformer.models import Transformer
from transformer.training import (
    LabelSmoothingLoss,
    adam,
    constant_schedule,
    evaluate,
    train,
)

NO_CLIPPING = 1e9
STEPS = 150
EVERY = 5  # of the losses of a training, which are kept


def shares_of_labels(pairs: Sequence[Pair]) -> Tensor:
    """Return how often each token is to be predicted, as a share of all labels."""
    _, tokenizer = numbers()
    labels = [i for e in encode_pairs(pairs, tokenizer) for i in e.target[1:]]
    counts = torch.bincount(
        torch.tensor(labels, device="cpu"), minlength=tokenizer.vocab_size
    )
    return counts.double() / len(labels)


def unigram_entropy() -> float:
    """Return the nats per token of one who knows only how often each token comes."""
    splits, _ = numbers()
    return torch.special.entr(shares_of_labels(splits.test)).sum().item()


def smoothed_bounds() -> tuple[float, float]:
    """Return what the best constant prediction and a perfect one lose in training.

    The labels are smoothed there, so even a perfect model pays: each loses the entropy
    of what it has to predict.
    """
    splits, _ = numbers()
    shares = shares_of_labels(splits.train)
    certain = torch.eye(len(shares), dtype=torch.float64, device="cpu")[0]
    spread = LabelSmoothingLoss().smoothing
    constant, perfect = (
        torch.special.entr((1 - spread) * labels + spread / len(labels)).sum().item()
        for labels in (shares, certain)
    )
    return constant, perfect


def number_config(placement: str, layers: int) -> TransformerConfig:
    """Return the sizes of an encoder-decoder for number words.

    Args:
        placement: "pre", with a final norm after each stack, or "post".
        layers: Layers of the encoder, and of the decoder.
    """
    _, tokenizer = numbers()
    return TransformerConfig(
        vocab_size=tokenizer.vocab_size,
        max_len=32,
        num_encoder_layers=layers,
        num_decoder_layers=layers,
        d_model=64,
        d_ff=256,
        num_heads=4,
        norm_placement=placement,
        final_norm=placement == "pre",
        pad_id=PAD_ID,
    )


def train_numbers(
    placement: str,
    *,
    layers: int,
    warm_up: int,
    learning_rate: float,
    seed: int,
    steps: int = STEPS,
) -> Run:
    """Train an encoder-decoder to translate numbers from English to French words.

    Adam, batches of 64, no dropout, no clipping of gradients, no decay of the learning
    rate: nothing else that might steady a training. Computed in float32.

    Args:
        placement: "pre", with a final norm after each stack, or "post".
        layers: Layers of the encoder, and of the decoder.
        warm_up: Steps over which the learning rate rises in a line, 0 for none.
        learning_rate: The learning rate after that.
        seed: Seed of the parameters and of the order of the data.
        steps: Number of training steps.
    """
    device = torch.get_default_device()
    splits, tokenizer = numbers()
    with same_numbers(seed):
        model = Transformer(number_config(placement, layers))
        model = model.to(device, torch.float32)
    learned = encode_pairs(splits.train, tokenizer)
    log = train(
        model,
        TrainingBatches(learned, batch_size=64, seed=seed, bucket=1),
        loss=LabelSmoothingLoss(),
        optimizer=adam(model, learning_rate=learning_rate),
        schedule=lambda s: constant_schedule(s, peak=learning_rate, warmup=warm_up),
        max_norm=NO_CLIPPING,
        steps=steps,
    )
    held_out = sorted_batches(encode_pairs(splits.test, tokenizer), batch_size=200)
    texts, references = zip(*splits.test, strict=True)
    found = translate(model, tokenizer, texts)
    return Run(
        placement=placement,
        layers=layers,
        warm_up=warm_up,
        learning_rate=learning_rate,
        seed=seed,
        losses=log.losses,
        highest_loss=max(log.losses),
        largest_gradient=max(record.gradient_norm for record in log.steps),
        cross_entropy=evaluate(model, held_out).cross_entropy,
        exact_match=exact_match(found, references),
    )


def grid() -> list[dict]:
    """Return the settings of every training that the file holds."""
    return [dict(zip(GRID, values, strict=True)) for values in product(*GRID.values())]


def measured(**settings: object) -> dict:
    """Train one model of the grid; of its losses each fifth is kept."""
    run = train_numbers(**settings)
    return asdict(run) | {"losses": run.losses[::EVERY]}


if __name__ == "__main__":
    MEASUREMENTS.write(measure_all(measured, grid()), steps=STEPS)
