"""How a command ends early: a sentence on the standard error, and an exit code."""

import os
import sys

REFUSED = 2  # the exit code of all that the reader can correct
BROKEN_OFF = 1  # the exit code when a training was broken off from outside
INTERRUPTED = 130  # the exit code after Ctrl-C, as shells count it: 128 and SIGINT


def complain(sentence: str, code: int) -> int:
    """Print on the standard error why a command ends; return its exit code."""
    print(f"transformer: {sentence}", file=sys.stderr)
    return code


def tell_interruption(sentence: str) -> int:
    """Print what Ctrl-C has ended, once if there are several processes."""
    if "LOCAL_RANK" in os.environ and os.environ.get("RANK", "0") != "0":
        return INTERRUPTED  # of the processes of torchrun, only the first one tells
    return complain(sentence, INTERRUPTED)
