"""Train, and be killed at random moments: `killed.py FOLDER KILLS FLAGS...`.

Each attempt is a fork, so that it starts at once. Every second one is not killed, but
told to end as by Ctrl-C. Prints what was the newest step after each of them.
"""

import os
import random
import signal
import sys
import time
from pathlib import Path

import torch
import torch._dynamo  # an optimizer loads it, which takes longer than some steps

from transformer.commands import main, running  # noqa: F401, imported once for all
from transformer.commands.folder import Run
from transformer.training import load_checkpoint

MOST_STEPS = 10  # that an attempt may take before it is killed
MOST_SECONDS = 0.1  # that it may live on then
INTERRUPTED = 130  # the exit code after Ctrl-C


def start(flags):
    """Train in a fork; return its process id."""
    child = os.fork()
    if not child:
        with open(os.devnull, "w") as nowhere:
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
        try:
            os._exit(main(["train", *flags]))
        except KeyboardInterrupt:  # before or after all that can be interrupted
            os._exit(INTERRUPTED)
    return child


def newest_step(run):
    """Return the step of the newest checkpoint, 0 if there is none."""
    return 0 if run.newest is None else int(run.newest.name.removeprefix("step-"))


def end_at_random(child, run, moments, sign):
    """Let a training take some steps, and end it wherever it then is."""
    wanted = newest_step(run) + moments.randint(0, MOST_STEPS)
    while newest_step(run) < wanted:
        assert os.waitpid(child, os.WNOHANG) == (0, 0), "it ended before the kill"
        time.sleep(0.01)  # what looks more often takes the time of the training
    time.sleep(moments.uniform(0, MOST_SECONDS))
    os.kill(child, sign)
    status = os.waitpid(child, 0)[1]
    if sign == signal.SIGKILL:
        assert os.WIFSIGNALED(status), "it ended before the kill"
    else:
        assert os.waitstatus_to_exitcode(status) == INTERRUPTED


def train(folder, kills, flags):
    """Train to the end, with so many kills on the way."""
    flags, run = [f"--output={folder}", *flags], Run(Path(folder))
    moments = random.Random(0)
    for number in range(kills):
        sign = signal.SIGINT if number % 2 else signal.SIGKILL
        end_at_random(start(flags), run, moments, sign)
        if run.newest is not None:
            load_checkpoint(run.newest)  # which is whole
        print(newest_step(run))
    assert os.waitpid(start(flags), 0)[1] == 0


if __name__ == "__main__":
    torch.set_num_threads(1)
    train(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
