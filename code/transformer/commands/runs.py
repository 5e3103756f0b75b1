"""The folder of a training: its settings, its tokenizer and its checkpoints."""

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from transformer.commands.settings import Settings, SettingsError, read_settings
from transformer.data import Tokenizer, tokenizer_from_dict
from transformer.models import Transformer
from transformer.training import CheckpointError, checkpoints, load_model

SETTINGS = "settings.json"
TOKENIZER = "tokenizer.json"
CHECKPOINTS = "checkpoints"
STARTED = {TOKENIZER, f"{TOKENIZER}.part", f"{SETTINGS}.part"}


@dataclass(frozen=True)
class Run:
    """Find the files of a training.

    Args:
        folder: Where they are, or will be.
    """

    folder: Path

    @property
    def checkpoints(self) -> Path:
        """The folder of its checkpoints."""
        return self.folder / CHECKPOINTS

    @property
    def newest(self) -> Path | None:
        """Its newest checkpoint, if there is one."""
        return next(iter(reversed(checkpoints(self.checkpoints))), None)

    def check(self, settings: Settings, *, overwrite: bool = False) -> None:
        """Refuse a folder of something else than this training.

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
            return
        differences = settings.differences(read_settings(self.folder / SETTINGS))
        if differences:
            raise SettingsError(
                f"{self.folder} holds a training with other settings: "
                f"{', '.join(differences)}; name another folder with --output, or "
                "replace it with --overwrite."
            )

    def start(self, settings: Settings, tokenizer: Tokenizer) -> None:
        """Write what all checkpoints have in common, unless it is there."""
        if (self.folder / SETTINGS).is_file():
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        write_whole(self.folder / TOKENIZER, json.dumps(tokenizer.to_dict()))
        write_whole(self.folder / SETTINGS, settings.to_json())

    def remove(self) -> None:
        """Remove the files of the training, and nothing else that is there."""
        shutil.rmtree(self.checkpoints, ignore_errors=True)
        for name in (SETTINGS, TOKENIZER):
            (self.folder / name).unlink(missing_ok=True)

    def load(self) -> tuple[Transformer, Tokenizer, Settings]:
        """Return what was trained.

        Raises:
            CheckpointError: If there is no checkpoint, or it cannot be read.
            SettingsError: If the settings or the tokenizer cannot be read.
        """
        settings, tokenizer = read_settings(self.folder / SETTINGS), self._tokenizer()
        if self.newest is None:
            raise CheckpointError(
                f"{self.checkpoints} must hold a checkpoint, got none; train first: "
                "python -m transformer train"
            )
        model = load_model(self.newest)
        if not isinstance(model, Transformer) or (
            model.config.vocab_size != tokenizer.vocab_size
        ):
            raise CheckpointError(
                f"{self.newest} must hold a Transformer for {tokenizer.vocab_size} "
                f"tokens, got a {type(model).__name__} for {model.config.vocab_size}; "
                "it belongs to another training."
            )
        return model, tokenizer, settings

    def _tokenizer(self) -> Tokenizer:
        """Read the tokenizer."""
        path = self.folder / TOKENIZER
        try:
            return tokenizer_from_dict(json.loads(path.read_text(encoding="utf-8")))
        except (OSError, TypeError, ValueError) as error:
            raise SettingsError(
                f"{path} must hold the tokenizer of the training, but cannot be read "
                f"({error}); train again."
            ) from error


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is there whole or not at all."""
    part = path.with_name(f"{path.name}.part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)
