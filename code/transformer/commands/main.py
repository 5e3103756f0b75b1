"""The command line: `python -m transformer train | translate | evaluate | write`.

This module imports little, so that help, the version and whatever is misspelled are
answered at once; what a command needs is imported when all flags are understood.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from importlib import import_module

from transformer import __version__
from transformer.checks.values import meant
from transformer.commands.endings import REFUSED, complain, tell_interruption
from transformer.commands.parser import Parser
from transformer.commands.settings import SettingsError

COMMANDS = {
    "train": "train a model",
    "translate": "translate with a trained model",
    "evaluate": "measure a trained model",
    "write": "go on with a text, by a trained language model",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return the exit code, 0 if all went well."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words[:1] == ["help"]:
        words = [*words[1:], "--help"]
    try:
        whole = parser(words)
        check_command(whole, words)
        parsed = whole.parse_args(words)
        import_module("transformer.commands.described").check_said(parsed)
        return import_module("transformer.commands.running").run(parsed)
    except SettingsError as error:
        return complain(str(error), REFUSED)
    except KeyboardInterrupt:  # the imports take a moment
        return tell_interruption("interrupted.")


def parser(words: Sequence[str]) -> ArgumentParser:
    """Return the parser of the command line, with the flags of the command it names."""
    whole = Parser(
        prog="python -m transformer",
        description="Train a Transformer that translates, use it, and measure it; or "
        "let a trained language model write.",
    )
    whole.add_argument(
        "--version", action="version", version=f"transformer {__version__}"
    )
    commands = whole.add_subparsers(title="commands", metavar="command")
    for name, does in COMMANDS.items():
        command = commands.add_parser(name, help=does)
        if [name] == list(words[:1]):
            described = import_module("transformer.commands.described")
            getattr(described, f"add_{name}")(command)
            command.set_defaults(command=name)
    return whole


def check_command(whole: ArgumentParser, words: Sequence[str]) -> None:
    """Check that what is said first is a command, or a flag."""
    if words and (words[0] in COMMANDS or words[0].startswith("-")):
        return
    came = f"{words[0]!r}{meant(words[0], COMMANDS)}" if words else "none"
    whole.error(
        f"the first word must be a command, got {came}; choose one of "
        f"{', '.join(COMMANDS)}."
    )
