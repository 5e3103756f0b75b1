"""The kernel of a notebook under test: it may end, or never end."""

import os
from collections import deque
from queue import Empty
from time import monotonic

from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.manager import KernelManager
from nbval.kernel import (
    CURRENT_ENV_KERNEL_NAME,
    NbvalKernelspecManager,
    RunningKernel,
)

from bookkit.book.errors import BookError

STEP = 0.1  # seconds between two looks at what the kernel does


class KernelError(BookError):
    """What a cell did to the kernel, so that no cell after it can run."""


class Kernel(RunningKernel):
    """Run cells, and read what they show while they run.

    nbval waits for the end of a cell first, however much it shows and though its
    process may be gone.

    Args:
        folder: The working directory.
        startup_timeout: Seconds that the start may take.
    """

    def __init__(self, folder: str, startup_timeout: float) -> None:
        self.waiting: deque[dict] = deque()
        self.km, self.kc = started(folder, startup_timeout)
        self._ensure_iopub_up()

    def await_reply(self, msg_id: str, timeout: float | None = None) -> None:
        """Wait for the end of a cell, and collect what it shows meanwhile.

        Raises:
            Empty: It did not end in time.
            KernelError: It ended the process.
        """
        start = monotonic()
        while True:
            try:
                return super().await_reply(msg_id, timeout=STEP)
            except Empty:
                self._collect()
            if not self.is_alive():
                raise KernelError(
                    "must leave its Python process running, and ended it (out of "
                    "memory, or a crash); make it smaller."
                )
            if timeout is not None and monotonic() - start > timeout:
                raise Empty

    def is_started(self) -> bool:
        """Return whether there is something to stop, be it only what listens."""
        return hasattr(self, "km")

    def _collect(self) -> None:
        """Take what the cell has shown so far."""
        try:
            while True:
                self.waiting.append(super().get_message("iopub", timeout=0))
        except Empty:
            return

    def get_message(self, stream: str, timeout: float | None = None) -> dict:
        """Return the next message of a stream."""
        if stream == "iopub" and self.waiting:
            return self.waiting.popleft()
        return super().get_message(stream, timeout=timeout)


def started(
    folder: str, startup_timeout: float
) -> tuple[KernelManager, BlockingKernelClient]:
    """Start a kernel of this interpreter, and what listens to it; see `Kernel`."""
    manager = KernelManager(
        kernel_name=CURRENT_ENV_KERNEL_NAME,
        kernel_spec_manager=NbvalKernelspecManager(),
    )
    with open(os.devnull, "w") as nowhere:
        manager.start_kernel(cwd=folder, stderr=nowhere)
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=startup_timeout)
    except RuntimeError:
        client.stop_channels()
        manager.shutdown_kernel()
        raise
    return manager, client
