"""The pytest plugin: with ``--nbval``, outputs are compared by the book's own rules.

It takes over the notebooks that nbval collects, refuses ``--nbval-lax``, closes the
session with a count of what was compared, and fails a session that ran notebooks and
compared nothing. ``--differences`` adds a table of the largest differences it met, and
``--record-notebooks`` writes down what was found. Without ``--nbval`` it does nothing.
"""

import importlib.util
import os
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path

import pytest

from bookkit.checking.compare.record import (
    COMPARED,
    NotebookRecord,
    sum_of,
    table_of,
    write_records,
)

KEPT = "CHAPTERS_KEPT"  # see chapters.laboratory.kept


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options; nbval, whose options pyproject.toml sets, must be there."""
    if importlib.util.find_spec("nbval") is None:
        raise pytest.UsageError(
            "nbval must be installed to run notebooks and is not: "
            "run 'make test', or install requirements.txt"
        )
    parser.addoption(
        "--texts-only",
        action="store_true",
        help="do not compare figures: for another matplotlib",
    )
    parser.addoption(
        "--differences",
        action="store_true",
        help="with --nbval: print the largest differences between stored outputs and "
        "those of the run",
    )
    parser.addoption(
        "--record-notebooks",
        type=Path,
        metavar="FILE",
        help="with --nbval: write faults, counts and largest differences, in JSON",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Start counting when notebooks are to be run."""
    if config.getoption("nbval_lax", default=False):
        raise pytest.UsageError(
            "--nbval-lax compares no output, so a green run would say nothing: "
            "use --nbval"
        )
    if config.getoption("nbval", default=False):
        config.pluginmanager.register(_Tally(config), "bookkit-compare-tally")
        if not os.environ.get("NIGHTLY"):
            os.environ.setdefault(KEPT, str(config.rootpath / "_build/kept"))


class _Tally:
    """Counts the outputs that were compared in one session, notebook by notebook."""

    def __init__(self, config: pytest.Config):
        self.config = config
        self.records: defaultdict[str, NotebookRecord] = defaultdict(NotebookRecord)

    @property
    def compared_nothing(self) -> bool:
        total = sum_of(self.records.values())
        return total.counts["cells"] > 0 and total.outputs == 0

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(self, file_path, parent) -> Generator[None, list, list]:
        from nbval.plugin import IPyNbFile

        from bookkit.checking.compare.items import NotebookFile

        return [
            NotebookFile.from_parent(parent, path=file_path)
            if type(collector) is IPyNbFile
            else collector
            for collector in (yield)
        ]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        notebook, _, cell = report.nodeid.partition("::")
        if notebook.endswith(".ipynb"):
            self.records[notebook].add(cell, report)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.compared_nothing:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        path = self.config.getoption("record_notebooks")
        if path and not hasattr(self.config, "workerinput"):
            write_records(path, self.records)

    def pytest_terminal_summary(self, terminalreporter) -> None:
        counts = sum_of(self.records.values()).counts
        if not counts["cells"]:
            return
        kinds = [k for k in COMPARED if k != "other" or counts[k]]
        parts = ", ".join(f"{counts[kind]} {kind}" for kind in kinds)
        if self.config.getoption("differences"):
            terminalreporter.write_line("\n".join(table_of(self.records)))
        terminalreporter.write_line(
            f"notebook outputs compared: {parts}; ignored: {counts['ignored']}"
        )
        if self.compared_nothing:
            terminalreporter.write_line(
                f"{counts['cells']} notebook cells ran and no output was compared, so "
                "this run says nothing: check which notebooks and cells it chose",
                red=True,
            )
