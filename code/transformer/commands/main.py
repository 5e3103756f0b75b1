"""The command line: `python -m transformer train | translate | evaluate | write`.

This module imports little, so that help, the version and whatever does not fit are
answered at once; what a command needs is imported when all flags are understood.
"""

import os
import re
import sys
from argparse import SUPPRESS, ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Sequence
from importlib import import_module
from typing import NamedTuple

import transformer
from transformer.commands import flags
from transformer.commands.flags import Flags, add_flags, typed, warn
from transformer.commands.settings import Settings

REFUSED = 2  # the exit code of all that the reader can correct
INTERRUPTED = 130  # the exit code after Ctrl-C, as shells count it: 128 and SIGINT


class Command(NamedTuple):
    """What a command does, briefly in its first words, and what it can be told."""

    description: str
    flags: tuple[type[Flags], ...]  # which its function takes in this order


COMMANDS = {
    "train": Command(
        """\
Train a Transformer that translates. Without arguments it learns English to French
number words and saves to runs/numbers. With --text it learns a language model from
files of yours, with defaults of its own: a small Llama. The same command goes on
after an interruption, and with more --steps it extends a training. Two processes,
which torchrun starts, share the work of one by this command:

  """
        + typed("train", processes="2"),
        (Settings, flags.Saving, flags.Computing),
    ),
    "translate": Command(
        """\
Translate texts, or the lines of the standard input. The likeliest token is taken at
each step, unless a beam search or sampling is asked for.""",
        (flags.Translating, flags.Trained, flags.Drawing, flags.Computing),
    ),
    "evaluate": Command(
        """\
Measure a trained model on texts that it has not seen: exact match, token accuracy,
perplexity and BLEU; of a language model bits for each character and perplexity.""",
        (flags.Evaluating, flags.Trained, flags.Computing),
    ),
    "write": Command(
        """\
Go on with a text, token by token, by a trained language model: a small one, which
writes well and knows little, the book's own (--model verses), or yours (--run).
Unless --greedy is said each token is drawn, at a temperature of 0.7 with a min-p of
0.05, in whose place other filters come, and with a repetition penalty of 1.1. Ctrl-C
ends the text.""",
        (flags.Writing, flags.Drawing, flags.Computing),
    ),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return the exit code, 0 if all went well."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words[:1] == ["help"]:
        words = [*words[1:], "--help"]
    said = vars(parser().parse_args(words))
    name = said["command"]
    try:
        told = [kind.of(said) for kind in COMMANDS[name].flags]
        module = import_module(f"transformer.commands.{name}")
        getattr(module, f"{name}_command")(*told)
        print(end="", flush=True)  # here, where what goes wrong can be told
    except BrokenPipeError:  # the reader closed the pipe, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt as error:
        again = [word for word in words if word != "--overwrite"]
        command = typed(*again, processes=os.environ.get("LOCAL_WORLD_SIZE"))
        saved = f"; {error} Go on with: {command}" if str(error) else "."
        if os.environ.get("RANK", "0") == "0":  # the first of several processes tells
            warn(f"transformer: interrupted{saved}")
        return INTERRUPTED
    except Exception as error:
        sentence = explained(error)
        if sentence is None:
            raise
        warn(f"transformer: {sentence}")
        return REFUSED
    return 0


def parser() -> ArgumentParser:
    """Return the parser of the command line; it tells what was said, and no more."""
    whole = ArgumentParser(
        prog="python -m transformer",
        description="Train a Transformer that translates, use it, and measure it; or "
        "let a trained language model write.",
        allow_abbrev=False,
    )
    version = f"transformer {transformer.__version__}"
    whole.add_argument("--version", action="version", version=version)
    commands = whole.add_subparsers(
        title="commands", metavar="command", dest="command", required=True
    )
    for name, command in COMMANDS.items():
        one = commands.add_parser(
            name,
            help=re.match("[^.:,]*", command.description)[0],
            description=command.description,
            formatter_class=RawDescriptionHelpFormatter,  # a command is copied so
            argument_default=SUPPRESS,
            allow_abbrev=False,
        )
        for kind in command.flags:
            add_flags(one, kind)
    return whole


def explained(error: Exception) -> str | None:
    """Return what went wrong in a sentence; None for a mistake of this program."""
    ours = type(error).__module__.startswith("transformer.")
    if ours or isinstance(error, FloatingPointError | ImportError):
        return str(error)
    if isinstance(error, UnicodeError):
        return (
            f"texts must be in UTF-8, on their way in and out, but {error}; write them "
            "so, or set the variable PYTHONUTF8 to 1."
        )
    if isinstance(error, OSError):
        return (
            f"a file cannot be read or written: {error}; check its name, its rights "
            "and the room on the disk."
        )
    return None
