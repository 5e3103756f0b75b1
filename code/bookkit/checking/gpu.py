"""Check the book on a GPU: its models, every notebook, and the canary."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from bookkit.book.errors import BookError
from bookkit.book.notebooks import chapters
from bookkit.checking import canary
from bookkit.checking.canary.modes import side_by_side
from bookkit.checking.compare.record import NotebookRecord, sum_of, table_of
from bookkit.checking.validate import SIDE_BY_SIDE, validate

RESULT, RECORD = "_build/gpu.json", "book/appendix/data/gpu.json"
TESTS = "tests/gpu"


def find_device() -> str:
    """Return the name of the GPU.

    Raises:
        BookError: If torch can use no GPU.
    """
    if not torch.cuda.is_available():
        raise BookError(
            f"The book can be checked on a GPU only where torch sees a CUDA device, "
            f"and torch {torch.__version__} sees none; install a torch with CUDA on a "
            "machine with an NVIDIA GPU, or check on the CPU with 'make test'."
        )
    return torch.cuda.get_device_name()


def check(root: Path, report: Callable[[str], None] = print) -> None:
    """Run the tests for a GPU, every notebook and the canary, and write what came.

    Args:
        root: The book's root.
        report: What to do with a line of the report.

    Raises:
        BookError: There is no GPU, a test failed, or an output differs.
    """
    device, result = find_device(), root / RESULT
    result.unlink(missing_ok=True)
    report(f"On {device}, with torch {torch.__version__}.")
    compare_models(root)
    done = validate(root, chapters(root), *SIDE_BY_SIDE)
    report("\n".join(table_of(done.records)))
    if not done.passed:
        raise BookError(
            "Every output must be on a GPU what it is on a CPU; mend these:\n"
            + "\n".join(
                f"{name}, {cell}: {fault}"
                for name, record in done.records.items()
                for cell, fault in record.faults.items()
            )
        )
    canary.check(root, {"on a GPU": (side_by_side, True)}, report)
    result.parent.mkdir(exist_ok=True)
    result.write_text(text_of(device, done.records), encoding="utf-8")
    report(f"To store this run: cp {RESULT} {RECORD} && make appendix")


def compare_models(root: Path) -> None:
    """Compare the models of the package on the GPU with those on the CPU.

    Raises:
        BookError: A test failed.
    """
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", TESTS]
    done = subprocess.run(command, cwd=root, env=os.environ | {"DEVICE": "cuda"})
    if done.returncode:
        raise BookError(
            f"The tests of {TESTS} must pass on the GPU; what failed stands above."
        )


def text_of(device: str, records: Mapping[str, NotebookRecord]) -> str:
    """Return what came of the notebooks, as the text of a file."""
    found: dict[str, Any] = {
        "device": device,
        "torch": torch.__version__,
        "chapters": len(records),
        "outputs": sum_of(records.values()).outputs,
        "differences": {
            name: {"outputs": record.outputs, **asdict(record.differences)}
            for name, record in records.items()
        },
    }
    return json.dumps(found, indent=1) + "\n"
