"""The command `evaluate`."""

import json
from argparse import Namespace
from dataclasses import replace
from math import isfinite
from pathlib import Path

from transformer.commands.computing import find_device, set_threads
from transformer.commands.flags import warn
from transformer.commands.folder import Run
from transformer.commands.metrics import sacrebleu
from transformer.commands.scores import scores
from transformer.commands.settings import Settings, SettingsError
from transformer.commands.texts import fitting_pairs, read_splits
from transformer.packages import need


def evaluate_command(parsed: Namespace) -> None:
    """Measure as the flags say, and print the measures."""
    device = find_device(parsed.device)
    run = Run(Path(parsed.run))
    model, tokenizer, settings = run.load()
    set_threads(parsed.threads, d_model=settings.d_model)
    splits = read_splits(found_again(settings, parsed.pairs), warn)
    run.check_text(splits)
    pairs = getattr(splits, parsed.split)
    pairs = fitting_pairs(settings, pairs, tokenizer, warn)
    note_missing_bleu()
    with progress_bar(len(pairs), shown=not parsed.json) as bar:
        options = {"beam_width": parsed.beam_width, "progress": bar.update}
        found = scores(model.to(device), tokenizer, pairs, **options)
    if parsed.json:
        finite = {name: x if isfinite(x) else None for name, x in found.items()}
        print(json.dumps(finite))  # JSON knows no infinity
        return
    print(f"{len(pairs):,} texts of the {parsed.split} split")
    print(f"exact match     {found['exact_match']:.4f}")
    print(f"token accuracy  {found['token_accuracy']:.4f}")
    print(f"perplexity      {found['perplexity']:.4f}")
    if "bleu" in found:
        print(f"BLEU            {found['bleu']:.2f}")


def note_missing_bleu() -> None:
    """Say, before what takes long, which package BLEU needs if it is missing."""
    try:
        sacrebleu()
    except ImportError as error:
        warn(f"The measures come without BLEU. {error}")


def found_again(settings: Settings, now: str | None) -> Settings:
    """Return settings with the place where the file of pairs is now.

    Raises:
        SettingsError: If there was no such file, or it is not there.
    """
    if now is not None and settings.pairs is None:
        raise SettingsError(
            "--pairs must be for a training that had --pairs, got one that has learned "
            f"{settings.name}; leave it out."
        )
    if now is not None:
        return replace(settings, pairs=now)
    if settings.pairs is not None and not Path(settings.pairs).is_file():
        raise SettingsError(
            "the text of this training must be where it was, but there is no "
            f"{settings.pairs}; say where it is now with --pairs FILE."
        )
    return settings


def progress_bar(texts: int, *, shown: bool):
    """Return a bar on the standard error; it stays silent unless that is a terminal."""
    tqdm = need("tqdm", what="a progress bar needs", extra="training").tqdm
    return tqdm(total=texts, unit="text", disable=None if shown else True)
