"""Train, and be killed at random moments: `killed.py FOLDER KILLS FLAGS...`.

Each attempt is a fork, so that it starts at once. It ends itself after some steps and
some of its own computing time, which no other work on the machine makes longer. Every
second one is not killed, but told to end as by Ctrl-C. Prints what was the newest step
after each of them.
"""

import os
import random
import signal
import sys
import time
from pathlib import Path

import torch
import torch._dynamo  # an optimizer loads it, which takes longer than some steps

import transformer.commands.train  # noqa: F401, once for all
from transformer.commands import main
from transformer.commands.folder import Run
from transformer.training import Trainer, load_checkpoint

MOST_STEPS = 10  # that an attempt may take before its end is near
MOST_MORE = 4  # steps' computing time until it comes
AT_ONCE = 0.1  # seconds of computing until it comes where no step is awaited
INTERRUPTED = 130  # the exit code after Ctrl-C
ALARM = signal.ITIMER_PROF  # computing time of this process
RINGS = signal.SIGPROF  # which kills, if nothing handles it


def end_after(steps, more):
    """Let the alarm ring after so many steps of this process, and parts of one more."""
    if steps == 0:
        signal.setitimer(ALARM, more * AT_ONCE / MOST_MORE)
        return
    take, begun = Trainer.step, []

    def counted(trainer, batch):
        begun.append(time.process_time())
        if len(begun) == steps + 1:
            signal.setitimer(ALARM, more * (begun[-1] - begun[-2]))
        return take(trainer, batch)

    Trainer.step = counted


def start(flags, steps=None, more=0.0, *, told=False):
    """Train in a fork, to the end or until its alarm; return its process id."""
    child = os.fork()
    if not child:
        with open(os.devnull, "w") as nowhere:
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
        try:
            if told:
                signal.signal(RINGS, lambda *_: signal.raise_signal(signal.SIGINT))
            if steps is not None:
                end_after(steps, more)
            os._exit(main(["train", *flags]))
        except KeyboardInterrupt:  # before or after all that can be interrupted
            os._exit(INTERRUPTED)
    return child


def ended(child):
    """Return how a process has ended: its exit code, or minus the signal."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def newest_step(run):
    """Return the step of the newest checkpoint, 0 if there is none."""
    return 0 if run.newest is None else int(run.newest.name.removeprefix("step-"))


def train(folder, kills, flags):
    """Train to the end, with so many kills on the way."""
    flags, run = [f"--output={folder}", *flags], Run(Path(folder))
    moments = random.Random(0)
    for number in range(kills):
        steps, more = moments.randint(0, MOST_STEPS), moments.uniform(0, MOST_MORE)
        told = bool(number % 2)
        found = ended(start(flags, steps, more, told=told))
        assert found == (INTERRUPTED if told else -RINGS), "it ended otherwise"
        if run.newest is not None:
            load_checkpoint(run.newest)  # which is whole
        print(newest_step(run))
    assert ended(start(flags)) == 0


if __name__ == "__main__":
    torch.set_num_threads(1)
    train(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
