"""Run chosen tests of a session that is collected, and note who fails."""

import signal
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from math import inf

import pytest

from bookkit.checking.mutants.trials import TIME_LIMITS

# A test may take so many times its own CPU time and so many seconds more.
FACTOR, PATIENCE = 10, 20


class Judge:
    """A plugin that notes who fails, and ends what takes too much CPU time.

    Args:
        seconds: What each test takes without a bug, by its name.
    """

    def __init__(self, seconds: Mapping[str, float]) -> None:
        self.seconds = seconds
        self.noticed: set[str] = set()
        self.late: set[str] = set()
        self.errors: set[str] = set()
        signal.signal(signal.SIGPROF, self._end)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Iterator[None]:
        """Limit the fixtures."""
        return (yield from self._limited(item))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """Limit the test."""
        return (yield from self._limited(item))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a failure, of a subtest too; a fixture that raises has not judged."""
        if report.failed:
            name, said = function_in(report.nodeid), str(report.longrepr)
            (self.noticed if report.when == "call" else self.errors).add(name)
            if any(limit in said for limit in (*TIME_LIMITS, "of CPU time")):
                self.late.add(name)

    def _limited(self, item: pytest.Item) -> Iterator[None]:
        seconds = FACTOR * self.seconds[item.nodeid] + PATIENCE
        signal.setitimer(signal.ITIMER_PROF, seconds, 5)
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)

    def _end(self, *_: object) -> None:
        pytest.fail("Timeout: the test has had ten times its seconds of CPU time.")


def run_tests(
    items: Sequence[pytest.Item],
    noticed: Collection[str] = (),
    seconds: Callable[[], float] = lambda: inf,
) -> int:
    """Run tests, of each function until it is among those that have noticed.

    Returns:
        How many are left, since this process has used more seconds of CPU time than
        it may have by then.
    """
    left = 0
    for item, following in zip(items, [*items[1:], None], strict=True):
        spent = time.process_time() > seconds()
        left += spent
        if spent or function_in(item.nodeid) in noticed:
            item.session._setupstate.teardown_exact(following)
        else:
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
    return left


def function_in(name: str) -> str:
    """Return a test without its parameters."""
    return name.partition("[")[0]
