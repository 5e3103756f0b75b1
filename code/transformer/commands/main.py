"""The command line: `python -m transformer train | translate | evaluate | write`."""

import os
import re
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from transformer.commands.evaluate import add_evaluate
from transformer.commands.inference import TextError
from transformer.commands.interruption import InterruptedTrainingError
from transformer.commands.settings import SettingsError
from transformer.commands.train import LostProcessError, add_train
from transformer.commands.translate import add_translate
from transformer.commands.write import add_write
from transformer.data import DataError
from transformer.training import CheckpointError, TrainingError

NO_ROOM = re.compile("out of memory|not enough memory|can't allocate memory")
REFUSED = 2  # the exit code of all that the reader can correct
BROKEN_OFF = 1  # the exit code when a training was broken off from outside


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return the exit code, 0 if all went well."""
    try:
        parsed: Namespace = parser().parse_args(arguments)
        parsed.command(parsed)
        sys.stdout.flush()  # here, where what goes wrong can be told
    except (
        CheckpointError,
        DataError,
        ImportError,
        SettingsError,
        TextError,
        TrainingError,
    ) as error:
        return complain(str(error), REFUSED)
    except InterruptedTrainingError as error:
        return tell_interruption(str(error))
    except LostProcessError as error:
        return complain(str(error), BROKEN_OFF)
    except BrokenPipeError:  # the reader closed the pipe, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (RuntimeError, MemoryError) as error:
        if not NO_ROOM.search(str(error)) and not isinstance(error, MemoryError):
            raise
        return complain(
            "there is not enough memory; make --batch-size, the model or "
            "--beam-width smaller, or raise --accumulate.",
            REFUSED,
        )
    except OSError as error:
        sentence = (
            f"a file cannot be read or written: {error}; check its name, its rights "
            "and the room on the disk."
        )
        return complain(sentence if error.strerror else str(error), REFUSED)
    except KeyboardInterrupt:
        return tell_interruption("interrupted.")
    return 0


def complain(sentence: str, code: int) -> int:
    """Print on the standard error why a command ends; return its exit code."""
    print(f"transformer: {sentence}", file=sys.stderr)
    return code


def tell_interruption(sentence: str) -> int:
    """Print what Ctrl-C has ended, once if there are several processes."""
    if "LOCAL_RANK" in os.environ and os.environ.get("RANK", "0") != "0":
        return BROKEN_OFF  # of the processes of torchrun, only the first one tells
    return complain(sentence, BROKEN_OFF)


def parser() -> ArgumentParser:
    """Return the parser of the command line."""
    whole = ArgumentParser(
        prog="python -m transformer",
        description="Train a Transformer that translates, use it, and measure it; or "
        "let a trained language model write.",
    )
    commands = whole.add_subparsers(title="commands", required=True, metavar="command")
    add_train(commands)
    add_translate(commands)
    add_evaluate(commands)
    add_write(commands)
    return whole
