"""The flags of `train`, in groups: one for each field of the settings."""

import os
from argparse import ArgumentParser, Namespace
from dataclasses import Field, fields
from pathlib import Path
from types import UnionType

import transformer
from transformer.commands.flags import Flags
from transformer.commands.parser import as_flag
from transformer.commands.settings import (
    Settings,
    SettingsError,
    check_one_text,
    default_warmup,
)
from transformer.commands.typed import typed

GROUPS = {
    "what to learn": (
        *("task", "corpus", "pairs", "examples"),
        *("tokenizer", "vocab_size", "max_length"),
    ),
    "the model": (
        *("layers", "d_model", "d_ff", "heads"),
        *("position", "norm_placement", "dropout"),
    ),
    "how it learns": (
        *("steps", "batch_size", "schedule", "learning_rate", "warmup", "seed"),
        *("smoothing", "max_norm", "accumulate", "precision"),
    ),
    "what happens between the steps": (
        *("validate_every", "patience", "checkpoint_every"),
    ),
}
TEXTS = ("task", "corpus", "pairs")  # each says what to learn
NOT_AGAIN = ("overwrite", "command")  # what a command that goes on is without


def add_settings(parser: ArgumentParser) -> None:
    """Add a flag for each field of the settings; it is None unless it is said."""
    items = {item.name: item for item in fields(Settings)}
    for title, names in GROUPS.items():
        group = parser.add_argument_group(title)
        for name in names:
            _add_setting(group, items[name])


def _add_setting(group: Flags, item: Field) -> None:
    """Add the flag of one field."""
    choices = item.metadata["choices"]
    kinds = item.type.__args__ if isinstance(item.type, UnionType) else (item.type,)
    default = "" if item.default is None else f" (default: {item.default})"
    group.add_argument(
        as_flag(item.name),
        type=kinds[0],
        choices=choices or None,
        metavar=None if choices else kinds[0].__name__.upper(),
        help=item.metadata["help"] + default,
    )


def check_text(parsed: Namespace) -> None:
    """Check that one text is named, and that it is there.

    Raises:
        DataError: If there is no such file.
        SettingsError: If two texts are named.
    """
    named = [name for name in TEXTS if getattr(parsed, name) is not None]
    check_one_text([as_flag(name) for name in named])
    if parsed.pairs is not None:
        transformer.data.parallel_text.check_file(Path(parsed.pairs))


def said_settings(parsed: Namespace) -> Settings:
    """Return the settings that the flags say, with defaults for the others.

    Raises:
        SettingsError: If a setting does not fit, or would have no effect.
    """
    tokenizer = parsed.tokenizer or Settings.tokenizer
    if parsed.vocab_size is not None and tokenizer != "subwords":
        raise SettingsError(
            "--vocab-size must come with --tokenizer subwords, got --tokenizer "
            f"{tokenizer}; add it, or leave --vocab-size out."
        )
    names = [item.name for item in fields(Settings)]
    said = {name: x for name in names if (x := getattr(parsed, name)) is not None}
    if "pairs" in said:  # so that `evaluate` finds it from another folder
        said["pairs"] = str(Path(said["pairs"]).resolve())
    steps, schedule = (said.get(x, getattr(Settings, x)) for x in ("steps", "schedule"))
    return Settings(**{"warmup": default_warmup(steps, schedule), **said})


def going_on(parsed: Namespace) -> str:
    """Return the command that goes on with a training, ready to be typed."""
    said = {
        as_flag(name): value
        for name, value in vars(parsed).items()
        if name not in NOT_AGAIN and value is not None and value is not False
    }
    flags = [f if value is True else f"{f}={value}" for f, value in said.items()]
    return typed("train", *flags, processes=os.environ.get("LOCAL_WORLD_SIZE"))
