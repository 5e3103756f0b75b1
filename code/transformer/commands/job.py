"""A training job: from settings to a folder with a trained model."""

import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext

import torch

from transformer.commands.flags import in_steps
from transformer.commands.folder import Run
from transformer.commands.interruption import Interruption, interruptible
from transformer.commands.samples import sample_lines
from transformer.commands.settings import Settings
from transformer.commands.texts import fit_tokenizer, fitting_pairs, read_splits
from transformer.data import (
    Example,
    Tokenizer,
    TrainingBatches,
    encode_pairs,
    sorted_batches,
)
from transformer.models import Transformer, count_parameters
from transformer.training import (
    CheckpointError,
    Checkpointing,
    LabelSmoothingLoss,
    ProgressBar,
    Trainer,
    Validation,
    World,
    adam,
    distribute,
    evaluate,
    load_checkpoint,
    restore,
    run,
)
from transformer.training.checkpoints import remove_leftovers


def train_run(
    settings: Settings,
    place: Run,
    world: World,
    *,
    shard: bool = False,
    overwrite: bool = False,
    go_on: str = "train",
    notes: Sequence[str] = (),
    report: Callable[[str], None] = lambda line: None,
) -> None:
    """Train a model, or go on where its training was interrupted, and show samples.

    Args:
        settings: What decides the result.
        place: Where checkpoints are found and written.
        world: The processes that take part.
        shard: Whether each of them keeps a share of the parameters only.
        overwrite: Whether to remove what was saved there, once all else is ready.
        go_on: The command that goes on after Ctrl-C.
        notes: What a reader is told once there is something to learn from.
        report: Takes each line that a reader is told.

    Raises:
        CheckpointError: If the newest checkpoint or the tokenizer cannot be read, or
            does not fit.
        DataError: If a text cannot be had or read.
        InterruptedTrainingError: If Ctrl-C ended it; what it has learned is saved.
        OSError: If a file cannot be read or written.
        SettingsError: If there is not enough text, if it or the tokenizer is another
            one than before, or if another training is in the folder.
        TrainingError: If a loss or a gradient is not finite.
    """
    splits = read_splits(settings, report)
    tokenizer = fit_tokenizer(settings, splits.train)
    learned, held_out = (
        fitting_pairs(settings, pairs, tokenizer, report)
        for pairs in (splits.train, splits.validation)
    )
    examples = [encode_pairs(pairs, tokenizer) for pairs in (learned, held_out)]
    for note in notes:
        report(note)
    trainer = build_trainer(settings, tokenizer, world, shard=shard)
    with place.locked() if world.is_writer else nullcontext():
        world.wait()  # until the folder is ours
        if world.is_writer:
            if overwrite:
                place.remove()
            place.start(settings, tokenizer, splits)
            remove_leftovers(place.checkpoints)
        world.wait()
        place.check_text(splits)
        place.check_tokenizer(tokenizer)
        if place.newest is not None:
            resume(trainer, place)
        if 0 < trainer.steps < settings.steps:
            report(f"going on after step {trainer.steps} of {settings.steps}")
        start, done = time.perf_counter(), trainer.steps
        with interruptible(place, go_on) as interruption:
            learn(trainer, settings, *examples, place, interruption)
    if trainer.steps == done:
        report(f"this training was finished after {in_steps(done)}")
    else:
        report(
            f"{count_parameters(trainer.model):,} parameters, "
            f"{in_steps(trainer.steps - done)} in {time.perf_counter() - start:.1f} s"
        )
    report(f"saved in {place.folder}")
    if world.is_writer:
        for line in sample_lines(place, settings, held_out, world.device):
            report(line)


def learn(
    trainer: Trainer,
    settings: Settings,
    learned: Sequence[Example],
    held_out: Sequence[Example],
    place: Run,
    interruption: Interruption,
) -> None:
    """Take the steps that are left, validating and saving between them."""
    size = settings.batch_size
    batches = TrainingBatches(learned, batch_size=size, seed=settings.seed)
    validation = sorted_batches(held_out, batch_size=size)

    def validate() -> float:
        found = evaluate(trainer.wrapped, validation, world=trainer.world)
        return found.cross_entropy

    callbacks = [ProgressBar(settings.steps), interruption]
    if settings.validate_every:
        every, patience = settings.validate_every, settings.patience
        callbacks.append(Validation(validate, every=every, patience=patience))
    callbacks.append(Checkpointing(place.checkpoints, every=settings.checkpoint_every))
    run(trainer, batches, steps=settings.steps, callbacks=callbacks)
    if interruption.agreed and trainer.steps < settings.steps:
        raise KeyboardInterrupt


def build_trainer(
    settings: Settings, tokenizer: Tokenizer, world: World, *, shard: bool = False
) -> Trainer:
    """Return a trainer that has taken no step."""
    torch.manual_seed(settings.seed)  # every process draws the same parameters
    model = Transformer(settings.model_config(tokenizer.vocab_size))
    wrapped = distribute(model, world, shard=shard)
    torch.manual_seed(settings.seed + world.rank)  # and its own dropout
    return Trainer(
        wrapped,
        loss=LabelSmoothingLoss(smoothing=settings.smoothing),
        optimizer=adam(wrapped, learning_rate=settings.learning_rate),
        schedule=settings.learning_rate_at,
        max_norm=settings.max_norm,
        accumulate=settings.accumulate,
        precision=settings.precision,
        world=world,
    )


def resume(trainer: Trainer, place: Run) -> None:
    """Restore a trainer from the newest checkpoint."""
    try:
        restore(trainer, load_checkpoint(place.newest))
    except CheckpointError as error:
        raise CheckpointError(
            f"the training in {place.folder} cannot go on: {error} With --overwrite it "
            "begins anew."
        ) from error
