"""Kernels of a test run as forks of one process, so that imports are paid once.

A reader's kernel is a fresh interpreter. So is each kernel where only one notebook is
run, in the checks of the night (`--fresh-kernels`), and on systems other than Linux,
on which a process with the libraries of this book must not be forked.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from jupyter_client.provisioning import LocalProvisioner

from bookkit.book.errors import BookError

FORKS = Path(__file__).parent / "forks.py"
CAN_FORK = sys.platform == "linux"
# No part of the book. What draws figures inline is not here: it asks for the kernel.
HEAVY = (
    "torch",
    "torch._dynamo",  # which an optimizer imports when it takes its first step
    "torch.nn.attention.flex_attention",
    "torch.utils.flop_counter",
    "matplotlib.pyplot",
    "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_svg",
    "ipykernel.kernelapp",
    "ipykernel.ipkernel",
    "jaxtyping",
    "safetensors.torch",
    "tokenizers",
)


class Forks:
    """The process whose forks become kernels; it starts with the first of them.

    Args:
        modules: What it imports, where that is installed.
    """

    def __init__(self, modules: Sequence[str] = HEAVY) -> None:
        self.modules = modules
        self.process: subprocess.Popen[str] | None = None

    def start(self, arguments: list[str], folder: str, env: Mapping[str, str]) -> int:
        """Start a kernel, and return the number of its process.

        Args:
            arguments: What the launcher of the kernel is given.
            folder: Its working directory.
            env: Its environment.
        """
        if self.process is None:
            # -P: the modules beside the file do not stand in the way of Python's own.
            self.process = subprocess.Popen(
                [sys.executable, "-P", FORKS, *self.modules],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
            )
        return self._ask({"arguments": arguments, "cwd": folder, "env": dict(env)})

    def exit_code(self, process: int) -> int | None:
        """Return the exit code of a kernel, or None while it runs."""
        return self._ask({"poll": process})

    def _ask(self, request: dict[str, object]) -> int | None:
        """Ask, and return the answer.

        Raises:
            BookError: The process is gone.
        """
        try:
            print(json.dumps(request), file=self.process.stdin, flush=True)
            return json.loads(self.process.stdout.readline())
        except (OSError, ValueError) as error:
            raise BookError(
                "the process whose forks are kernels must run, and has ended with "
                f"{self.process.poll()}; run again with --fresh-kernels."
            ) from error

    def close(self) -> None:
        """End the process, so that what it has spent is counted."""
        if self.process is not None:
            with suppress(OSError):  # it is gone, and cannot be told
                self.process.stdin.close()
            self.process.wait()
            self.process.stdout.close()
            self.process = None


class Forked:
    """A kernel that is a fork, as `subprocess.Popen` describes a process."""

    stdin = stdout = stderr = None

    def __init__(self, forks: Forks, pid: int) -> None:
        self.forks, self.pid = forks, pid
        self.code: int | None = None

    def poll(self) -> int | None:
        """Return the exit code, or None while it runs."""
        if self.code is None:
            self.code = self.forks.exit_code(self.pid)
        return self.code

    def wait(self) -> int | None:
        """Return the exit code; it is asked for only after the end."""
        return self.poll()

    def send_signal(self, signum: int) -> None:
        """Send a signal to the process, where it has no group of its own yet."""
        if self.poll() is None:
            os.kill(self.pid, signum)


class ForkProvisioner(LocalProvisioner):
    """Starts the kernel as a fork where jupyter_client would start an interpreter."""

    def __init__(self, forks: Forks, **settings: object) -> None:
        super().__init__(**settings)
        self.forks = forks

    async def launch_kernel(self, cmd: list[str], **settings: object) -> dict:
        """Start the kernel; it leads a group of processes, as a fresh one does."""
        arguments = cmd[cmd.index("-f") :]
        pid = self.forks.start(arguments, settings["cwd"], settings["env"])
        self.process = Forked(self.forks, pid)
        self.pid = self.pgid = pid
        self.cwd = settings["cwd"]
        return self.connection_info
