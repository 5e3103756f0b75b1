"""Run by itself: it imports what most notebooks import, and its forks become kernels.

Each notebook of a test run gets a kernel of its own; only the import of what is no part
of the book is paid once. `server.py` starts this file, names the modules, and talks
with it, a line of JSON each way. It runs without the author's tools, so that a kernel
holds none of them.
"""

import gc
import importlib
import json
import os
import runpy
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TextIO

LAUNCHER = "ipykernel_launcher"


def load(modules: Sequence[str]) -> None:
    """Import what is heavy, as far as it is there.

    It stays to the end: to search it for garbage again and again, in each kernel, takes
    longer than to import it.
    """
    gc.disable()
    for module in modules:
        with suppress(ImportError):
            importlib.import_module(module)
    gc.freeze()
    gc.enable()


def serve(asked: TextIO, answers: TextIO) -> dict | None:
    """Answer until nobody asks any more.

    What asks for a kernel is answered with the number of its process, "poll" with the
    exit code of one, or null while it runs. Those that still run in the end are ended.

    Returns:
        In a new process, what was asked for it. None where the asking ends.
    """
    running = set()
    for line in asked:
        request = json.loads(line)
        if "poll" in request:
            answer = exit_code(request["poll"])
            if answer is not None:
                running.remove(request["poll"])
        else:
            answer = os.fork()
            if answer == 0:
                return request
            running.add(answer)
        print(json.dumps(answer), file=answers, flush=True)
    for process in running:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)  # so that what it has spent is counted
    return None


def exit_code(process: int) -> int | None:
    """Return the exit code of a process (minus the signal that ended it), or None."""
    ended, status = os.waitpid(process, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if ended else None


def become_kernel(request: dict) -> None:
    """Become the kernel that was asked for, as if Python had just been started."""
    os.setsid()  # an interrupt reaches the kernel and what it has started, nobody else
    signal.signal(signal.SIGINT, signal.default_int_handler)
    null = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(null, stream)
    sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115
    os.environ.clear()
    os.environ.update(request["env"] | {"JPY_PARENT_PID": str(os.getppid())})
    os.chdir(request["cwd"])
    if (matplotlib := sys.modules.get("matplotlib")) is not None:
        inline = "module://matplotlib_inline.backend_inline"
        matplotlib.rcParams["backend"] = os.environ.get("MPLBACKEND") or inline
    sys.argv = [LAUNCHER, *request["arguments"]]
    runpy.run_module(LAUNCHER, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who asks decides when it ends
    load(sys.argv[1:])
    asked_for = serve(sys.stdin, sys.stdout)
    if asked_for is not None:
        become_kernel(asked_for)
