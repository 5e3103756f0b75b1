"""The folder of a training: its settings, its tokenizer and its checkpoints."""

import hashlib
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout  # comes with PyTorch

from transformer.commands.flags import SettingsError, typed
from transformer.commands.settings import Settings, read_settings
from transformer.data import Splits, Tokenizer
from transformer.files import beside, read_json
from transformer.models import DecoderOnlyTransformer, Transformer
from transformer.training import CheckpointError, list_checkpoints, load_training
from transformer.training.checkpoints import remove_leftovers, step_of
from transformer.training.trained import CHECKPOINTS, TOKENIZER, read_tokenizer

SETTINGS = "settings.json"
TEXT = "text.json"  # the checksum of what is learned
LOCK = ".lock"
# The commands that take one kind of training, and which.
USES = {"translate": "that translates", "write": "of a language model, on --text"}


@dataclass(frozen=True)
class Run:
    """Find the files of a training in its folder."""

    folder: Path

    @property
    def checkpoints(self) -> Path:
        """The folder of its checkpoints."""
        return self.folder / CHECKPOINTS

    @property
    def newest(self) -> Path | None:
        """Its newest checkpoint, if there is one."""
        return next(iter(reversed(list_checkpoints(self.checkpoints))), None)

    @property
    def step(self) -> int:
        """The step of its newest checkpoint; 0 if there is none."""
        return step_of(self.newest) if self.newest else 0

    def check(self, settings: Settings, *, overwrite: bool = False) -> int | None:
        """Check that the folder is empty or holds this training, or a shorter one.

        Return the steps of the training that it holds, if this one goes on with it; to
        overwrite it, it may be any other.
        """
        held = {x.name for x in self.folder.iterdir()} if self.folder.exists() else {}
        if SETTINGS not in held and set(held) - {LOCK, f"{SETTINGS}.part"}:
            raise SettingsError(
                f"{self.folder} must be empty or the folder of a training, got other "
                "files; name another folder with --output."
            )
        if SETTINGS not in held:
            return None
        earlier = read_settings(self.folder / SETTINGS)
        if overwrite:
            return None
        differences = settings.differences(earlier)
        if differences and not settings.extends(earlier):
            raise SettingsError(
                f"{self.folder} holds a training with other settings: "
                f"{', '.join(differences)}; name another folder with --output, or "
                "replace it with --overwrite."
            )
        return earlier.steps

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other trainings out of the folder, or raise if one is in it."""
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
        """Write what all checkpoints have in common.

        The settings may have changed; what else is there stays, to be compared. They
        come first, so that a folder with anything in it is that of a training.
        """
        texts = {
            SETTINGS: settings.to_json(),
            TEXT: json.dumps({"sha256": checksum(splits)}),
            TOKENIZER: json.dumps(tokenizer.to_dict()),
        }
        for name, text in texts.items():
            if name == SETTINGS or not (self.folder / name).is_file():
                with beside(self.folder / name) as part:
                    part.write_text(text, encoding="utf-8")

    def check_text(self, splits: Splits) -> None:
        """Check that the text is the one that the training began with."""
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
        """Check that the tokenizer is the one that the training began with."""
        if read_tokenizer(self.folder).to_dict() != tokenizer.to_dict():
            raise SettingsError(
                f"{self.folder / TOKENIZER} must be the tokenizer that is made of the "
                "text, got another one; bring it back, or train again with --overwrite."
            )

    def remove(self) -> None:
        """Remove the files of the training but its settings, which `start` replaces."""
        remove_leftovers(self.checkpoints)
        for path in list_checkpoints(self.checkpoints):
            shutil.rmtree(path)
        for name in (TOKENIZER, TEXT):
            (self.folder / name).unlink(missing_ok=True)

    def load(
        self, command: str | None = None
    ) -> tuple[Transformer | DecoderOnlyTransformer, Tokenizer, Settings]:
        """Return what was trained: the model, its tokenizer and the settings."""
        if self.newest is None:
            raise CheckpointError(
                f"{self.folder} must hold a training with a checkpoint, got none; name "
                "another folder with --run, or train first: "
                f"{typed('train', f'--output={self.folder}')}"
            )
        settings = read_settings(self.folder / SETTINGS)
        fits = "translate" if settings.text is None else "write"
        if command not in (None, fits):
            raise SettingsError(
                f"--run must be a training {USES[command]}, got one {USES[fits]} in "
                f"{self.folder}; use: {typed(fits, f'--run={self.folder}')}"
            )
        return *load_training(self.folder), settings


def checksum(splits: Splits) -> str:
    """Return the SHA-256 checksum of all texts, in order."""
    return hashlib.sha256(json.dumps(splits).encode()).hexdigest()
