"""The page of benchmarks shows what was recorded, and takes no other run."""

import json
import shutil
from pathlib import Path

import pytest

from bookkit.book.errors import BookError
from bookkit.book.files import find_root
from bookkit.checking.facts import facts
from bookkit.publishing.appendix import benchmarks

ROOT = find_root(Path(__file__))


@pytest.fixture
def record(tmp_path):
    """Change the recorded run; the value is what the page tells of it."""

    def change(**changes):
        for name in (benchmarks.FILE, benchmarks.ON_GPU):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tmp_path / name)
        file = tmp_path / benchmarks.FILE
        run = json.loads(file.read_text()) | changes
        file.write_text(json.dumps(run))
        return benchmarks.facts(tmp_path)

    return change


CASE = {"name": "layer", "reference": "torch.nn", "unit": "ms", "ratio": 1.004}
CASE |= {"low": 0.9, "high": 1.21, "aim": 1.0}


def test_ratios_and_aims_count_as_they_are_printed(record):
    memory = CASE | {"unit": "MiB", "aim": None}
    told = record(cases=[CASE, CASE | {"ratio": 1.01}, memory])
    times, sizes = (table["lines"] for table in told["tables"])
    assert times == [
        ("layer", "torch.nn", "1.00", "0.90", "1.21", "1.00", "met", ""),
        ("layer", "torch.nn", "1.01", "0.90", "1.21", "1.00", "missed", ""),
    ]
    assert sizes == [("layer", "torch.nn", "1.00", "0.90", "1.21", "")]


def test_ratios_of_a_gpu_stand_beside_those_of_the_cpu(record):
    there = json.loads((ROOT / benchmarks.ON_GPU).read_text())["cases"][0]
    names = {name: there[name] for name in ("name", "reference")}
    [line] = record(cases=[CASE | names])["tables"][0]["lines"]
    assert line[-1] == f"{there['ratio']:.2f}"


@facts("text", ["", '{"quick": true, "versions": {}}'])
def test_a_run_that_is_none_or_quick_is_refused(tmp_path, text):
    file = tmp_path / benchmarks.FILE
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    with pytest.raises(
        BookError, match=r"^bench\.json must hold a (full|recorded) run"
    ):
        benchmarks.facts(tmp_path)
