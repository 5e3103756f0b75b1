"""Run notebooks in a fresh kernel; a second run changes no byte."""

import copy
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ipykernel.kernelspec import get_kernel_dict
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import (
    CellExecutionError,
    CellTimeoutError,
    DeadKernelError,
)
from nbformat import NotebookNode

from bookkit.book.errors import BookError
from bookkit.book.files import relative_name
from bookkit.book.notebooks import cell_name, read_notebook, write_notebook
from bookkit.writing.normalize import KERNELSPEC, keep_measurements, normalize, plain

CELL_TIMEOUT = 300  # seconds


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


class RunError(BookError):
    """A notebook that could not be run to its end: which cell, and why."""


def run_notebook(path: Path, *, timeout: int = CELL_TIMEOUT) -> bool:
    """Execute a notebook and write it back in canonical form.

    Args:
        path: The notebook. When a cell fails it stays as it was.
        timeout: Seconds that one cell may take.

    Returns:
        Whether the file changed.

    Raises:
        RunError: A cell raised, took too long, showed too much or killed the kernel.
    """
    notebook = read_notebook(path)
    executed = execute(
        notebook, relative_name(path), folder=path.parent, timeout=timeout
    )
    normalize(executed)
    keep_measurements(notebook, executed)
    return write_notebook(path, executed)


def execute(
    notebook: NotebookNode,
    name: str,
    *,
    folder: Path,
    timeout: int,
    kernel: type[AsyncKernelManager] = FreshKernel,
) -> NotebookNode:
    """Execute a copy of a notebook in a fresh kernel.

    Args:
        notebook: What to execute; it stays as it is.
        name: What messages call it.
        folder: The working directory.
        timeout: Seconds that one cell may take.
        kernel: What starts the kernel; one of this interpreter when omitted.

    Raises:
        RunError: A cell raised, took too long, showed too much or killed the kernel.
    """
    executed = copy.deepcopy(notebook)
    started = [0]  # the places of the cells that have started
    client = NotebookClient(
        executed,
        kernel_name=KERNELSPEC["name"],
        kernel_manager_class=kernel,
        timeout=timeout,
        record_timing=False,
        # Outputs that come late are waited for, and never left out in silence.
        iopub_timeout=60,
        raise_on_iopub_timeout=True,
        resources={"metadata": {"path": str(folder)}},
        on_cell_start=lambda cell, cell_index: started.append(cell_index),
    )
    try:
        client.execute(env=_environment())
    except (CellExecutionError, CellTimeoutError, RuntimeError) as error:
        place = f"{name}, {cell_name(notebook, started[-1])}"
        raise RunError(f"{place} {_reason(error, timeout)}") from None
    return executed


def _environment() -> dict[str, str]:
    """Return the kernel's environment: figures are drawn inline, whatever is set."""
    hidden = ("MPLBACKEND", "PYTHONSTARTUP")
    kept = {key: value for key, value in os.environ.items() if key not in hidden}
    return kept | {"PYDEVD_DISABLE_FILE_VALIDATION": "1"}


def _reason(error: Exception, timeout: int) -> str:
    """Return in one sentence why a cell did not end."""
    if isinstance(error, CellTimeoutError):
        return (
            f"must end within {timeout} seconds, and did not; make it faster, or "
            "allow more with --timeout."
        )
    if isinstance(error, DeadKernelError):
        return "ended its Python process (out of memory, or a crash); make it smaller."
    if isinstance(error, CellExecutionError):
        said = " ".join(plain(error.evalue).split())
        return (
            f"raised {error.ename}: {said}; mend the cell and run it again, "
            "the file is unchanged."
        )
    return f"could not start, because the kernel did not: {error}"


def run_all(
    paths: list[Path],
    *,
    timeout: int = CELL_TIMEOUT,
    report: Callable[[str], None] = print,
) -> None:
    """Run notebooks in order and report one line for each; stop at the first fault.

    All are read before the first one runs, so that a broken one costs no time. Each is
    written when it has run to its end: what ran before a fault keeps its new outputs.
    """
    for path in paths:
        read_notebook(path)
    for path in paths:
        start = time.perf_counter()
        changed = run_notebook(path, timeout=timeout)
        seconds = time.perf_counter() - start
        state = "changed" if changed else "unchanged"
        report(f"{relative_name(path)}: {seconds:.1f} s, {state}")
