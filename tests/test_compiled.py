"""Tests that compile run in an interpreter without the type checks of the tests."""

import re
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parent


def test_what_is_compiled_computes_the_same():
    plain = "addopts=--strict-markers --import-mode=importlib"
    # While pytest listens to the logs, PyTorch writes every graph that it compiles.
    silent = ["-p", "no:logging"]
    command = [sys.executable, "-m", "pytest", "-q", "-o", plain, "-m", "compiled"]
    # The others need not even be imported.
    files = [
        f for f in TESTS.rglob("test_*.py") if "mark.compiled" in f.read_text("utf-8")
    ]
    done = subprocess.run(
        [*command, *silent, *map(str, sorted(files))],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    passed = int(re.search(r"(\d+) passed", done.stdout)[1])
    assert passed > 20  # each layer and each variant of the model
