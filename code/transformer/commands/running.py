"""Running a command, and saying in a sentence why it could not go on."""

import os
import re
import sys
from argparse import Namespace
from importlib import import_module

from transformer.commands.endings import (
    BROKEN_OFF,
    REFUSED,
    complain,
    tell_interruption,
)
from transformer.commands.inference import TextError
from transformer.commands.interruption import InterruptedTrainingError
from transformer.commands.settings import SettingsError
from transformer.commands.train import LostProcessError
from transformer.data import DataError
from transformer.training import CheckpointError, TrainingError

NO_ROOM = re.compile(
    "out of memory|not enough memory|can't allocate memory|calculation overflowed"
)


def run(parsed: Namespace) -> int:
    """Run a command; return the exit code, 0 if all went well."""
    if sys.stderr is None:  # closed by whoever called: nobody wants to be told
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if sys.stdout is None:
        return complain(
            "the standard output must be open, got a closed one; send it to a file, "
            f"or to {os.devnull}.",
            REFUSED,
        )
    try:
        module = import_module(f"transformer.commands.{parsed.command}")
        getattr(module, f"{parsed.command}_command")(parsed)
        sys.stdout.flush()  # here, where what goes wrong can be told
    except (
        CheckpointError,
        DataError,
        FloatingPointError,
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
    except UnicodeEncodeError as error:
        return complain(
            f"the standard output must take every letter, got {error.encoding}, which "
            f"has no {error.object[error.start : error.end]!r}; set the variable "
            "PYTHONUTF8 to 1.",
            REFUSED,
        )
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
    return 0
