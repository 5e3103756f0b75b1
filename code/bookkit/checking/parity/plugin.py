"""The pytest plugin: the fixture ``parity`` and the option ``--write-parity``.

A comparison outside its bound fails its test. When whole files ran, the rows that their
tests made must be those recorded, with the same bounds, so that none can come, change
or vanish unseen. With ``--write-parity`` only tests that use the fixture run, and their
rows become the record.
"""

from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import pytest

from bookkit.book.errors import BookError
from bookkit.book.files import find_root, replace_file
from bookkit.checking.parity import rows

PROPERTY = "bookkit-parity"
VERSIONS = ("torch", "transformers")
FIRST_RING = "not nightly"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that renews the record."""
    parser.addoption(
        "--write-parity",
        action="store_true",
        help="run the comparisons with other packages only, and record them",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Start collecting what comparisons measure."""
    config.pluginmanager.register(_Ledger(config), "bookkit-parity-ledger")


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Leave out what compares nothing, when the record is to be written."""
    if config.getoption("write_parity"):
        others = [item for item in items if not _compares(item)]
        config.hook.pytest_deselected(items=others)
        items[:] = [item for item in items if _compares(item)]


def _compares(item: pytest.Item) -> bool:
    return "parity" in getattr(item, "fixturenames", ())


@pytest.fixture
def parity(request: pytest.FixtureRequest) -> Callable[[Any, Any], Any]:
    """Compare two things by name: ``parity(ours, theirs).values(found, expected, …)``.

    The two are objects, classes or functions, or a text that names one.
    """
    from bookkit.checking.parity.comparison import Comparison

    test = request.node.nodeid.split("[")[0]

    def record(measured: dict[str, Any]) -> None:
        request.node.user_properties.append((PROPERTY, measured))

    return lambda ours, theirs: Comparison(test, ours, theirs, record)


class _Ledger:
    """Gathers the records of a session, from its workers too, and judges them."""

    def __init__(self, config: pytest.Config):
        self.config = config
        self.writes = config.getoption("write_parity")
        self.records: list[dict[str, Any]] = []
        self.fault: str | None = None

    @property
    def whole(self) -> bool:
        """Whether every case of each test that ran was run.

        No comparison is left to the night, so the first ring has them all.
        """
        names = ("keyword", "deselect", "lf", "stepwise")
        chosen = any(getattr(self.config.option, name, None) for name in names)
        chosen |= getattr(self.config.option, "markexpr", "") not in ("", FIRST_RING)
        return not chosen and not any("::" in name for name in self.config.args)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call":
            for name, record in report.user_properties:
                if name == PROPERTY:
                    self.records.append(record)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if hasattr(self.config, "workerinput") or exitstatus or not self.records:
            return
        try:
            self.fault = self._write() if self.writes else self._staleness()
        except (ValueError, BookError) as error:  # two bounds for one row; no record
            self.fault = str(error)
        if self.fault:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _staleness(self) -> str | None:
        """Name the tests whose rows are not those on record, if that can be known."""
        if not self.whole:
            return None
        kept = rows.read(find_root(self.config.rootpath))["rows"]
        names = ", ".join(rows.differing_tests(self.records, kept))
        return names and f"{rows.FILE} is stale for {names}: run 'make parity'"

    def _write(self) -> str | None:
        """Replace the record by what this session measured; else say why not."""
        if not self.whole:
            return "--write-parity must run all tests, and some were left out"
        path = find_root(self.config.rootpath) / rows.FILE
        versions = {name: version(name).split("+")[0] for name in VERSIONS}
        replace_file(path, rows.text_of(versions, self.records).encode("utf-8"))
        return None

    def pytest_terminal_summary(self, terminalreporter) -> None:
        if self.fault:
            terminalreporter.write_line(self.fault, red=True)
