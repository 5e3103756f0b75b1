"""Pre-norm and post-norm, shallow and deep, with and without warm-up.

Encoder-decoders learn to translate numbers from English to French words. Adam, batches
of 64, no dropout, no clipping of gradients, no decay of the learning rate: nothing
else that might steady a training.
"""

from collections.abc import Sequence
from functools import cache, partial
from math import inf

import torch
from torch import Tensor

from chapters.laboratory.fit import same_numbers
from chapters.laboratory.number_words import numbers
from chapters.laboratory.study import Study
from transformer.commands.inference import translate
from transformer.commands.metrics import exact_match
from transformer.config import TransformerConfig
from transformer.data import (
    PAD_ID,
    Example,
    Pair,
    TrainingBatches,
    encode_pairs,
    sorted_batches,
)
from transformer.models import Transformer
from transformer.training import (
    LabelSmoothingLoss,
    Trainer,
    TrainingError,
    adam,
    constant_schedule,
    evaluate,
    run,
)

NO_CLIPPING = 1e9
PLACEMENTS = ("pre", "post")
DEPTHS = (2, 6, 12)  # layers of the encoder, and of the decoder
WARM_UP_SHARE = 4  # steps for each one of warm-up
KEPT_LOSSES = 25  # of a training, evenly spaced
BATCH, HELD_OUT_BATCH = 64, 200
SMALL_START = "post, 12 layers, small start"
SMALL = 0.2  # of the package's size: how its branches' last matrices start
GUESS = 2.9  # nats a token of one who knows only how often each comes, rounded down


def name_of(placement: str, layers: int, *, warm_up: bool) -> str:
    """Return what a variant is called, such as "post, 12 layers, warm-up".

    Args:
        placement: "pre" or "post".
        layers: Layers of the encoder, and of the decoder.
        warm_up: Whether the learning rate rises in a line at first.
    """
    return f"{placement}, {layers} layers" + ", warm-up" * warm_up


# What each order is, by name; and a start that gives deep post-norm small branches.
ORDERS = {
    name_of(placement, layers, warm_up=warm_up): (placement, layers, warm_up)
    for layers in DEPTHS
    for placement in PLACEMENTS
    for warm_up in (False, True)
}
VARIANTS = ORDERS | {SMALL_START: ("post", 12, False)}


def halves() -> tuple[list[Pair], list[Pair]]:
    """Return the held-out numbers that choose a learning rate, and those that test."""
    held_out = list(numbers()[0].test)
    middle = len(held_out) // 2
    return held_out[:middle], held_out[middle:]


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
    _, test = halves()
    return torch.special.entr(shares_of_labels(test)).sum().item()


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


@torch.no_grad()
def shrink_branches(model: Transformer) -> None:
    """Let every branch of a fresh model start at `SMALL` of its size, in place."""
    for name, weight in model.named_parameters():
        if name.endswith(("output_projection.weight", "down_projection.weight")):
            weight *= SMALL


def trainer_of(
    variant: str, *, learning_rate: float, steps: int, seed: int
) -> tuple[Trainer, TrainingBatches]:
    """Return a trainer of a fresh model, and its batches.

    Args:
        variant: One of `VARIANTS`.
        learning_rate: The learning rate, after the warm-up if there is one.
        steps: Number of training steps, a quarter of them warm-up.
        seed: Seed of the parameters and of the order of the data.
    """
    placement, layers, warm_up = VARIANTS[variant]
    with same_numbers(seed):
        model = Transformer(number_config(placement, layers))
    if variant == SMALL_START:
        shrink_branches(model)
    model = model.to(torch.get_default_device(), torch.float32)
    trainer = Trainer(
        model,
        loss=LabelSmoothingLoss(),
        optimizer=adam(model, learning_rate=learning_rate),
        schedule=partial(
            constant_schedule,
            peak=learning_rate,
            warmup=steps // WARM_UP_SHARE if warm_up else 0,
        ),
        max_norm=NO_CLIPPING,
    )
    batches = TrainingBatches(learned(), batch_size=BATCH, seed=seed, bucket=1)
    return trainer, batches


@cache
def learned() -> list[Example]:
    """Return the pairs of the trainings as ids."""
    splits, tokenizer = numbers()
    return encode_pairs(splits.train, tokenizer)


def nats(model: Transformer, pairs: Sequence[Pair]) -> float:
    """Return the cross-entropy of a model on pairs, in nats per token."""
    _, tokenizer = numbers()
    encoded = encode_pairs(pairs, tokenizer)
    batches = sorted_batches(encoded, batch_size=HELD_OUT_BATCH)
    return evaluate(model, batches).cross_entropy


def measured(variant: str, learning_rate: float, steps: int, seed: int) -> dict:
    """Train one variant, and return what came out.

    Args:
        variant: One of `VARIANTS`.
        learning_rate: As in `trainer_of`.
        steps: As in `trainer_of`.
        seed: As in `trainer_of`.

    Returns:
        "validation" and "nats" per token of numbers that were held out, the share of
        the tested ones that are translated "exact"ly, the "highest" loss next to the
        first, the length of the "longest" gradient, and some of the "losses".
    """
    trainer, batches = trainer_of(
        variant, learning_rate=learning_rate, steps=steps, seed=seed
    )
    diverged = False
    try:
        run(trainer, batches, steps=steps)
    except TrainingError:
        diverged = True
    model, losses = trainer.model.eval(), trainer.log.losses
    choosing, test = halves()
    texts, references = zip(*test, strict=True)
    _, tokenizer = numbers()
    found = [""] * len(texts) if diverged else translate(model, tokenizer, texts)
    return {
        "validation": inf if diverged else nats(model, choosing),
        "nats": inf if diverged else nats(model, test),
        "exact": exact_match(found, references),
        "highest": max(losses) / losses[0],
        "longest": max(record.gradient_norm for record in trainer.log.steps),
        "losses": losses[:: steps // KEPT_LOSSES],
    }


STUDY = Study(
    "norm_placement",
    "orders",
    train=measured,
    variants=tuple(VARIANTS),
    rates=(3e-4, 1e-3, 3e-3, 1e-2),
    budgets=(75, 300),
    guess=GUESS,
)


if __name__ == "__main__":
    STUDY.run()
