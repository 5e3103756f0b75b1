"""A command of this program as it is typed."""

import shlex
import sys


def typed(*arguments: object, processes: str | None = None) -> str:
    """Return a command with the interpreter as it was called, ready to be typed.

    Args:
        arguments: The name of the command, and its flags.
        processes: How many torchrun is to start; None for one without it.
    """
    launcher = ()
    if processes is not None:
        launcher = ("-m", "torch.distributed.run", "--nproc-per-node", processes)
    words = (sys.orig_argv[0], *launcher, "-m", "transformer", *arguments)
    return shlex.join(map(str, words))
