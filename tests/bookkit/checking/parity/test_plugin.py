"""The fixture fails what is off or not on record; the run notices the rest."""

import json
import subprocess
import sys

import pytest
import torch
from torch.testing import assert_close

from bookkit.checking.parity import comparison
from bookkit.checking.parity.rows import FILE

pytest_plugins = ["pytester"]
_ = comparison

SETTINGS = "[pytest]\naddopts = -p bookkit.checking.parity.plugin -p no:cacheprovider\n"
TESTS = """\
import pytest, torch

@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_sums(parity, dtype):
    x = torch.ones(3, dtype=dtype)
    parity(torch.add, "theirs.add").values(x + x, 2 * x, rtol=0, atol=1e-6)

def test_of_something_else():
    assert FINE
"""


@pytest.fixture(scope="module", autouse=True)
def _imported():
    """Have torch import what it imports late: an inner run would forget it."""
    assert_close(torch.ones(1), torch.ones(1))


@pytest.fixture
def run(pytester):
    """Run pytest in a new book with these tests, after a record was written."""
    pytester.makefile(".yml", _config="title: A")
    pytester.makeini(SETTINGS)

    def run(*options, after=TESTS, fine=True):
        for text, more in ((TESTS, ["--write-parity"]), (after, options)):
            pytester.makepyfile(test_it=f"FINE = {fine}\n{text}")
            done = pytester.runpytest_inprocess("-q", "test_it.py", *more)
        return done.ret, done.stdout.str(), pytester.path / FILE

    return run


def test_the_record_holds_what_the_comparisons_measured(run):
    code, said, file = run("--write-parity", fine=False)  # the other test does not run
    assert code == 0, said
    assert "2 passed, 1 deselected" in said
    kept = json.loads(file.read_text())
    assert sorted(kept["versions"]) == ["torch", "transformers"]
    assert [row["dtype"] for row in kept["rows"]] == ["float32", "float64"]
    assert {row["test"] for row in kept["rows"]} == {"test_it.py::test_sums"}


def test_a_run_that_compares_as_recorded_is_green(run):
    code, said, _ = run()
    assert code == 0, said
    assert "3 passed" in said


@pytest.mark.parametrize(
    "change",
    [
        ("1e-6", "1e-5"),
        ("theirs.add", "theirs.sum"),
        (".values(", ".gradients("),
        (", torch.float32]", "]"),
    ],
    ids=["another bound", "another reference", "another kind", "one less"],
)
def test_what_is_not_as_on_record_fails_the_run(run, change):
    code, said, _ = run(after=TESTS.replace(*change))
    assert code == pytest.ExitCode.TESTS_FAILED
    assert f"{FILE} is stale for test_it.py::test_sums: run 'make parity'" in said


def test_a_comparison_outside_its_bound_fails_its_test(run):
    _, said, _ = run(after=TESTS.replace("2 * x", "3 * x"))
    assert "Tensor-likes are not close" in said
    assert "2 failed, 1 passed" in said


def test_a_run_of_some_cases_does_not_fail_for_the_others(run):
    code, said, _ = run("-k", "dtype0")
    assert "1 passed, 2 deselected" in said
    assert code == 0, said


def test_two_bounds_for_one_row_are_refused(run):
    line = "    parity(torch.add, 'theirs.add').values(x, x, rtol=0, atol=0)\n"
    after = TESTS.replace("\ndef test_of", f"{line}\ndef test_of")
    code, said, file = run("--write-parity", after=after)
    assert code == pytest.ExitCode.TESTS_FAILED
    assert "test_sums must have one bound for" in said
    assert '"atol": 0,' not in file.read_text()


def test_part_of_the_tests_writes_no_record(run):
    code, said, file = run("--write-parity", "-k", "dtype0")
    assert code == pytest.ExitCode.TESTS_FAILED
    assert "--write-parity must run all tests, and some were left out" in said
    assert "float32" in file.read_text()


def test_the_plugin_loads_no_code_that_a_test_run_must_watch():
    # Shapes are checked only in modules imported after pytest has started.
    code = "import bookkit.checking.parity.plugin, sys; "
    code += "sys.exit('transformer' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
