"""The folder of a training: its settings, its tokenizer and its checkpoints."""

import hashlib
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout  # comes with PyTorch

from transformer.commands.saved_settings import (
    SETTINGS,
    check_is_training,
    extends,
    read_settings,
    trainings_near,
)
from transformer.commands.settings import Settings, SettingsError
from transformer.commands.typed import typed
from transformer.data import Splits, Tokenizer
from transformer.files import beside, read_json
from transformer.models import Transformer
from transformer.training import CheckpointError, list_checkpoints, load_training
from transformer.training.checkpoints import remove_leftovers, step_of
from transformer.training.trained import CHECKPOINTS, TOKENIZER, read_tokenizer

LISTED = 3  # how many other trainings a message names
TEXT = "text.json"  # the checksum of what is learned
LOCK = ".lock"
# What may be there before the first checkpoint.
STARTED = {LOCK, TEXT, TOKENIZER, *(f"{x}.part" for x in (TEXT, TOKENIZER, SETTINGS))}


@dataclass(frozen=True)
class Run:
    """Find the files of a training.

    Args:
        folder: Where they are, or will be.

    Raises:
        SettingsError: If its name is not in UTF-8.
    """

    folder: Path

    def __post_init__(self) -> None:
        """Check that the folder has a name that every library can write."""
        try:
            fits = "\0" not in str(self.folder).encode().decode()
        except UnicodeEncodeError:
            fits = False
        if not fits:
            raise SettingsError(
                "the folder of a training must have a name in UTF-8, got "
                f"{str(self.folder)!r}; name another with --output or --run."
            )

    @property
    def checkpoints(self) -> Path:
        """The folder of its checkpoints."""
        return self.folder / CHECKPOINTS

    @property
    def newest(self) -> Path | None:
        """Its newest checkpoint, if there is one."""
        return next(iter(reversed(list_checkpoints(self.checkpoints))), None)

    @property
    def steps(self) -> int | None:
        """How many steps its training is to take, if one was begun."""
        path = self.folder / SETTINGS
        return read_settings(path).steps if path.is_file() else None

    @property
    def unfinished(self) -> tuple[int, int] | None:
        """The step that is saved and the last one to take, if they are not the same."""
        reached = step_of(self.newest) if self.newest else 0
        wanted = self.steps
        return (reached, wanted) if wanted and reached < wanted else None

    def check(self, settings: Settings, *, overwrite: bool = False) -> None:
        """Check that the folder is empty or holds this training, or a shorter one.

        Args:
            settings: Those of this training.
            overwrite: Whether the folder may hold another training.
        """
        if not self.folder.exists() or not any(self.folder.iterdir()):
            return
        if not (self.folder / SETTINGS).is_file():
            if {path.name for path in self.folder.iterdir()} <= STARTED:
                return  # a training that was killed before its first step
            raise SettingsError(
                f"{self.folder} must be empty or the folder of a training, got other "
                "files; name another folder with --output."
            )
        if overwrite:
            check_is_training(self.folder / SETTINGS)
            return
        earlier = read_settings(self.folder / SETTINGS)
        differences = settings.differences(earlier)
        if differences and not extends(settings, earlier):
            raise SettingsError(
                f"{self.folder} holds a training with other settings: "
                f"{', '.join(differences)}; name another folder with --output, or "
                "replace it with --overwrite."
            )

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other trainings out of the folder.

        Raises:
            SettingsError: If another one is in it.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            with FileLock(self.folder / LOCK, timeout=0):
                yield
        except Timeout as error:
            raise SettingsError(
                f"{self.folder} must be used by one training at a time, got a second "
                "one; wait, or name another folder with --output."
            ) from error

    def start(self, settings: Settings, tokenizer: Tokenizer, splits: Splits) -> None:
        """Write what all checkpoints have in common, unless it is there.

        Settings with more steps than those there replace them, and so do those of a
        training that replaces another one. Where there are none, a training was killed
        before its first step, and all is written again.
        """
        texts = {
            TEXT: json.dumps({"sha256": checksum(splits)}),
            TOKENIZER: json.dumps(tokenizer.to_dict()),
        }
        saved = {SETTINGS: settings.to_json()}
        begun = (self.folder / SETTINGS).is_file()
        # The settings come last: with them, the others are there. Those of another
        # training go first: what is missing beside the new ones is written next time.
        for name, text in (saved | texts if begun else texts | saved).items():
            if not begun or name == SETTINGS or not (self.folder / name).is_file():
                with beside(self.folder / name) as part:
                    part.write_text(text, encoding="utf-8")

    def check_text(self, splits: Splits) -> None:
        """Check that the text is the one that the training began with.

        Raises:
            SettingsError: If it is another one, or its checksum cannot be read.
        """
        path = self.folder / TEXT
        try:
            saved = read_json(path)["sha256"]
        except (OSError, KeyError, TypeError, ValueError) as error:
            raise SettingsError(
                f"{path} must hold the checksum of the text, but cannot be read "
                f"({error}); train again with --overwrite."
            ) from error
        if saved != (found := checksum(splits)):
            raise SettingsError(
                "the text must be the one that the training has begun with, of SHA-256 "
                f"{saved}, got {found}; bring it back, or train again with --overwrite."
            )

    def check_tokenizer(self, tokenizer: Tokenizer) -> None:
        """Check that the tokenizer is the one that the training began with.

        Raises:
            CheckpointError: If it cannot be read.
            SettingsError: If it is another one.
        """
        if read_tokenizer(self.folder).to_dict() != tokenizer.to_dict():
            raise SettingsError(
                f"{self.folder / TOKENIZER} must be the tokenizer that is made of the "
                "text, got another one; bring it back, or train again with --overwrite."
            )

    def remove(self) -> None:
        """Remove the files of the training, and nothing else that is there.

        Its settings stay, so that after a kill the folder is still that of a training;
        `start` replaces them.
        """
        remove_leftovers(self.checkpoints)
        for path in list_checkpoints(self.checkpoints):
            shutil.rmtree(path)
        for name in (TOKENIZER, TEXT):
            (self.folder / name).unlink(missing_ok=True)

    def load(self) -> tuple[Transformer, Tokenizer, Settings]:
        """Return what was trained.

        Raises:
            CheckpointError: If there is no checkpoint, or it or the tokenizer cannot be
                read.
            SettingsError: If the settings cannot be read.
        """
        if self.newest is None and not (self.folder / SETTINGS).is_file():
            near = ", ".join(map(str, trainings_near(self.folder)[:LISTED]))
            raise CheckpointError(
                f"{self.folder} must hold a training, got none; name the folder of "
                f"one with --run{near and f', such as {near}'}, or train first: "
                f"{self._train_first}"
            )
        settings = read_settings(self.folder / SETTINGS)
        if self.newest is None:
            raise CheckpointError(
                f"{self.checkpoints} must hold a checkpoint, got none; train first: "
                f"{self._train_first}"
            )
        return *load_training(self.folder), settings

    @property
    def _train_first(self) -> str:
        """The command that trains here, without the other flags of the training."""
        usual = self.folder == Path("runs") / Settings().name
        return typed("train", *([] if usual else [f"--output={self.folder}"]))


def checksum(splits: Splits) -> str:
    """Return the SHA-256 checksum of all texts, in order."""
    return hashlib.sha256(json.dumps(splits).encode()).hexdigest()
