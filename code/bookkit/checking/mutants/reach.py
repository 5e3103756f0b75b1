"""Which functions of the package does each test call, and does it start processes?"""

import multiprocessing.util
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from bookkit.checking.mutants.checked import forget

STARTS = {"subprocess.Popen", "os.fork", "os.posix_spawn", "os.system", "os.exec"}

Called = set[tuple[str, str]]  # file and qualified name


class Reach:
    """A plugin that watches the tests of one file.

    What a fixture that is shared calls or starts counts for each test that has it.

    Args:
        package: The folder of the package.
    """

    def __init__(self, package: Path) -> None:
        self.prefix = f"{package}/"
        self.called: Called = set()
        self.shared: dict[str, Called] = defaultdict(set)
        self.tests: dict[str, dict[str, Any]] = {}
        self.fixtures: dict[str, list[str]] = {}
        self.starts = False
        self.starters: set[str] = set()  # of the shared fixtures
        sys.addaudithook(self._audit)
        spawn = multiprocessing.util.spawnv_passfds
        multiprocessing.util.spawnv_passfds = lambda *given: (
            self._audit("os.fork", ()) or spawn(*given)
        )

    def result(self) -> dict[str, dict[str, Any]]:
        """Return for each test its seconds, what it calls, and what became of it."""
        for name, test in self.tests.items():
            for fixture in self.fixtures[name]:
                test["calls"] |= self.shared.get(fixture, set())
                test["starts"] |= fixture in self.starters
        return {
            name: test | {"calls": sorted(self._short(*call) for call in test["calls"])}
            for name, test in self.tests.items()
        }

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Watch a test and its fixtures."""
        forget(item.module)
        self.called, self.starts = set(), False
        test = {"seconds": 0.0, "calls": self.called, "fails": False}
        self.tests[item.nodeid] = test
        self.fixtures[item.nodeid] = list(getattr(item, "fixturenames", ()))
        begun = time.process_time()
        threading.setprofile(self._profile)
        sys.setprofile(self._profile)
        try:
            return (yield)
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
            test["seconds"] = round(time.process_time() - begun, 3)
            test["starts"] = self.starts

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[Any]:
        """Note what a shared fixture calls."""
        if fixturedef.scope == "function":
            return (yield)
        outer, self.called = self.called, set()
        started, self.starts = self.starts, False
        try:
            return (yield)
        finally:
            if self.starts:
                self.starters.add(fixturedef.argname)
            self.starts |= started
            self.shared[fixturedef.argname] |= self.called
            outer |= self.called
            self.called = outer

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a test that fails without a bug."""
        self.tests[report.nodeid]["fails"] |= report.failed

    def _profile(self, frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            code = frame.f_code
            if code.co_filename.startswith(self.prefix):
                self.called.add((code.co_filename, code.co_qualname))

    def _short(self, file: str, function: str) -> str:
        return f"{file.removeprefix(self.prefix)}:{function}"

    def _audit(self, event: str, _: object) -> None:
        self.starts = self.starts or event in STARTS
