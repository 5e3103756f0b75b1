"""The page of benchmarks shows the run that was recorded."""

import json
from pathlib import Path

import pytest

from bookkit.book.errors import BookError
from bookkit.book.files import find_root
from bookkit.publishing.appendix import benchmarks
from bookkit.publishing.appendix.templates import fill

ROOT = find_root(Path(__file__))

CASE = {
    "name": "layer",
    "reference": "torch.nn",
    "unit": "ms",
    "ratio": 1.004,
    "low": 0.9,
    "high": 1.21,
    "aim": 1.0,
    "naive": None,
}
MEMORY = CASE | {"name": "bytes", "unit": "MiB", "ratio": 0.5, "aim": None}
RUN = {
    "machine": "3 cores, abc",
    "versions": {"torch": "7.5"},
    "quick": False,
    "rounds": 5,
    "cases": [CASE, CASE | {"ratio": 1.01}, MEMORY],
}


@pytest.fixture
def page(tmp_path):
    """Write the page of a run."""

    def write(**changes):
        file = tmp_path / benchmarks.FILE
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(RUN | changes))
        return fill("book/appendix/benchmarks.md", benchmarks.facts(tmp_path), ROOT)

    return write


def test_machine_versions_and_rounds_are_said(page):
    said = "had 5 rounds, on a machine with 3 cores, abc, with torch 7.5."
    assert said in page()


def test_ratios_and_aims_count_as_they_are_printed(page):
    lines = page().splitlines()
    assert "| layer | torch.nn | 1.00 | 0.90 | 1.21 | 1.00 | met |" in lines
    assert "| layer | torch.nn | 1.01 | 0.90 | 1.21 | 1.00 | missed |" in lines


def test_memory_stands_apart_and_without_aims(page):
    time, memory = page().split("## Memory")
    assert "| bytes | torch.nn | 0.50 | 0.90 | 1.21 |" in memory.splitlines()
    assert "0.50" not in time


def test_a_quick_run_says_so_and_is_held_against_no_aim(page):
    text = page(quick=True)
    assert "It was a quick run" in text
    assert "missed" not in text
    assert "It was a quick run" not in page()


def test_a_ceiling_is_explained_where_there_is_one(page):
    assert "*ceiling*" not in page()
    assert "*ceiling*" in page(cases=[CASE | {"reference": "ceiling: torch.mm"}])


ON_A_GPU = {
    "machine": "Card 7",
    "cases": [
        CASE | {"ratio": 1.5},
        MEMORY,
        CASE | {"name": "text", "ratio": 0.8, benchmarks.RATE: 250},
    ],
}


@pytest.fixture
def with_gpu(page, tmp_path):
    """Write the page of two runs."""

    def write(**changes):
        page()
        (tmp_path / benchmarks.ON_GPU).write_text(json.dumps(RUN | ON_A_GPU | changes))
        return page(cases=[CASE, CASE | {"name": "other"}, MEMORY])

    return write


def test_without_a_gpu_nothing_is_said_of_one(page):
    assert "GPU" not in page()


def test_ratios_of_a_gpu_stand_beside_those_of_the_cpu(with_gpu):
    text = with_gpu()
    assert "on one Card 7, with torch 7.5, in 5 rounds and float32" in text
    lines = text.splitlines()
    assert "| layer | torch.nn | 1.00 | 0.90 | 1.21 | 1.00 | met | 1.50 |" in lines
    assert "| other | torch.nn | 1.00 | 0.90 | 1.21 | 1.00 | met |  |" in lines
    assert "| bytes | torch.nn | 0.50 | 0.90 | 1.21 | 0.50 |" in lines  # memory
    assert "| text | torch.nn | 0.80 | 250 |" in lines


def test_the_share_of_the_bandwidth_is_told_where_it_was_measured(with_gpu):
    reading = CASE | {"reference": benchmarks.READING, "ratio": 125.6}
    said = "takes 126 times as long as reading its weights from memory, which is 0.8 %"
    assert said in with_gpu(cases=[reading])
    assert "bandwidth" not in with_gpu(cases=[CASE])


def test_without_a_run_the_error_says_what_to_do(tmp_path):
    with pytest.raises(BookError, match=r"must hold a recorded run, .*; run 'make"):
        benchmarks.facts(tmp_path)
