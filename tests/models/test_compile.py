"""Every variant compiles; the cases stand in `compiled_cases.py`."""

import subprocess
import sys
from pathlib import Path

CASES = Path(__file__).with_name("compiled_cases.py")


def test_every_variant_compiles_and_computes_the_same():
    plain = "addopts=--import-mode=importlib"  # no type checks around the package
    command = [sys.executable, "-m", "pytest", "-q", "-o", plain, str(CASES)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
