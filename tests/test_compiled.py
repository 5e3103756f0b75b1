"""Tests that compile run in an interpreter without the type checks of the tests."""

import re
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parent


def passed(folder, pattern="test_*.py"):
    """Run what the files of a folder compile; return how many tests passed."""
    plain = "addopts=--strict-markers --import-mode=importlib"
    # While pytest listens to the logs, PyTorch writes every graph that it compiles.
    silent = ["-p", "no:logging"]
    command = [sys.executable, "-m", "pytest", "-q", "-o", plain, "-m", "compiled"]
    # The others need not even be imported.
    files = [
        file
        for file in sorted((TESTS / folder).rglob(pattern))
        if "mark.compiled" in file.read_text("utf-8")
    ]
    done = subprocess.run(
        [*command, *silent, *map(str, files)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return int(re.search(r"(\d+) passed", done.stdout)[1])


def test_a_compiled_layer_computes_the_same():
    assert passed("layers") > 15


def test_a_step_with_a_cache_is_one_graph():
    assert passed("models", "test_compiled_steps.py") > 2


def test_a_compiled_model_computes_the_same():
    assert passed("models") > 60


def test_a_compiled_decoder_computes_the_same():
    assert passed("decoding") > 5


def test_a_compiled_model_takes_an_adapter():
    assert passed("training") > 1


def test_an_exported_example_computes_the_same():
    assert passed("examples") > 0


def test_what_is_compiled_is_counted_for_each_function():
    assert passed("checks") > 0


def test_a_compiled_training_script_learns_the_same():
    assert passed("chapters/language_model") > 0
