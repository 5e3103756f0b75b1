"""The kill matrix: which tests notice each bug, all of them and not only the first.

One session of pytest collects the tests of the package and runs none. A child of its
process runs the tests of a file once and notes what they call. Then, for each bug, a
child plants it in the live functions and runs what calls them; a bug that cannot be
planted so, or that nobody notices there, is tried in a copy of the book. What is known
stands below `_build/matrix` as soon as it is, and the next run goes on from there.
"""

import sys
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

from bookkit.book.errors import BookError
from bookkit.checking.mutants.bugs import Bug, mutants, planted
from bookkit.checking.mutants.checked import forget
from bookkit.checking.mutants.children import in_children, read_found
from bookkit.checking.mutants.judge import Judge, function_in, run_tests
from bookkit.checking.mutants.live import (
    UnplantableError,
    live_functions,
    plant_live,
    touches,
)
from bookkit.checking.mutants.patches import PATCHED
from bookkit.checking.mutants.planting import nearest_tests
from bookkit.checking.mutants.reach import Reach
from bookkit.checking.mutants.tally import ALL, keep, words
from bookkit.checking.mutants.trials import (
    PACKAGE,
    UncollectedError,
    copied,
    failing_tests,
)
from bookkit.checking.mutants.workshop import TESTS

FOLDER = "_build/matrix"
MORE_TESTS = ("test_transformer.py", "test_types.py")
# Seconds of CPU time for a bug, at most: as long as nobody notices it, and then.
SECONDS, ENOUGH = 150, 6
ELSEWHERE = 3  # so many times as dear seem tests of other rooms; the cheap come first
STUCK = 900  # seconds on a clock, for a test that waits for ever
OPTIONS = (
    *("-q", "-q", "-s", "--no-header", "--tb=native", "-p", "no:cacheprovider"),
    *("-m", "not compiled", "-o", f"timeout={STUCK}"),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),  # bookkit is loaded
)

Row = dict[str, Any]


def measure(
    root: Path,
    *,
    size: int,
    seed: int,
    only: str = "*",
    tests: Sequence[str] = (),
    report: Callable[[str], None] = print,
) -> None:
    """Find out who notices each bug, keep it and say in words what it means.

    Args:
        root: The book's root.
        size: How many mutants to draw; none with 0.
        seed: Another one draws others.
        only: A pattern of names; the other bugs are left for another run.
        tests: Files and folders to ask, for a look that is not kept; those of the
            package by default.
        report: What to do with a line.

    Raises:
        BookError: The tests cannot be collected.
    """
    (root / FOLDER).mkdir(parents=True, exist_ok=True)
    bugs = [*planted(root), *(mutants(root, size, seed, root / FOLDER) if size else ())]
    chosen = [bug for bug in bugs if fnmatch(bug.name, only)]
    session = _Session(root, chosen, report)
    if tests:  # what only some have been asked says nothing about all
        session.rows = {}
        session.files["rows"] = root / FOLDER / "look.jsonl"
    folders = [f"tests/{name}" for name in (*TESTS, *MORE_TESTS)]
    inside = tuple(f"{folder}/" for folder in folders)
    files = {file for bug in bugs for file in bug.tests if not file.startswith(inside)}
    wanted = tests or [*folders, *sorted(files - set(folders))]
    code = pytest.main(
        [*OPTIONS, *(name for name in wanted if (root / name).exists())],
        plugins=[session],
    )
    if not session.done:
        raise BookError(f"tests must be collected, and pytest ended with {code}.")
    rows = {bug.name: session.rows.get(bug.name) for bug in bugs}
    found = {name: row for name, row in rows.items() if row}
    if not tests:
        keep(root, found, session.rings())
    report(words(found, session.rings(), session.left_out()))


class _Session:
    """A plugin that runs children instead of tests."""

    def __init__(
        self, root: Path, bugs: Sequence[Bug], report: Callable[[str], None]
    ) -> None:
        self.root, self.bugs, self.report, self.done = root, bugs, report, False
        self.files = {n: root / FOLDER / f"{n}.jsonl" for n in ("reach", "rows")}
        self.reach, self.rows = (read_found(file) for file in self.files.values())
        self.items: Sequence[pytest.Item] = ()

    def pytest_sessionstart(self) -> None:
        """Let Hypothesis neither simplify what fails nor remember it."""
        from hypothesis import Phase, settings

        phases = (Phase.explicit, Phase.generate)
        settings.register_profile(
            "matrix", settings(), phases=phases, database=None, max_examples=20
        )
        settings.load_profile("matrix")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run what is not known yet."""
        self.items, self.done = session.items, not session.testsfailed
        if not self.done:
            return True
        for item in self.items:  # a clock must not judge, unless a test waits for ever
            item.own_markers = [m for m in item.own_markers if m.name != "timeout"]
        files = defaultdict(list)
        for item in self.items:
            if item.nodeid not in self.reach:
                files[_file(item)].append(item)
        self._do("reach", files, self._watch)
        self.live = live_functions(self.root / PATCHED.rstrip("/"))
        left = {bug.name: bug for bug in self.bugs if bug.name not in self.rows}
        self._do("rows", left, self._judge)
        return True

    def rings(self) -> dict[str, int]:
        """Return the ring of each test function that was asked."""
        nightly: dict[str, bool] = defaultdict(lambda: True)
        for item in self.items:
            if self._can_see(item):
                marked = item.get_closest_marker("nightly") is not None
                nightly[function_in(item.nodeid)] &= marked
        return {name: 3 if late else 1 for name, late in nightly.items()}

    def left_out(self) -> list[str]:
        """Return the test functions that see nothing of what is planted here."""
        names = {function_in(i.nodeid) for i in self.items if not self._can_see(i)}
        return sorted(names - self.rings().keys())

    def _can_see(self, item: pytest.Item) -> bool:
        known = self.reach.get(item.nodeid)  # none when the process died there
        return known is not None and not known["starts"] and not known["fails"]

    def _do(self, name: str, tasks: Mapping, work: Callable[[Any, Path], Row]) -> None:
        """Let children do tasks, and take in what they find."""
        done = in_children(tasks, work, self.files[name])
        for number, (task, found) in enumerate(done, start=1):
            getattr(self, name).update(found)
            self.report(f"{name} {number} of {len(tasks)}: {task}")

    def _watch(self, items: Sequence[pytest.Item], place: Path) -> Row:
        """Run the tests of a file and note what they call."""
        _put_files(items, place)
        reach = Reach(self.root / PATCHED.rstrip("/"))
        items[0].config.pluginmanager.register(reach)
        run_tests(items)
        return reach.result()

    def _judge(self, bug: Bug, place: Path) -> Row:
        """Plant a bug and return who notices."""
        _put_files(self.items, place)
        begun, row = time.monotonic(), {"how": "live"}
        try:
            row |= self._try_live(bug)
        except Exception as error:  # also what the bug itself raises here
            row |= {"by": [], "why": str(error)}
        if not row["by"]:
            row |= {"how": "copy", "by": self._try_copy(bug)}
        row["cpu"] = round(time.process_time(), 1)
        row["seconds"] = round(time.monotonic() - begun, 1)
        return {bug.name: row}

    def _try_live(self, bug: Bug) -> Row:
        """Plant a bug here and run what calls a function that it changes."""
        changed: dict[str, set[str]] = {}
        loaded = {m.__file__: m for m in _package().values()}
        for file, new in bug.sources.items():
            path = self.root / file
            if str(path) not in loaded:
                raise UnplantableError(f"{file} must be loaded by a test.")
            changed[file.removeprefix(PATCHED)] = plant_live(
                loaded[str(path)],
                path.read_text("utf-8"),
                new,
                self.live.get(str(path), ()),
            )
        asked = [item for item in self.items if self._concerns(item, changed)]
        near = tuple({f"tests/{Path(file).parts[0]}/" for file in changed})
        seconds = {item.nodeid: self.reach[item.nodeid]["seconds"] for item in asked}
        asked.sort(key=lambda i: _factor(i, near) * seconds[i.nodeid])
        forget(*{item.module for item in asked})
        left = 0
        judge = Judge(seconds)
        if asked:
            asked[0].config.pluginmanager.register(judge)
            left = run_tests(
                asked, judge.noticed, lambda: ENOUGH if judge.noticed else SECONDS
            )
        return {
            "asked": len(asked),
            "left": left,
            "by": sorted(judge.noticed),
            "late": sorted(judge.late),
            "errors": sorted(judge.errors - judge.noticed),
        }

    def _concerns(self, item: pytest.Item, changed: Mapping[str, set[str]]) -> bool:
        if not self._can_see(item):
            return False
        calls = (call.partition(":") for call in self.reach[item.nodeid]["calls"])
        return any(touches(name, changed.get(file, set())) for file, _, name in calls)

    def _try_copy(self, bug: Bug) -> list[str]:
        """Plant a bug in a copy of the book and run the nearest tests."""
        with copied(self.root) as copy:
            rooms: set[str] = set()
            for file, text in bug.sources.items():
                (copy / file).write_text(text, encoding="utf-8")
                module = (
                    file.removeprefix("code/").removesuffix(".py").replace("/", ".")
                )
                near = nearest_tests(copy, module)
                rooms |= {name for name in near if (copy / name).exists()}
            own = {t for t in bug.tests if not t.startswith(tuple(rooms))}
            try:
                whole = {f"tests/{name}" for name in MORE_TESTS}  # of the package
                found = failing_tests(copy, sorted(rooms | own or whole), most=0)
            except UncollectedError:
                return [ALL]
        return sorted({failure.name for failure in found})


def _factor(item: pytest.Item, near: tuple[str, ...]) -> int:
    return 1 if item.nodeid.startswith(near) else ELSEWHERE


def _put_files(items: Sequence[pytest.Item], place: Path) -> None:
    """Let tests write below a folder."""
    items[0].config._tmp_path_factory._given_basetemp = place / "tests"


def _package() -> dict[str, Any]:
    return {n: m for n, m in sys.modules.items() if n.partition(".")[0] == PACKAGE}


def _file(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]
