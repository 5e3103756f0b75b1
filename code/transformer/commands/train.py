"""The command `train`."""

import re
import signal
import sys
from argparse import (
    Namespace,
)
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from torch.distributed import DistError

from transformer.commands.computing import find_device, set_threads
from transformer.commands.flags import in_steps
from transformer.commands.folder import Run
from transformer.commands.job import train_run
from transformer.commands.settings import WARMUP, Settings
from transformer.commands.training_flags import (
    check_text,
    going_on,
    said_settings,
)
from transformer.training import World, connected

LOST = re.compile("connection (closed|reset)|gloo|nccl", re.IGNORECASE)


class LostProcessError(Exception):
    """Another process of a training is gone; the message says what to do."""


def train_command(parsed: Namespace) -> None:
    """Train as the flags say, and say what to do next."""
    check_text(parsed)
    device = find_device(parsed.device)
    settings = said_settings(parsed)
    set_threads(parsed.threads, d_model=settings.d_model)
    place = Run(Path(parsed.output or Path("runs") / settings.name))
    with connected(device) as world, losses_explained(world, place):
        report = print if world.is_writer else lambda line: None
        place.check(settings, overwrite=parsed.overwrite)
        told = list(notes(parsed, settings, place))
        world.wait()  # no process writes before all have looked
        train_run(
            settings,
            place,
            world,
            shard=parsed.shard,
            overwrite=parsed.overwrite,
            go_on=going_on(parsed),
            notes=told,
            report=report,
        )


def notes(parsed: Namespace, settings: Settings, place: Run) -> Iterator[str]:
    """Yield what is not as the flags or the folder would let one expect."""
    if parsed.warmup is None and settings.warmup < WARMUP:
        yield (
            f"the learning rate warms up for {in_steps(settings.warmup)}, a quarter of "
            f"{settings.steps}, instead of {WARMUP}"
            if settings.warmup
            else "the learning rate begins at its peak: there is no warm-up in "
            f"{in_steps(settings.steps)}"
        )
    earlier = None if parsed.overwrite else place.steps
    if earlier is not None and earlier < settings.steps:
        yield f"extending a training of {in_steps(earlier)} to {settings.steps}: " + (
            "from its next step on the learning rate is that of the longer one, so the "
            f"weights will not be those of {settings.steps} steps in one go (add "
            "--overwrite for those)"
            if settings.schedule == "cosine"
            else f"the weights will be those of {settings.steps} steps in one go"
        )


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
