"""What executes a notebook: a fresh kernel, and a client that knows where it is."""

from pathlib import Path
from typing import Any

from ipykernel.kernelspec import get_kernel_dict
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbformat import NotebookNode

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


class Client(NotebookClient):
    """Execute a notebook.

    Attributes:
        cell_index: The place of the cell that started last.
    """

    cell_index = 0

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
        """Execute one cell."""
        self.cell_index = cell_index
        return await super().async_execute_cell(cell, cell_index, **settings)
