"""The file `settings.json` of a training, found, read back and compared."""

from collections.abc import Mapping
from dataclasses import fields, replace
from os.path import isfile  # of a place that cannot be read, too
from pathlib import Path

from transformer.commands.settings import (
    Settings,
    SettingsError,
    default_warmup,
)
from transformer.files import read_json

SETTINGS = "settings.json"


def trainings_near(folder: Path) -> list[Path]:
    """Return the folders of trainings below, around and beside one, and in `runs`."""
    below, beside, usual = (
        sorted(place.glob("*")) for place in (folder, folder.parent, Path("runs"))
    )
    places = dict.fromkeys([*below, *folder.parents, *beside, *usual])  # each once
    return [place for place in places if isfile(place / SETTINGS)]


def read_settings(path: Path) -> Settings:
    """Read what `Settings.to_json` has written.

    Raises:
        SettingsError: If the file cannot be read, or holds something else.
    """
    try:
        values = read_json(path)
    except (OSError, ValueError) as error:
        raise SettingsError(
            f"{path} must hold the settings of a training, but cannot be read "
            f"({error}); name the folder of a training, or train again."
        ) from error
    known = {item.name for item in fields(Settings)}
    if not isinstance(values, Mapping) or set(values) != known:
        wrong = sorted(known ^ set(values)) if isinstance(values, Mapping) else values
        raise SettingsError(
            f"{path} must hold the settings of this version, differing in "
            f"{wrong!r:.200}; train again."
        )
    try:
        return Settings(**values)
    except SettingsError as error:
        raise SettingsError(f"{path} must hold settings that fit: {error}") from error


def check_is_training(path: Path) -> None:
    """Check that some version of this program wrote the settings."""
    try:
        values = read_json(path)
    except (OSError, ValueError):
        values = None
    if not isinstance(values, dict) or not {"task", "steps", "d_model"} <= set(values):
        raise SettingsError(
            f"{path} must be that of a training to be replaced, got something else; "
            "name another folder with --output, or remove it yourself."
        )


def extends(settings: Settings, earlier: Settings) -> bool:
    """Return whether settings are earlier ones with more steps.

    A warm-up that was that of the earlier steps may stay, or be that of the steps now.
    """
    lengthened = replace(earlier, steps=max(settings.steps, earlier.steps))
    allowed = [lengthened]
    if earlier.warmup == default_warmup(earlier.steps, earlier.schedule):
        warmup = default_warmup(lengthened.steps, earlier.schedule)
        allowed.append(replace(lengthened, warmup=warmup))
    return settings.steps > earlier.steps and settings in allowed
