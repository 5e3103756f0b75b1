"""Train, and be killed at random moments: `killed.py FOLDER KILLS FLAGS...`.

Each attempt is a fork, so that it starts at once. Prints what was the newest step after
each kill.
"""

import os
import random
import signal
import sys
import time
from pathlib import Path

import torch

from transformer.commands import main
from transformer.commands.runs import Run
from transformer.training import load_checkpoint

LONGEST = 1.0  # seconds that an attempt may live


def attempt(flags, lifetime=None):
    """Train in a fork; kill it after `lifetime` seconds. Tell whether it was killed."""
    child = os.fork()
    if not child:
        with open(os.devnull, "w") as nowhere:
            os.dup2(nowhere.fileno(), 1)
        os._exit(main(["train", *flags]))
    if lifetime is not None:
        time.sleep(lifetime)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status):
        assert os.WEXITSTATUS(status) == 0, "a training that was not killed failed"
    return os.WIFSIGNALED(status)


def run(folder, kills, flags):
    """Train to the end, with so many kills on the way."""
    flags = [f"--output={folder}", *flags]
    moments = random.Random(0)
    for _ in range(kills):
        assert attempt(flags, moments.uniform(0, LONGEST)), "it ended before the kill"
        newest = Run(Path(folder)).newest
        print(0 if newest is None else load_checkpoint(newest).step)
    attempt(flags)


if __name__ == "__main__":
    torch.set_num_threads(1)
    run(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
