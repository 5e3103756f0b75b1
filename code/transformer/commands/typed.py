"""A command of this program as it is typed."""

import os
import shlex
import sys


def typed(*arguments: object, together: bool = False) -> str:
    """Return a command with the interpreter as it was called, ready to be typed.

    Args:
        arguments: The name of the command, and its flags.
        together: Whether it is for as many processes as torchrun has started here.
    """
    launcher = ()
    if together and (processes := os.environ.get("LOCAL_WORLD_SIZE")):
        launcher = ("-m", "torch.distributed.run", "--nproc-per-node", processes)
    words = (sys.orig_argv[0], *launcher, "-m", "transformer", *arguments)
    return shlex.join(map(str, words))
