"""What executes a notebook: a fresh kernel, and a client that knows when to stop."""

from pathlib import Path
from typing import Any

from ipykernel.kernelspec import get_kernel_dict
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import DeadKernelError
from nbformat import NotebookNode

from bookkit.book.validity import MAX_SHOWN, shown_by
from bookkit.writing.normalize import KERNELSPEC


class ThisInterpreter(KernelSpecManager):
    """Find one kernel only: the interpreter that runs this module."""

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        """Describe the kernel, whatever kernels a user has installed elsewhere."""
        return KernelSpec(**get_kernel_dict())


class FreshKernel(AsyncKernelManager):
    """Start a kernel of this interpreter; no other user of the machine can read it."""

    def __init__(self, **settings: Any):
        settings |= {"kernel_spec_manager": ThisInterpreter()}
        super().__init__(transport_encryption="auto", **settings)


class ShownTooMuchError(RuntimeError):
    """A cell shows more than a notebook can hold."""


class Client(NotebookClient):
    """Execute a notebook; a cell that shows too much is stopped.

    Attributes:
        cell_index: The place of the cell that started last.
        shown: How many characters it has shown.
    """

    cell_index = 0
    shown = 0

    def __init__(self, notebook: NotebookNode, folder: Path, **settings: Any):
        super().__init__(
            notebook,
            kernel_name=KERNELSPEC["name"],
            record_timing=False,
            # Outputs that come late are waited for, and never left out in silence.
            iopub_timeout=60,
            raise_on_iopub_timeout=True,
            resources={"metadata": {"path": str(folder)}},
            **settings,
        )

    async def async_execute_cell(
        self, cell: NotebookNode, cell_index: int, **settings: Any
    ) -> NotebookNode:
        """Execute one cell.

        Raises:
            ShownTooMuchError: It shows too much.
        """
        self.cell_index, self.shown = cell_index, 0
        try:
            return await super().async_execute_cell(cell, cell_index, **settings)
        finally:
            if self.shown > MAX_SHOWN:
                self.shutdown_kernel = "immediate"
                raise ShownTooMuchError

    def process_message(
        self, msg: dict[str, Any], cell: NotebookNode, cell_index: int
    ) -> NotebookNode | None:
        """Take what the cell shows, until it is too much."""
        self.shown += shown_by(msg)
        if self.shown > MAX_SHOWN:
            return None
        return super().process_message(msg, cell, cell_index)

    async def _async_check_alive(self) -> None:
        """Count a kernel that shows too much as one that has ended."""
        if self.shown > MAX_SHOWN:
            raise DeadKernelError
        await super()._async_check_alive()
