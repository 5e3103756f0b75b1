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
MEMORY = CASE | {"unit": "MiB", "ratio": 0.5, "aim": None}
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
    assert "| layer | torch.nn | 0.50 | 0.90 | 1.21 |" in memory.splitlines()
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
    "cases": [CASE | {"name": "text", "tokens a second": 250}, CASE, MEMORY],
}


def test_a_run_on_a_gpu_follows_with_its_card_and_tokens_a_second(page, tmp_path):
    assert "GPU" not in page()
    (tmp_path / benchmarks.ON_GPU).write_text(json.dumps(RUN | ON_A_GPU))
    cpu, gpu = page().split("## On a GPU")
    assert "on one Card 7, with torch 7.5, 5 rounds, in float32" in gpu
    assert "tokens a second" not in cpu
    lines = gpu.splitlines()
    assert "| text | torch.nn | 1.00 | 0.90 | 1.21 | 1.00 | met | 250 |" in lines
    assert "| layer | torch.nn | 1.00 | 0.90 | 1.21 | 1.00 | met |  |" in lines
    assert "| layer | torch.nn | 0.50 | 0.90 | 1.21 |" in lines  # memory


def test_the_share_of_the_bandwidth_is_told_where_it_was_measured(page, tmp_path):
    page()
    reading = CASE | {"reference": benchmarks.READING, "ratio": 125.6}
    (tmp_path / benchmarks.ON_GPU).write_text(json.dumps(RUN | {"cases": [reading]}))
    said = "takes 126 times as long as reading its weights from memory, which is 0.8 %"
    assert said in page()
    (tmp_path / benchmarks.ON_GPU).write_text(json.dumps(RUN))
    assert "bandwidth" not in page()


def test_a_gpu_that_has_a_ceiling_alone_explains_it(page, tmp_path):
    page()
    run = RUN | {"cases": [CASE | {"reference": "ceiling: torch.mm"}]}
    (tmp_path / benchmarks.ON_GPU).write_text(json.dumps(run))
    assert "*ceiling*" in page()


def test_without_a_run_the_error_says_what_to_do(tmp_path):
    with pytest.raises(BookError, match=r"must hold a recorded run, .*; run 'make"):
        benchmarks.facts(tmp_path)
