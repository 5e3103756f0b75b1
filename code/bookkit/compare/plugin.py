"""The pytest plugin: with ``--nbval``, outputs are compared by the book's own rules.

It takes over the notebooks that nbval collects, refuses ``--nbval-lax``, closes the
session with a count of what was compared, and fails a session that ran notebooks and
compared nothing. Without ``--nbval`` it does nothing.
"""

import importlib.util
from collections import Counter
from collections.abc import Generator

import pytest

_COUNTED = "text", "SVG", "PNG", "other"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Check that nbval, whose options pyproject.toml sets, is there; add our own."""
    if importlib.util.find_spec("nbval") is None:
        raise pytest.UsageError(
            "nbval must be installed to run notebooks and is not: "
            "run 'make test', or install requirements.txt"
        )
    parser.addoption(
        "--texts-only",
        action="store_true",
        help="with --nbval, do not compare figures: for another matplotlib",
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


class _Tally:
    """Counts the outputs that were compared in one session."""

    def __init__(self, config: pytest.Config):
        self.config = config
        self.counts: Counter[str] = Counter()

    @property
    def compared_nothing(self) -> bool:
        compared = sum(self.counts[kind] for kind in _COUNTED)
        return self.counts["cells"] > 0 and compared == 0

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(self, file_path, parent) -> Generator[None, list, list]:
        from nbval.plugin import IPyNbFile

        from bookkit.compare.items import NotebookFile

        return [
            NotebookFile.from_parent(parent, path=file_path)
            if type(collector) is IPyNbFile
            else collector
            for collector in (yield)
        ]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        from bookkit.compare.items import PROPERTY

        if report.when == "call":
            for name, counts in report.user_properties:
                if name == PROPERTY:
                    self.counts.update(counts)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.compared_nothing:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter) -> None:
        cells = self.counts["cells"]
        if not cells:
            return
        kinds = [k for k in _COUNTED if k != "other" or self.counts[k]]
        parts = ", ".join(f"{self.counts[kind]} {kind}" for kind in kinds)
        terminalreporter.write_line(
            f"notebook outputs compared: {parts}; ignored: {self.counts['ignored']}"
        )
        if self.compared_nothing:
            terminalreporter.write_line(
                f"{cells} notebook cells ran and no output was compared, so this run "
                "says nothing: check which notebooks and cells it chose",
                red=True,
            )
