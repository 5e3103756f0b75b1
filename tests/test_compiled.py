"""Tests that compile run in an interpreter without the type checks of the tests."""

import re
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parent


def test_what_is_compiled_computes_the_same():
    plain = "addopts=--strict-markers --import-mode=importlib"
    command = [sys.executable, "-m", "pytest", "-q", "-o", plain, "-m", "compiled"]
    done = subprocess.run(
        [*command, "--ignore", str(TESTS / "site"), str(TESTS)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    passed = int(re.search(r"(\d+) passed", done.stdout)[1])
    assert passed > 20  # each layer and each variant of the model
