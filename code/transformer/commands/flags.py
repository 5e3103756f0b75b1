"""The flags of all commands: each is a field of a dataclass, with its line of help.

Nothing here imports PyTorch, so that help and mistakes are answered at once.
"""

import shlex
import sys
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from dataclasses import Field, asdict, dataclass, field, fields
from pathlib import Path
from types import UnionType
from typing import get_origin

from transformer.checks.values import (
    LARGEST,
    check_choice,
    check_dropout,
    check_positive,
    check_size,
)

RUN = str(Path("runs") / "numbers")  # where `train` without arguments saves
SMALL = 256  # models of fewer features are slower on several threads than on one
CHOSEN = ("OMP_NUM_THREADS", "MKL_NUM_THREADS")  # by the reader, or by torchrun


class SettingsError(Exception):
    """Flags or settings do not fit; the message says which, and what to do."""


class TextError(Exception):
    """A text cannot be read by a model; the message says why."""


def flag(
    default: object, help: str, choices: tuple[str, ...] = (), **more: object
) -> object:
    """Return a field that is a flag of a command.

    Args:
        default: Its value where it is not said.
        help: Its line of help.
        choices: The values that there are; none for any.
        more: `least` and `most`, between which a number lies; whether it is a `share`,
            below 1, takes `several` values, or is no flag but `words` behind all flags;
            its `metavar`; its other `names`; and the `group` of flags that begins with
            it.
    """
    return field(default=default, metadata={"help": help, "choices": choices, **more})


@dataclass(frozen=True, kw_only=True)
class Flags:
    """Hold what was said to a command, each field checked by what describes it."""

    def __post_init__(self) -> None:
        """Check the fields; raise at the first that does not fit."""
        for item in fields(self):
            value = getattr(self, item.name)
            if value is None and item.default is None:
                continue
            try:
                _check(item, value)
            except (TypeError, ValueError) as error:
                raise SettingsError(str(error)) from error

    @classmethod
    def of(cls, said: Mapping[str, object]) -> "Flags":
        """Return the flags as they were said to a parser, defaults for the others."""
        names = (item.name for item in fields(cls))
        return cls(**{name: said[name] for name in names if name in said})

    def given(self) -> dict[str, object]:
        """Return what was given of flags that have no default."""
        return {name: x for name, x in asdict(self).items() if x is not None}


def _check(item: Field, value: object) -> None:
    """Check one field by itself."""
    said, name = item.metadata, as_flag(item.name)
    most = said.get("most")
    if said["choices"]:
        check_choice(name, value, said["choices"])
    elif "share" in said:
        check_dropout(name, value)
    elif kind_of(item) is int:
        check_size(name, value, minimum=said.get("least", 1), maximum=most or LARGEST)
    elif kind_of(item) is float:
        check_positive(name, value)
        if most is not None and value > most:
            raise ValueError(
                f"{name} must be at most {most}, got {value}; pass a smaller one."
            )
    elif kind_of(item) is str and not isinstance(value, str):
        raise TypeError(f"{name} must be text, got {value!r}; write a name.")


def add_flags(parser: ArgumentParser, kind: type[Flags]) -> None:
    """Add a flag to a parser for each field of a dataclass."""
    place = parser
    for item in fields(kind):
        said, type_ = item.metadata, kind_of(item)
        options = {"help": said["help"]}
        if "group" in said:
            place = parser.add_argument_group(said["group"])
        if "words" in said:
            place.add_argument(item.name, nargs="*", metavar="TEXT", **options)
            continue
        if type_ is bool:
            options["action"] = "store_true"
        elif "several" in said:
            options |= {"nargs": "+", "metavar": said["metavar"]}
        elif said["choices"]:
            options["choices"] = said["choices"]
        else:
            options |= {"type": type_, "metavar": said.get("metavar", type_.__name__)}
        if item.default is not None and type_ is not bool:
            options["help"] += f" (default: {item.default})"
        place.add_argument(as_flag(item.name), *said.get("names", ()), **options)


def kind_of(item: Field) -> type:
    """Return the type of a field, without the None of one that may be left out."""
    found = item.type.__args__[0] if isinstance(item.type, UnionType) else item.type
    return get_origin(found) or found  # of several texts that they are several


def as_flag(name: str) -> str:
    """Return the flag of a field."""
    return f"--{name.replace('_', '-')}"


def typed(*arguments: object, processes: str | None = None) -> str:
    """Return a command with its interpreter, or for so many processes of torchrun."""
    launcher = ()
    if processes is not None:
        launcher = ("-m", "torch.distributed.run", "--nproc-per-node", processes)
    words = (sys.orig_argv[0], *launcher, "-m", "transformer", *arguments)
    return shlex.join(map(str, words))


def warn(line: str) -> None:
    """Print a note where it does not mix with what is asked for."""
    print(line, file=sys.stderr)


@dataclass(frozen=True, kw_only=True)
class Computing(Flags):
    """Where a command computes."""

    device: str | None = flag(
        None,
        "where to compute: cpu, cuda (default: the GPU if there is one)",
        group="where it computes",
        metavar="name",
    )
    threads: int | None = flag(
        None,
        "threads on the CPU; another number changes the last bits of what is computed "
        f"(default: what {CHOSEN[0]} says, else 1 for models of fewer than {SMALL} "
        "features, else one for each core)",
        most=1024,  # more than a system may give, and all is lost
    )


@dataclass(frozen=True, kw_only=True)
class Saving(Flags):
    """Where `train` saves, and how processes share what they train."""

    output: str | None = flag(
        None,
        "where to save; the other commands call it --run (default: runs/ and the name "
        "of the task)",
        group="where it saves",
        names=("--run",),
        metavar="folder",
    )
    overwrite: bool = flag(False, "replace what was saved there")
    shard: bool = flag(False, "under torchrun: share out (FSDP), do not copy (DDP)")


@dataclass(frozen=True, kw_only=True)
class Trained(Flags):
    """Which training a command uses, and how it searches for translations."""

    run: str = flag(RUN, "the folder of a training, its --output", metavar="folder")
    beam_width: int = flag(1, "hypotheses of a beam search; 1 for the likeliest token")


@dataclass(frozen=True, kw_only=True)
class Translating(Flags):
    """What `translate` is told."""

    texts: Sequence[str] | None = flag(
        None,
        "what to translate, each in quotation marks; behind -- if it begins with a -",
        words=True,
    )
    sample: bool = flag(False, "draw each token at random")
    attention: str | None = flag(
        None,
        "draw where the model looked (.svg, .png or .pdf); one TEXT",
        metavar="file",
    )


@dataclass(frozen=True, kw_only=True)
class Evaluating(Flags):
    """What `evaluate` is told."""

    split: str = flag("test", "on which texts", ("test", "validation", "train"))
    json: bool = flag(False, "print one JSON object")
    pairs: str | None = flag(
        None, "where the file of train --pairs is now", metavar="file"
    )


@dataclass(frozen=True, kw_only=True)
class Writing(Flags):
    """What `write` is told."""

    text: Sequence[str] | None = flag(
        None,
        "what to go on with; - for the standard input, read too where it is a pipe",
        words=True,
    )
    model: str = flag("smollm2-135m", "an installed model", metavar="name")
    run: str | None = flag(
        None,
        "instead: the folder of a training on --text, its --output",
        metavar="folder",
    )
    adapter: str | None = flag(
        None,
        "what the model has learned since: a folder of save_adapter",
        metavar="folder",
    )
    chat: bool = flag(
        False,
        "answer TEXT instead of going on with it; without TEXT talk, line after line, "
        "until an empty one",
    )
    max_new_tokens: int = flag(200, "the most tokens that are written")
    greedy: bool = flag(False, "take the likeliest token at each step")
    compile: bool = flag(
        False, "make machine code of a step: minutes once, and then less for each token"
    )


@dataclass(frozen=True, kw_only=True)
class Drawing(Flags):
    """How tokens are drawn."""

    temperature: float | None = flag(
        None, "sharper below 1, flatter above", group="how tokens are drawn"
    )
    top_k: int | None = flag(None, "draw from the k likeliest tokens")
    top_p: float | None = flag(None, "draw from the fewest of this probability", most=1)
    seed: int | None = flag(None, "draw the same at each run", least=0)
    min_p: float | None = flag(None, "least share of the largest probability", most=1)
    repetition_penalty: float | None = flag(None, "above 1: against tokens seen before")
