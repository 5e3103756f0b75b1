"""Short trainings that are compared: which are done, and what each has learned."""

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import torch

from chapters.laboratory.measurements import Measurements
from chapters.language_model.own_model import validation_bits
from chapters.language_model.recipe import Recipe, batches, new_trainer, tokenizer
from transformer.costs import training_flops
from transformer.models import count_parameters
from transformer.training import run

FOLDER = Path("_build/language_model")


def flops_of_step(recipe: Recipe) -> int:
    """Return the operations of one step of a training."""
    config = recipe.config(tokenizer(recipe.vocab_size).vocab_size)
    return training_flops(config, batch=recipe.batch_size, target=recipe.width).total


def steps_for(recipe: Recipe, *, flops: float) -> int:
    """Return how many steps a number of operations pays for."""
    return max(1, round(flops / flops_of_step(recipe)))


def measured(recipe: Recipe) -> dict[str, object]:
    """Train by a recipe, and return what it says and what came out."""
    trainer, learned = new_trainer(recipe), batches(recipe)
    begun = time.process_time()
    run(trainer, learned, steps=recipe.steps)
    seconds = time.process_time() - begun
    last = trainer.log.losses[-20:]
    return {
        **asdict(recipe),
        "parameters": count_parameters(trainer.model),
        "tokens": recipe.steps * recipe.batch_size * recipe.width,
        "flops": float(flops_of_step(recipe) * recipe.steps),
        "cpu_seconds": seconds,
        "train_nats": sum(last) / len(last),
        "validation_bits": validation_bits(trainer, recipe),
    }


def measure_all(measurements: Measurements, recipes: Sequence[Recipe]) -> None:
    """Train by each recipe in turn, and write the rows when all are there.

    What is done is kept in `_build/language_model`, where another call goes on.
    """
    torch.set_num_threads(1)
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"{measurements.module}.jsonl"
    done = [*_read(path)]
    for recipe in recipes:
        if any(asdict(recipe).items() <= row.items() for row in done):
            continue
        done.append(measured(recipe))
        print(done[-1], flush=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(done[-1]) + "\n")
    order = [asdict(recipe) for recipe in recipes]
    rows = [next(x for x in done if said.items() <= x.items()) for said in order]
    measurements.write(rows)


def _read(path: Path) -> Iterator[dict]:
    """Yield the rows of a file that may not be there."""
    if path.is_file():
        yield from map(json.loads, path.read_text("utf-8").splitlines())
