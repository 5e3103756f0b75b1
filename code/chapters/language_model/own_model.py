"""The training of the book's own language model, which takes an hour once.

`python -m chapters.language_model.own_model` trains it in `_build/language_model`, or
goes on where it was stopped. Moments of it are kept: what it wrote, and what a
character cost it then. `results.py` then measures and packs it.
"""

import json
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import torch

from chapters.laboratory import king_james
from chapters.laboratory.measurements import Measurements
from chapters.language_model.recipe import (
    Recipe,
    batches,
    new_trainer,
    tokenizer,
    tokens,
)
from transformer.decoding import generate
from transformer.models import save_model
from transformer.training import (
    Callback,
    Checkpointing,
    StepRecord,
    Trainer,
    bits_per_character,
    list_checkpoints,
    load_checkpoint,
    restore,
    run,
    score_text,
)

MEASUREMENTS = Measurements("language_model", "own_model")
FOLDER = Path("_build/language_model")
RECIPE = Recipe(dropout=0.2, learning_rate=1e-2, steps=4800)
PROMPTS = ("And it came to pass", "My son, ")
MOMENTS = (
    *(1, 2, 5, 10, 20, 35, 50, 75, 100, 150, 200, 300, 400, 600, 800, 1000),
    *range(1250, 100_000, 250),
)


class Moments(Callback):
    """Keep what the model can at some steps, and the model itself.

    Args:
        recipe: Of the training.
        folder: Where `moments.jsonl` is, and a folder for each model.
    """

    def __init__(self, recipe: Recipe, folder: Path) -> None:
        self.recipe = recipe
        self.folder = folder
        self.file = folder / "moments.jsonl"
        earlier = list(self.rows())
        self.spent = earlier[-1]["cpu_seconds"] if earlier else 0.0
        self.started = time.process_time()

    def rows(self) -> Iterator[dict]:
        """Yield what was kept so far."""
        if self.file.is_file():
            yield from map(json.loads, self.file.read_text("utf-8").splitlines())

    def after_step(self, trainer: Trainer, record: StepRecord) -> None:
        """Measure, if this is one of the moments."""
        if record.step not in MOMENTS and record.step != self.recipe.steps:
            return
        begun = time.process_time()
        last = trainer.log.losses[-50:]
        row = {
            "step": record.step,
            "tokens": record.step * self.recipe.batch_size * self.recipe.width,
            # Of the training, without what is measured here.
            "cpu_seconds": round(self.spent + begun - self.started, 1),
            "train_nats": round(sum(last) / len(last), 4),
            "validation_bits": round(validation_bits(trainer, self.recipe), 4),
            "samples": samples(trainer, self.recipe),
        }
        with self.file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        save_model(trainer.model, self.folder / "moments" / f"{record.step:05d}")
        print({n: x for n, x in row.items() if n != "samples"}, flush=True)
        self.started += time.process_time() - begun


def validation_bits(trainer: Trainer, recipe: Recipe) -> float:
    """Return what a character of the validation books costs."""
    width, ids = recipe.width, tokens("validation", recipe.vocab_size)
    nats = score_text(trainer.model, ids, width=width, stride=width // 2)
    return bits_per_character(nats, king_james.split_text("validation"))


def samples(trainer: Trainer, recipe: Recipe) -> dict[str, str]:
    """Return what the model writes after each prompt, drawn with one seed."""
    ours = tokenizer(recipe.vocab_size)
    trainer.model.eval()
    return {
        prompt: generate(
            trainer.model,
            prompt,
            tokenizer=ours,
            max_new_tokens=60,
            temperature=0.7,
            seed=0,
        )
        for prompt in PROMPTS
    }


def train(recipe: Recipe, folder: Path) -> Trainer:
    """Train by a recipe, or go on where this was stopped."""
    folder.mkdir(parents=True, exist_ok=True)
    trainer = new_trainer(recipe)
    if found := list_checkpoints(folder / "checkpoints"):
        restore(trainer, load_checkpoint(found[-1]))
        print(f"going on after step {trainer.steps}", flush=True)
    (folder / "recipe.json").write_text(json.dumps(asdict(recipe), indent=1), "utf-8")
    moments = Moments(recipe, folder)
    kept = Checkpointing(folder / "checkpoints", every=250)
    run(trainer, batches(recipe), steps=recipe.steps, callbacks=[moments, kept])
    return trainer


if __name__ == "__main__":
    torch.set_num_threads(1)
    train(RECIPE, FOLDER)
    MEASUREMENTS.write([*Moments(RECIPE, FOLDER).rows()], recipe=asdict(RECIPE))
