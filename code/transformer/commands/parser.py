"""A parser of arguments that asks whether a similar flag or value was meant."""

import re
from argparse import ArgumentParser, Namespace
from typing import NoReturn

from transformer.checks.values import meant

UNKNOWN = re.compile(r"invalid choice: '(?P<came>[^']*)' \(choose from (?P<known>.*)\)")


def as_flag(name: str) -> str:
    """Return the flag of a field."""
    return f"--{name.replace('_', '-')}"


class Parser(ArgumentParser):
    """Parse the arguments of a command as `argparse` does, and offer similar names.

    A flag is written out: a shortened one would be taken in silence.
    """

    def __init__(self, *args, **options) -> None:
        super().__init__(*args, **{"allow_abbrev": False, **options})

    def parse_known_args(self, args=None, namespace=None) -> tuple[Namespace, list]:
        """Return what was said; end the program at a flag that there is not."""
        parsed, unknown = super().parse_known_args(args, namespace)
        if unknown:
            flags = [flag for flag in self._option_string_actions if len(flag) > 2]
            asked = [meant(word.partition("=")[0], flags) for word in unknown]
            self.error(f"unrecognized arguments: {' '.join(unknown)}{''.join(asked)}")
        return parsed, unknown

    def error(self, message: str) -> NoReturn:
        """Print what is wrong and where the flags are listed, then end the program."""
        if found := UNKNOWN.search(message):
            known = [name.strip("' ") for name in found["known"].split(",")]
            message += meant(found["came"], known)
        self.exit(
            2, f"{self.prog}: error: {message.rstrip('.')}; see {self.prog} --help\n"
        )
