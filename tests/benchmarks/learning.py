"""What is learned: `python tests/benchmarks/learning.py`, about ten minutes.

Trains the default task of the command line from several seeds, with few examples, and
with a part of the recipe taken away. Prints seconds and the exact match on numbers that
were held out.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from unittest.mock import patch

import torch

from transformer.commands.inference import translate
from transformer.commands.metrics import exact_match
from transformer.commands.settings import Settings
from transformer.commands.texts import fit_tokenizer
from transformer.commands.train import build_trainer
from transformer.config import TransformerConfig
from transformer.data import (
    Splits,
    TrainingBatches,
    encode_pairs,
    english,
    french,
    number_words,
)
from transformer.layers import causal_mask
from transformer.models import count_parameters
from transformer.training import World, run

SEEDS = (0, 1, 2)
BELOW = 10_000  # for the trainings with few examples
FEW = (125, 250, 500, 1000, 2000)


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """A training with a name.

    Args:
        name: What is different.
        settings: What the command line would be told.
        config: What else the model is told.
        splits: Makes the text from a seed.
        sees_future: Whether the decoder goes without its mask.
    """

    name: str
    settings: Settings = field(default_factory=Settings)
    config: dict = field(default_factory=dict)
    splits: Callable[..., Splits] = number_words
    sees_future: bool = False


def experiments() -> Iterator[Experiment]:
    """Yield the default, then what is taken away, then fewer and fewer examples."""
    usual = Settings()
    yield Experiment(name="default")
    yield Experiment(name="no warm-up", settings=replace(usual, warmup=0))
    yield Experiment(name="no label smoothing", settings=replace(usual, smoothing=0.0))
    yield Experiment(name="no causal mask", sees_future=True)
    yield Experiment(
        name="no positional encoding", settings=replace(usual, position="none")
    )
    yield Experiment(name="no scale of the scores", config={"scale_attention": False})
    post = replace(usual, norm_placement="post")
    yield Experiment(name="post-norm", settings=post)
    yield Experiment(name="post-norm, no warm-up", settings=replace(post, warmup=0))
    for number in FEW:
        yield Experiment(
            name=f"{number} examples below {BELOW:,}",
            splits=partial(number_words, below=BELOW, train=number),
        )


def measure(experiment: Experiment, seed: int) -> tuple[float, float, float, int]:
    """Train once; return seconds, both shares of exact matches, and parameters.

    The first share is of the numbers held out, the second of all below a thousand.
    """
    settings = replace(experiment.settings, seed=seed)
    splits = experiment.splits(seed=seed)
    tokenizer = fit_tokenizer(settings, splits.train)
    with changed(experiment):
        trainer = build_trainer(settings, tokenizer, World())
        examples = encode_pairs(splits.train, tokenizer)
        batches = TrainingBatches(examples, batch_size=settings.batch_size, seed=seed)
        start = time.perf_counter()
        run(trainer, batches, steps=settings.steps)
        seconds = time.perf_counter() - start
        texts, references = zip(*splits.test, strict=True)
        held_out = exact_match(translate(trainer.model, tokenizer, texts), references)
        small = [english(number) for number in range(1000)]
        found = translate(trainer.model, tokenizer, small)
    below = exact_match(found, [french(number) for number in range(1000)])
    return seconds, held_out, below, count_parameters(trainer.model)


@contextmanager
def changed(experiment: Experiment) -> Iterator[None]:
    """Take a part of the model away for a while."""
    build = Settings.model_config

    def config(settings: Settings, vocab_size: int) -> TransformerConfig:
        return replace(build(settings, vocab_size), **experiment.config)

    def all_of_it(target: int, source: int | None = None, **place) -> torch.Tensor:
        return torch.ones_like(causal_mask(target, source, **place))

    mask = all_of_it if experiment.sees_future else causal_mask
    with (
        patch.object(Settings, "model_config", config),
        patch("transformer.blocks.decoder.causal_mask", mask),
    ):
        yield


def main() -> None:
    """Print a line for each experiment."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="experiments with this in the name")
    parser.add_argument("--threads", type=int, help="how many to compute with")
    options = parser.parse_args()
    if options.threads:
        torch.set_num_threads(options.threads)
    print(f"{'':30} {'parameters':>10}  {'seconds':17} {'held out':20} below 1,000")
    for experiment in experiments():
        if options.only not in experiment.name:
            continue
        found = [measure(experiment, seed) for seed in SEEDS]
        seconds, held_out, below, parameters = zip(*found, strict=True)
        print(
            f"{experiment.name:30} {parameters[0]:>10,}  "
            f"{' '.join(f'{number:5.1f}' for number in seconds)} "
            f"{' '.join(f'{share:6.3f}' for share in held_out)} "
            f"{' '.join(f'{share:6.3f}' for share in below)}",
            flush=True,
        )


if __name__ == "__main__":
    main()
