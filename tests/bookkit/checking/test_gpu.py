"""The book is checked on a GPU, or the check refuses to start.

There need be no GPU here: torch is made to say that there is one, and the notebooks
then run where they can.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from nbformat.v4 import new_output

from bookkit.__main__ import main
from bookkit.book.errors import BookError
from bookkit.book.files import find_root
from bookkit.checking import gpu
from bookkit.publishing.appendix import how_it_is_checked

ROOT = find_root(Path(__file__))
ASK = "import os\n\ndef test_it():\n    assert os.environ['DEVICE'] == 'cuda'\n"


@pytest.fixture
def no_gpu(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)


@pytest.fixture
def a_gpu(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "A GPU")


def test_without_a_gpu_nothing_starts(checked_book, no_gpu, monkeypatch, capsys):
    monkeypatch.chdir(checked_book)
    assert main(["test-gpu"]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(
        "bookkit test-gpu: The book can be checked on a GPU only where torch sees a "
        f"CUDA device, and torch {torch.__version__} sees none; install a torch"
    )


@pytest.fixture
def stored(checked_book, write_chapter, code):
    """Write a chapter that prints 0.1234, and a test for a GPU."""
    tests = checked_book / gpu.TESTS
    tests.mkdir()
    (tests / "test_it.py").write_text(ASK)

    def write(text):
        cell = code("print('0.1234')")
        cell.execution_count = 1
        cell.outputs = [new_output("stream", name="stdout", text=text)]
        write_chapter(cell)

    return write


@pytest.mark.pictures
def test_a_run_prints_and_writes_the_differences_of_each_chapter(
    checked_book, stored, a_gpu, section
):
    stored("0.1235\n")
    lines = []
    gpu.check(checked_book, lines.append)
    assert lines[0].startswith("On A GPU, with torch ")
    assert lines[1].splitlines()[1].split() == [
        *("book/part/chapter.ipynb", "1", "1", "0.0001", "1", "0", "0")
    ]
    assert lines[-1].startswith("To store this run: cp _build/gpu.json book/appendix/")
    found = json.loads((checked_book / gpu.RESULT).read_text())
    assert found == {
        "device": "A GPU",
        "torch": torch.__version__,
        "chapters": 1,
        "outputs": 1,
        "differences": {
            "book/part/chapter.ipynb": {
                "outputs": 1,
                "decimals": 1,
                "absolute": 1e-4,
                "units": 1,
                "points": 0.0,
                "levels": 0.0,
            }
        },
    }
    record = checked_book / gpu.RECORD
    record.parent.mkdir(parents=True)
    record.write_bytes((checked_book / gpu.RESULT).read_bytes())
    row = "| [](../part/chapter.ipynb) | 1 | 1 | 1 | 0 | 0 |"
    assert row in section("gpu", how_it_is_checked.gpu(checked_book))


def test_an_output_that_differs_fails_and_leaves_no_result(checked_book, stored, a_gpu):
    stored("0.1334\n")
    (checked_book / "_build").mkdir()
    (checked_book / gpu.RESULT).write_text("of an earlier run")
    with pytest.raises(BookError, match=r'stored "0\.1334", computed "0\.1234"'):
        gpu.check(checked_book, lambda line: None)
    assert not (checked_book / gpu.RESULT).exists()


def test_a_model_that_differs_fails_before_the_notebooks(checked_book, stored, a_gpu):
    stored("0.1334\n")
    (checked_book / gpu.TESTS / "test_it.py").write_text(
        "def test_it():\n    assert 0\n"
    )
    with pytest.raises(BookError, match="tests/gpu must pass on the GPU; what"):
        gpu.check(checked_book, lambda line: None)


@pytest.mark.parametrize(
    ("device", "chosen", "status", "said"),
    [
        ("", "every_choice or numpy", 0, "2 passed"),
        pytest.param(
            "cuda",
            "numpy",
            1,
            "needs a CUDA device, and torch sees none; without DEVICE ",
            marks=pytest.mark.skipif(torch.cuda.is_available(), reason="there is one"),
        ),
    ],
)
def test_the_tests_for_a_gpu_run_without_one_and_refuse_to_be_taken_for_more(
    device, chosen, status, said
):
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", ROOT / gpu.TESTS, "-k", chosen],
        cwd=ROOT,
        env=os.environ | {"DEVICE": device},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, said in done.stdout) == (status, True), done.stdout
