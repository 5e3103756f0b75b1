"""The command `train`: from settings to a folder with a trained model."""

import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from statistics import fmean
from textwrap import shorten

import torch

from transformer import data, training
from transformer.commands.computing import find_device, set_threads
from transformer.commands.flags import RUN, Computing, Saving, SettingsError, typed
from transformer.commands.folder import Run
from transformer.commands.inference import translate
from transformer.commands.settings import WARMUP, Settings
from transformer.commands.texts import (
    fit_tokenizer,
    fitting_pairs,
    read_splits,
    text_ids,
)
from transformer.data import (
    Batch,
    Pair,
    Splits,
    TextBatches,
    Tokenizer,
    TrainingBatches,
)
from transformer.decoding import generate
from transformer.models import DecoderOnlyTransformer, Transformer, count_parameters
from transformer.training import Trainer, World
from transformer.training.checkpoints import remove_leftovers

SHOWN, LONGEST = 3, 120  # how many texts, and how many characters of each
OPTIMIZERS = {"adam": training.adam, "muon": training.muon}
BEGUN, WRITTEN = 30, 60  # characters of a text that is gone on with, and new tokens


def train_command(settings: Settings, saving: Saving, computing: Computing) -> None:
    """Train as the flags say, and say what to do next."""
    if settings.pairs is not None:
        data.parallel_text.check_file(Path(settings.pairs))
    device = find_device(computing)
    set_threads(computing, d_model=settings.d_model)
    place = Run(Path(saving.output or f"runs/{settings.name}"))
    with training.connected(device) as world:
        report = print if world.is_writer else lambda line: None
        train_run(settings, saving, place, world, report)


def train_run(
    settings: Settings,
    saving: Saving,
    place: Run,
    world: World,
    report: Callable[[str], None],
) -> None:
    """Train a model, or go on where its training was interrupted, and show samples.

    What was saved is replaced, if that is asked for, once all else is ready. `report`
    takes each line that a reader is told.
    """
    earlier = place.check(settings, overwrite=saving.overwrite)
    splits = read_splits(settings, report)
    tokenizer = fit_tokenizer(settings, splits.train)
    learned, validation, shown = prepare(settings, splits, tokenizer, report)
    for line in notes(settings, earlier):
        report(line)
    trainer = build_trainer(settings, tokenizer, world, shard=saving.shard)
    world.wait()  # no process writes before all have looked
    with place.locked() if world.is_writer else nullcontext():
        world.wait()  # until the folder is ours
        if world.is_writer:
            if saving.overwrite:
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
        with interruptible(place) as interruption:
            learn(trainer, settings, learned, validation, place, interruption)
    if trainer.steps == done:
        report(f"this training was finished after {done} steps")
    else:
        report(
            f"{count_parameters(trainer.model):,} parameters, "
            f"{trainer.steps - done} steps in {time.perf_counter() - start:.1f} s"
        )
    report(f"saved in {place.folder}")
    if world.is_writer:
        lines = sample_lines if settings.text is None else written_lines
        for line in lines(place, shown, world.device):
            report(line)


def prepare(
    settings: Settings,
    splits: Splits,
    tokenizer: Tokenizer,
    report: Callable[[str], None],
) -> tuple[TrainingBatches | TextBatches, Sequence[Batch], Sequence[Pair] | list[str]]:
    """Return what is learned, what validates, and what the end can show samples of."""
    size, seed = settings.batch_size, settings.seed
    if settings.text is not None:
        width = settings.max_length
        learned, held_out = (
            text_ids(settings, texts, tokenizer)
            for texts in (splits.train, splits.validation)
        )
        try:
            batches = TextBatches(learned, width=width, batch_size=size, seed=seed)
        except ValueError as error:
            raise SettingsError(f"--text is too short: {error}") from error
        windows = data.text_windows(held_out, width=width, batch_size=size)
        return batches, windows, splits.validation
    learned, held_out = (
        fitting_pairs(settings, pairs, tokenizer, report)
        for pairs in (splits.train, splits.validation)
    )
    batches = TrainingBatches(
        data.encode_pairs(learned, tokenizer), batch_size=size, seed=seed
    )
    examples = data.encode_pairs(held_out, tokenizer)
    return batches, data.sorted_batches(examples, batch_size=size), held_out


def notes(settings: Settings, earlier: int | None) -> Iterator[str]:
    """Yield what is not as one would expect, after a training of earlier steps."""
    warmup, steps = settings.warmup, settings.steps
    if settings.warms_up_as_usual and warmup < WARMUP:
        yield f"the warm-up takes {warmup} of the {steps} steps, instead of {WARMUP}"
    if earlier is not None and earlier < steps:
        end = "will be those of all steps in one go"
        if settings.schedule == "cosine":  # whose rate depends on how many there are
            end = "will not be those of all steps in one go; --overwrite makes those"
        yield f"extending a training of {earlier} steps to {steps}: the weights {end}"


def build_trainer(
    settings: Settings, tokenizer: Tokenizer, world: World, *, shard: bool = False
) -> Trainer:
    """Return a trainer that has taken no step."""
    torch.manual_seed(settings.seed)  # every process draws the same parameters
    kind = Transformer if settings.text is None else DecoderOnlyTransformer
    try:
        model = kind(settings.model_config(tokenizer.vocab_size))
    except ValueError as error:  # such as heads that cannot be rotated
        raise SettingsError(f"there is no such model: {error}") from error
    wrapped = training.distribute(model, world, shard=shard)
    torch.manual_seed(settings.seed + world.rank)  # and its own dropout
    return Trainer(
        wrapped,
        loss=training.LabelSmoothingLoss(smoothing=settings.smoothing),
        optimizer=OPTIMIZERS[settings.optimizer](
            wrapped,
            learning_rate=settings.learning_rate,
            weight_decay=settings.weight_decay,
        ),
        schedule=settings.learning_rate_at,
        max_norm=settings.max_norm,
        accumulate=settings.accumulate,
        precision=settings.precision,
        world=world,
    )


def resume(trainer: Trainer, place: Run) -> None:
    """Restore a trainer from the newest checkpoint."""
    try:
        training.restore(trainer, training.load_checkpoint(place.newest))
    except training.CheckpointError as error:
        raise training.CheckpointError(
            f"the training in {place.folder} cannot go on: {error} With --overwrite it "
            "begins anew."
        ) from error


class Interruption(training.Callback):
    """End a training after the step in which one of its processes was asked to."""

    def __init__(self) -> None:
        self.asked = False  # of this process
        self.agreed = False  # by all processes, so that all end after the same step

    def ask(self, *signal: object) -> None:
        """Ask for the end, as a handler of signals; the second time, end at once."""
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True

    def after_step(self, trainer: Trainer, record: training.StepRecord) -> None:
        """Tell the other processes."""
        asked = torch.tensor(float(self.asked), device=trainer.world.device)
        self.agreed = bool(trainer.world.sum(asked))

    def is_over(self, trainer: Trainer) -> bool:
        """Return whether the training ends here."""
        return self.agreed


@contextmanager
def interruptible(place: Run) -> Iterator[Interruption]:
    """Let Ctrl-C ask for the end of a training, instead of breaking off a step.

    The KeyboardInterrupt that then ends it says what is saved.
    """
    interruption = Interruption()
    before = signal.signal(signal.SIGINT, interruption.ask)
    try:
        yield interruption
    except KeyboardInterrupt as error:
        saved = "nothing is saved."
        if place.newest is not None:
            saved = f"step {place.step} is saved in {place.newest}."
        raise KeyboardInterrupt(saved) from error
    finally:
        signal.signal(signal.SIGINT, before)


def learn(
    trainer: Trainer,
    settings: Settings,
    batches: TrainingBatches | TextBatches,
    validation: Sequence[Batch],
    place: Run,
    interruption: Interruption,
) -> None:
    """Take the steps that are left, validating and saving between them."""

    def validate() -> float:
        found = training.evaluate(trainer.wrapped, validation, world=trainer.world)
        if trainer.world.is_writer:
            mean = fmean(trainer.log.losses[-every:])  # since the last validation
            bar.tqdm.write(  # which the bar does not run into
                f"step {trainer.steps:,}: loss {mean:.3f} in training, "
                f"{found.cross_entropy:.3f} in validation"
            )
        return found.cross_entropy

    bar = training.ProgressBar(settings.steps)
    callbacks = [bar, interruption]
    if every := settings.validate_every:
        patience = settings.patience
        callbacks.append(training.Validation(validate, every=every, patience=patience))
    callbacks.append(
        training.Checkpointing(place.checkpoints, every=settings.checkpoint_every)
    )
    training.run(trainer, batches, steps=settings.steps, callbacks=callbacks)
    if interruption.agreed and trainer.steps < settings.steps:
        raise KeyboardInterrupt


def sample_lines(
    place: Run, pairs: Sequence[Pair], device: torch.device
) -> Iterator[str]:
    """Yield what the saved model makes of a few texts, and what to type next."""
    model, tokenizer, _ = place.load()
    shown = pairs[:SHOWN]
    yield "what it makes of texts that it has not learned from:"
    found = translate(model.to(device), tokenizer, [pair.source for pair in shown])
    for pair, translation in zip(shown, found, strict=True):
        source, target, made = (
            shorten(text, LONGEST, placeholder=" ...")
            for text in (pair.source, pair.target, translation)
        )
        yield f"  {source}"
        verdict = "right" if translation == pair.target else f"the text has: {target}"
        yield f"    -> {made or '(nothing)'} ({verdict})"
    yield f"in Python: transformer.load_training({str(place.folder)!r})"
    # A text with words that no training text has would be refused.
    known = (pair.source for pair in pairs if not tokenizer.unknown(pair.source))
    if text := next(known, None):
        run = [] if place.folder == Path(RUN) else [f"--run={place.folder}"]
        end = ["--"] if text.startswith("-") else []  # of the flags
        yield f"now try: {typed('translate', *run, *end, text)}"


def written_lines(
    place: Run, texts: Sequence[str], device: torch.device
) -> Iterator[str]:
    """Yield how the saved model goes on with a held-out text, and what to type next."""
    model, tokenizer, _ = place.load()
    words = shorten("".join(texts)[: 10 * BEGUN], BEGUN, placeholder="")
    yield "how it goes on with a text that it has not learned from:"
    options = {"max_new_tokens": WRITTEN, "temperature": 0.7, "seed": 0}
    found = generate(model.to(device), words, tokenizer=tokenizer, **options)
    yield from (f"  {line}" for line in f"{words}{found}".splitlines())
    yield f"in Python: transformer.load_training({str(place.folder)!r})"
    yield f"now try: {typed('write', f'--run={place.folder}', words)}"
