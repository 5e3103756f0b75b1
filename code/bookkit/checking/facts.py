"""Many values of one fact in one test.

`@facts` is written like `pytest.mark.parametrize` and makes one test of what that makes
many. A value for which the test fails is reported as a subtest, with its name; the
others go on.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import WRAPPER_ASSIGNMENTS, update_wrapper
from inspect import Parameter, signature
from itertools import product
from random import Random
from typing import Any

import pytest

NIGHT = bool(os.environ.get("NIGHTLY"))  # of `make everything`
ENDINGS = (Exception, pytest.fail.Exception, pytest.skip.Exception)
OUT_OF_TIME = "Timeout"  # so pytest-timeout begins, whose clock has stopped then


def some(values: Iterable[Any], count: int) -> list[Any]:
    """Return so many of many values by day, the same ones each time; all at night."""
    values = list(values)
    if NIGHT or len(values) <= count:
        return values
    return [values[i] for i in sorted(Random(0).sample(range(len(values)), count))]


@dataclass(frozen=True)
class Case:
    """The values of some arguments of a test, and what they are called."""

    name: str
    arguments: dict[str, object]


def facts(
    names: str,
    values: Iterable[object],
    ids: Callable[[object], object] | Iterable[str] | None = None,
) -> Callable:
    """Run a test for each of some values, as one test.

    Each fact begins as a test of its own would: with the same random numbers, an empty
    `tmp_path`, a `monkeypatch` that is undone behind it and nothing in `capsys`. What
    other fixtures give is shared. Above one another, two of these stand for all pairs.

    Args:
        names: The arguments that are given, with commas between.
        values: What each fact gives for them: a value, or as many as there are names;
            or a `pytest.param` with an id.
        ids: What to call the facts: a name for each, or a function of a value.
    """
    arguments = [name.strip() for name in names.split(",")]
    called = ids if ids is None or callable(ids) else list(ids)
    cases = list(_cases(arguments, list(values), called))
    if not cases:
        raise ValueError(f"facts of {names} must be at least one, got none.")

    def decorate(test: Callable) -> Callable:
        inner = getattr(test, "of_one_fact", test)
        return _of_all(inner, [cases, *getattr(test, "axes", ())])

    return decorate


def refusals(table: Mapping[type[Exception], Mapping[str, object]]) -> Callable:
    """Run a test for each row of a table: the error, the words of it, and the call."""
    rows = [(error, *row) for error, rows in table.items() for row in rows.items()]
    return facts("error, words, call", rows)


def _cases(arguments: list[str], values: list, ids: object) -> Iterator[Case]:
    """Name the values of one decorator and match them with its arguments."""
    names = ", ".join(arguments)
    called = [] if ids is None or callable(ids) else list(ids)
    for number, value in enumerate(values):
        param = value if hasattr(value, "marks") else pytest.param(value)
        given = param.values
        if len(arguments) > 1 and param is not value:
            given = tuple(value)
        if param.marks or len(given) != len(arguments):
            raise ValueError(
                f"a fact must give {names} and have no marks, got {value}."
            )
        if callable(ids):
            name = "-".join(str(ids(one)) for one in given)
        else:
            own = called[number] if called else "-".join(map(_short, given))
            name = param.id or own
        yield Case(str(name), dict(zip(arguments, given, strict=True)))


def _short(value: object) -> str:
    """Say a value in one line that is not too long."""
    said = getattr(value, "__name__", None) or " ".join(repr(value).split())
    return said if len(said) <= 60 else f"{said[:57]}..."


def _of_all(inner: Callable, axes: list[list[Case]]) -> Callable:
    """Return the test that goes through all facts, and takes the other fixtures."""
    given = {name for cases in axes for name in cases[0].arguments}
    wanted = signature(inner).parameters
    if missing := given - set(wanted):
        raise ValueError(f"{inner.__name__} must take {', '.join(sorted(missing))}.")
    own = [parameter for name, parameter in wanted.items() if name not in given]
    asked = {parameter.name for parameter in own}

    def test(request: pytest.FixtureRequest, **fixtures: object) -> None:
        subtests = fixtures["subtests"]
        passed = {name: fixtures[name] for name in asked - {"request"}}
        passed |= {"request": request} if "request" in asked else {}
        torch = sys.modules.get("torch")
        draws = torch and torch.get_rng_state()  # behind what the fixtures have drawn
        for number, cases in enumerate(product(*axes)):
            if torch:
                torch.set_rng_state(draws)
            arguments = {n: v for case in cases for n, v in case.arguments.items()}
            try:
                with ExitStack() as stack:
                    fresh = _afresh(passed, number, stack)
                    inner(**fresh, **arguments)
            except ENDINGS as ending:
                if str(ending).startswith(OUT_OF_TIME):
                    raise
                with subtests.test("-".join(case.name for case in cases)):
                    raise

    # What hypothesis notes on a function is about that function.
    update_wrapper(test, inner, WRAPPER_ASSIGNMENTS, ())
    test.pytestmark = getattr(inner, "pytestmark", [])
    test.of_one_fact, test.axes = inner, axes
    kinds = [
        Parameter(name, Parameter.KEYWORD_ONLY)
        for name in sorted({"request", "subtests"} | asked)
    ]
    test.__signature__ = signature(test).replace(parameters=kinds)
    return test


def _afresh(fixtures: dict, number: int, stack: ExitStack) -> dict:
    """Return the fixtures as the next fact gets them."""
    fresh = dict(fixtures)
    if "tmp_path" in fresh:
        fresh["tmp_path"] = fresh["tmp_path"] / f"fact-{number}"
        fresh["tmp_path"].mkdir()
    if "monkeypatch" in fresh:
        fresh["monkeypatch"] = stack.enter_context(fresh["monkeypatch"].context())
    if "capsys" in fresh:
        fresh["capsys"].readouterr()
    return fresh


class _Skipped:
    """Names the facts that were skipped; pytest does only where it is asked to."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped and hasattr(report, "context"):  # a subtest
            why = report.longrepr[-1].removeprefix("Skipped: ")
            self.lines.append(f"{report.nodeid} [{report.context.msg}]: {why}")

    def pytest_terminal_summary(self, terminalreporter) -> None:
        for line in self.lines:
            terminalreporter.write_line(f"A fact was skipped: {line}")


def pytest_configure(config: pytest.Config) -> None:
    """Name them where the reports come together."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Skipped(), "skipped-facts")
