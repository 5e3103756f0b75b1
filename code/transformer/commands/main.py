"""The command line: `python -m transformer train | translate | evaluate`."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from transformer.commands.evaluate_command import add_evaluate
from transformer.commands.settings import SettingsError
from transformer.commands.train_command import LostProcessError, add_train
from transformer.commands.translate_command import add_translate
from transformer.commands.translation import TextError
from transformer.data import DataError
from transformer.training import CheckpointError, TrainingError

REFUSED = 2  # the exit code of all that the reader can mend
BROKEN_OFF = 1  # the exit code when a training was broken off from outside


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return the exit code, 0 if all went well."""
    parsed: Namespace = parser().parse_args(arguments)
    try:
        parsed.command(parsed)
    except (
        CheckpointError,
        DataError,
        ImportError,
        SettingsError,
        TextError,
        TrainingError,
    ) as error:
        return complain(str(error), REFUSED)
    except LostProcessError as error:
        return complain(str(error), BROKEN_OFF)
    except OSError as error:
        sentence = (
            f"a file cannot be read or written: {error}; check its name, its rights "
            "and the room on the disk."
        )
        return complain(sentence if error.strerror else str(error), REFUSED)
    except KeyboardInterrupt:
        return complain("interrupted.", BROKEN_OFF)
    return 0


def complain(sentence: str, code: int) -> int:
    """Say on the standard error why a command ends; return its exit code."""
    print(f"transformer: {sentence}", file=sys.stderr)
    return code


def parser() -> ArgumentParser:
    """Return the parser of the command line."""
    whole = ArgumentParser(
        prog="python -m transformer",
        description="Train a Transformer that translates, use it, and measure it.",
    )
    commands = whole.add_subparsers(title="commands", required=True, metavar="command")
    add_train(commands)
    add_translate(commands)
    add_evaluate(commands)
    return whole
