"""The command `train`."""

import re
import signal
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from types import UnionType

from torch.distributed import DistError

from transformer.commands.flags import add_device, find_device
from transformer.commands.folder import Run
from transformer.commands.job import train_run
from transformer.commands.settings import Settings
from transformer.training import World, connected

LOST = re.compile("connection (closed|reset)|gloo|nccl", re.IGNORECASE)


class LostProcessError(Exception):
    """Another process of a training is gone; the message says what to do."""


def add_train(commands) -> None:
    """Add the command to the command line."""
    parser: ArgumentParser = commands.add_parser(
        "train",
        help="train a model",
        description="Train a Transformer that translates. Without arguments it learns "
        "English to French number words and saves to runs/numbers. The same command "
        "goes on after an interruption. Under torchrun it takes part with all "
        "processes: torchrun --nproc-per-node 2 -m transformer train",
    )
    parser.add_argument(
        "--output",
        metavar="FOLDER",
        help="where to save (default: runs/ and the name of the task)",
    )
    parser.add_argument(
        "--overwrite", action="store_true", help="replace what was saved there"
    )
    parser.add_argument(
        "--shard",
        action="store_true",
        help="under torchrun: share the parameters out (FSDP) instead of copying (DDP)",
    )
    add_device(parser)
    for item in fields(Settings):
        _add_setting(parser, item)
    parser.set_defaults(command=train_command)


def _add_setting(parser: ArgumentParser, item) -> None:
    """Add a flag for a field of the settings."""
    choices = item.metadata["choices"]
    kinds = item.type.__args__ if isinstance(item.type, UnionType) else (item.type,)
    default = "" if item.default is None else f" (default: {item.default})"
    parser.add_argument(
        f"--{item.name.replace('_', '-')}",
        type=kinds[0],
        default=item.default,
        choices=choices or None,
        metavar=None if choices else kinds[0].__name__.upper(),
        help=item.metadata["help"] + default,
    )


def train_command(parsed: Namespace) -> None:
    """Train as the flags say."""
    said = {item.name: getattr(parsed, item.name) for item in fields(Settings)}
    if said["pairs"] is not None:  # so that `evaluate` finds it from another folder
        said["pairs"] = str(Path(said["pairs"]).resolve())
    settings = Settings(**said)
    place = Run(Path(parsed.output or Path("runs") / settings.name))
    with connected(find_device(parsed.device)) as world, losses_explained(world, place):
        place.check(settings, overwrite=parsed.overwrite)
        world.wait()  # no process writes before all have looked
        report = print if world.is_writer else lambda line: None
        options = {"shard": parsed.shard, "overwrite": parsed.overwrite}
        train_run(settings, place, world, report=report, **options)
        report(f"saved in {place.folder}")


@contextmanager
def losses_explained(world: World, place: Run) -> Iterator[None]:
    """Explain what happened when another process is lost, and how to go on."""
    if world.size == 1:
        yield
        return
    signal.signal(
        signal.SIGTERM, lambda number, frame: sys.exit(_told(place, "told to"))
    )
    try:
        yield
    except RuntimeError as error:
        if not isinstance(error, DistError) and not LOST.search(str(error)):
            raise
        raise LostProcessError(_told(place, str(error).splitlines()[0])) from error


def _told(place: Run, reason: str) -> str:
    """Return the message for a training that ends because a process is gone."""
    saved = "there is no checkpoint yet"
    if place.newest is not None:
        saved = f"the newest checkpoint is {place.newest}"
    return (
        f"another process of this training was lost ({reason}); {saved}. The same "
        "command goes on from there."
    )
