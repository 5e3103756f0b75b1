"""One small language model, trained in seconds, in which parts can be exchanged.

The chapters ask of it what a part is worth: each trains the same model on the same
text, with the part and without it, from several seeds.
"""

from collections.abc import Callable, Mapping
from math import ceil, inf
from types import UnionType

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from chapters.laboratory.fit import same_numbers
from chapters.laboratory.language import (
    DOCUMENT,
    VOCAB_SIZE,
    documents,
    held_out,
    held_out_windows,
    windows,
)
from chapters.laboratory.recipe import Trained, train_by_recipe
from transformer.config import TransformerConfig
from transformer.data import Batch
from transformer.models import DecoderOnlyTransformer, count_parameters

LENGTH = 64  # letters that the model reads in training
BATCH = 32
TEST_WINDOWS = 128
TEXTS = 512  # documents to learn from, unless a training reads more letters
DEFAULTS = {
    "vocab_size": VOCAB_SIZE,
    "max_len": 512,
    "num_encoder_layers": 0,
    "num_decoder_layers": 2,
    "d_model": 64,
    "d_ff": 256,
    "num_heads": 4,
    "position": "rotary",
    "norm_placement": "pre",
    "final_norm": True,
    "tie_embeddings": False,
    "scale_embeddings": False,
}


def language_model(
    *, seed: int, change: Callable[[nn.Module], None] | None = None, **choices: object
) -> DecoderOnlyTransformer:
    """Return a fresh model on the default device, in float32.

    Args:
        seed: Seed of the parameters.
        change: Called with the fresh model, to exchange parts that no choice names.
        **choices: Fields of `TransformerConfig`, where they are not `DEFAULTS`.
    """
    config = TransformerConfig(**(DEFAULTS | choices))
    with same_numbers(seed):
        model = DecoderOnlyTransformer(config)
        if change is not None:
            change(model)
    return model.to(torch.get_default_device(), torch.float32)


def train_language_model(
    *,
    seed: int,
    steps: int = 400,
    learning_rate: float = 3e-3,
    warm_up: int = 50,
    batch: int = BATCH,
    texts: int = TEXTS,
    change: Callable[[nn.Module], None] | None = None,
    **choices: object,
) -> Trained:
    """Train the model on windows of the made-up language.

    Adam, a warm-up and a cosine to zero, gradients clipped to length 1, no dropout.
    The text of all trainings is the same; the seed decides about the parameters and
    about which windows come when.

    Args:
        seed: Seed of the parameters and of the windows.
        steps: Number of training steps.
        learning_rate: The highest learning rate.
        warm_up: Steps until then.
        batch: Windows in a step.
        texts: Documents that the windows are cut from.
        change: As in `language_model`.
        **choices: As in `language_model`.
    """
    model = language_model(seed=seed, change=change, **choices)
    generator = torch.Generator("cpu").manual_seed(seed)
    learned = documents(texts, seed=1)
    drawn = windows(learned, steps * batch, LENGTH + 1, generator)
    device = torch.get_default_device()
    batches = [Batch(None, part.to(device)) for part in drawn.split(batch)]
    return train_by_recipe(
        model,
        batches,
        seed=seed,
        steps=steps,
        learning_rate=learning_rate,
        warm_up=warm_up,
    )


def exchange(
    model: nn.Module,
    kind: type[nn.Module] | UnionType,
    make: Callable[[nn.Module], nn.Module],
) -> None:
    """Put something else in the place of every module of a kind, in place."""
    for parent in list(model.modules()):
        for name, child in list(parent.named_children()):
            if isinstance(child, kind):
                setattr(parent, name, make(child))


@torch.no_grad()
def nats_by_position(
    model: nn.Module, *, length: int = LENGTH, validation: bool = False
) -> Tensor:
    """Return the mean cross-entropy of each position on text that was held out.

    Args:
        model: Maps ids (batch, time) to logits (batch, time, vocab).
        length: Letters that the model reads.
        validation: As in `held_out_windows`.

    Returns:
        Nats per letter, (length,), in float64 on the CPU.
    """
    drawn = held_out_windows(TEST_WINDOWS, length + 1, validation=validation)
    device = torch.get_default_device()
    nats = []
    for part in drawn.to(device).split(32):
        logits = model(part[:, :-1]).double()
        nats.append(F.cross_entropy(logits.mT, part[:, 1:], reduction="none"))
    return torch.cat(nats).mean(dim=0).cpu()


def nats(model: nn.Module, *, length: int = LENGTH, last: int | None = None) -> float:
    """Return the cross-entropy on text that was held out, in nats per letter.

    Args:
        model: Maps ids (batch, time) to logits (batch, time, vocab).
        length: Letters that the model reads.
        last: Count so many positions at the end alone; all of them when not given.
    """
    by_position = nats_by_position(model, length=length)
    return by_position[-(last or length) :].mean().item()


def validation_nats(trained: Trained) -> float:
    """Return the cross-entropy that chooses a learning rate, inf after divergence."""
    if trained.diverged:
        return inf
    return nats_by_position(trained.model, validation=True).mean().item()


def texts_to_read(steps: int, batch: int = BATCH) -> int:
    """Return how many documents a training needs to read no letter twice on average.

    From fewer texts a longer training learns some of them by heart, and what it then
    measures is how well a model withstands that.
    """
    return max(TEXTS, ceil(steps * batch * LENGTH / DOCUMENT))


def train_for_study(*, steps: int, batch: int = BATCH, **options: object) -> Trained:
    """Train the model as a study asks, on as much text as it reads.

    Args:
        steps: Training steps, the first eighth of them warm-up.
        batch: Windows in a step.
        **options: As in `train_language_model`.
    """
    return train_language_model(
        steps=steps,
        warm_up=steps // 8,
        batch=batch,
        texts=texts_to_read(steps, batch),
        **options,
    )


def train_and_measure(
    look: Callable[[nn.Module], Mapping[str, object]] = lambda model: {},
    **options: object,
) -> dict[str, object]:
    """Train the model as a study asks, and return what came out.

    Args:
        look: What else to measure of a trained model.
        **options: As in `train_for_study`.

    Returns:
        "validation" and "nats", the cross-entropy in nats per letter on validation
        and on test text; "parameters"; and what `look` returned.
    """
    done = train_for_study(**options)
    return {
        "validation": validation_nats(done),
        "nats": nats(done.model),
        "parameters": count_parameters(done.model),
        **look(done.model),
    }


def unigram_nats() -> float:
    """Return the nats per letter of one who knows only how often each letter comes."""
    counts = torch.bincount(held_out().flatten()).double()
    return torch.special.entr(counts / counts.sum()).sum().item()
