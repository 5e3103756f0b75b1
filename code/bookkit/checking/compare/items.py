"""A notebook, its kernel and its cells as pytest sees them: nbval only runs them."""

import os
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import asdict
from queue import Empty
from time import monotonic

import nbformat
import pytest
from nbval.kernel import CURRENT_ENV_KERNEL_NAME, RunningKernel, start_new_kernel
from nbval.plugin import IPyNbCell, IPyNbFile, NbCellError

from bookkit.book.errors import BookError
from bookkit.book.notebooks import RAISES, load_notebook, tags
from bookkit.checking.compare.conditions import faults_of, ignores_output
from bookkit.checking.compare.outputs import (
    compare_outputs,
    join_streams,
    kind_of,
    texts,
)
from bookkit.checking.compare.record import COUNTS, DIFFERENCES, collecting
from bookkit.writing.normalize import plain

_STEP = 0.1  # seconds between two looks at what the kernel does
_OUTPUT_MESSAGES = frozenset(["stream", "display_data", "execute_result", "error"])
_REWRITING_MESSAGES = frozenset(["clear_output", "update_display_data"])


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
        with open(os.devnull, "w") as nowhere:
            self.km, self.kc = start_new_kernel(
                startup_timeout, CURRENT_ENV_KERNEL_NAME, cwd=folder, stderr=nowhere
            )
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
                return super().await_reply(msg_id, timeout=_STEP)
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


class OutputsDifferError(Exception):
    """The stored outputs of a cell are not what the run gave; one sentence a fault."""


class NotebookFile(IPyNbFile):
    """A notebook: starts a kernel in its folder and yields its code cells."""

    nb: nbformat.NotebookNode | None = None

    def setup(self) -> None:
        """Start the kernel, if there is something to run."""
        self.messages: list[dict] = []
        if self.nb is not None:
            wait = self.config.getoption("nbval_kernel_startup_timeout")
            self.kernel = Kernel(str(self.path.parent), wait)

    def teardown(self) -> None:
        """Stop the kernel, also one whose process is gone."""
        if self.kernel is not None and self.kernel.is_started():
            self.kernel.stop()

    @property
    def title(self) -> str:
        """The notebook's path from the root, or its full path outside."""
        root = self.config.rootpath
        inside = self.path.is_relative_to(root)
        return str(self.path.relative_to(root) if inside else self.path)

    def collect(self) -> Iterator[pytest.Item]:
        """Yield one item for each code cell, named by its position from 1.

        A notebook that cannot be read is an error, which says why.
        """
        try:
            self.nb = load_notebook(self.path, self.title)
        except BookError as error:
            raise self.CollectError(str(error)) from None
        cells = [cell for cell in self.nb.cells if cell.cell_type == "code"]
        for position, cell in enumerate(cells, start=1):
            yield NotebookCell.from_parent(
                self, name=f"Cell {position}", position=position, stored=cell
            )

    def get_kernel_message(
        self, timeout: float | None = None, stream: str = "iopub"
    ) -> dict:
        """Return the kernel's next message and keep it for the comparison."""
        message = super().get_kernel_message(timeout=timeout, stream=stream)
        self.messages.append(message)
        return message


class NotebookCell(IPyNbCell):
    """A code cell: nbval executes it, then its outputs are compared."""

    def __init__(self, *, name, parent, position, stored):
        # nbval compares nothing here: it sees a cell without outputs.
        bare = nbformat.v4.new_code_cell(stored.source, metadata=stored.metadata)
        options = {
            "check": False,
            "check_exception": bool(RAISES.intersection(tags(stored))),
            "skip": False,
        }
        super().__init__(name, parent, position, bare, options)
        self.stored = stored

    def runtest(self) -> None:
        """Execute the cell and raise when it differs from what is stored."""
        self.user_properties.append((COUNTS, {"cells": 1}))
        self.parent.messages.clear()
        if not self.parent.kernel.is_alive():
            raise KernelError("cannot run: an earlier cell ended the Python process.")
        super().runtest()
        faults = faults_of(self.stored, self.cell_num)
        if ignores_output(self.stored):
            self.user_properties.append((COUNTS, {"ignored": 1}))
        else:
            faults += self._compare()
        if faults:
            raise OutputsDifferError("\n".join(faults))

    def _compare(self) -> list[str]:
        """Compare the stored outputs with those of the run, and count them."""
        messages = self.parent.messages
        if any(message["msg_type"] in _REWRITING_MESSAGES for message in messages):
            return [
                "the cell clears or updates a display, so its outputs depend on time: "
                "show the final state only"
            ]
        computed = [
            nbformat.v4.output_from_msg(message)
            for message in messages
            if message["msg_type"] in _OUTPUT_MESSAGES
        ]
        stored = self.stored.outputs
        if self.config.getoption("texts_only"):
            stored, computed = texts(stored), texts(computed)
        kinds = Counter(kind_of(output) for output in join_streams(stored))
        self.user_properties.append((COUNTS, dict(kinds)))
        with collecting() as found:
            faults = compare_outputs(stored, computed)
        self.user_properties.append((DIFFERENCES, asdict(found)))
        return faults

    def _title(self) -> str:
        return f"{self.parent.title}, code cell {self.cell_num}"

    def repr_failure(self, excinfo: pytest.ExceptionInfo) -> object:
        """Report notebook, cell, what is wrong, the source, and how to fix it."""
        error = excinfo.value
        source = "\n".join(f"    {line}" for line in self.stored.source.splitlines())
        if isinstance(error, OutputsDifferError):
            faults = "\n  and ".join(str(error).splitlines())
            return (
                f"{self._title()}: {faults}\n{source}\n"
                f"If the change is meant: make run NOTEBOOK={self.parent.title}"
            )
        if isinstance(error, KernelError):
            return f"{self._title()} {error}\n{source}"
        if isinstance(error, NbCellError):
            traceback = plain(error.inner_traceback or "").strip()
            reason = traceback.rpartition("\n")[2] or "There is no traceback."
            message = str(error).removesuffix(".")
            return f"{self._title()}: {message}. {reason}\n{source}\n{traceback}"
        return pytest.Item.repr_failure(self, excinfo)

    def reportinfo(self) -> tuple[object, int, str]:
        """Return where the cell is, for the headings of pytest's report."""
        return self.path, 0, self._title()
