"""The kill matrix: which tests notice each bug, all of them and not only the first.

One session of pytest collects the tests of the package and runs none. A child of its
process runs the tests of a file once and notes what they call. Then, for each bug, a
child plants it in the live functions and runs what calls them; a bug that cannot be
planted so, or that nobody notices there, is tried in a copy of the book. What is known
stands below `_build/matrix` as soon as it is, and the next run goes on from there.
"""

import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

from bookkit.book.errors import BookError
from bookkit.book.files import file_of
from bookkit.checking.mutants.checked import forget
from bookkit.checking.mutants.live import (
    UnplantableError,
    live_functions,
    plant_live,
    touches,
)
from bookkit.checking.mutants.patches import PATCHED, apply, read_patches
from bookkit.checking.mutants.planting import nearest_tests, plant
from bookkit.checking.mutants.reach import Reach
from bookkit.checking.mutants.sampling import draw_sample
from bookkit.checking.mutants.score import (
    changed_lines,
    function_of,
    read_equivalents,
)
from bookkit.checking.mutants.tally import ALL, keep, words
from bookkit.checking.mutants.trials import (
    LAST_LINES,
    PACKAGE,
    TIME_LIMITS,
    UncollectedError,
    copied,
    failing_tests,
)
from bookkit.checking.mutants.workshop import TESTS, Workshop

FOLDER = "_build/matrix"
MORE_TESTS = ("test_transformer.py", "test_types.py")
CHILDREN = 2  # at a time
# A test may take so many times its own CPU time and so many seconds more.
FACTOR, PATIENCE, STUCK = 10, 20, 900
OPTIONS = (
    *("-q", "-q", "-s", "--no-header", "--tb=native", "-p", "no:cacheprovider"),
    *("-m", "not compiled", "-o", f"timeout={STUCK}"),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),  # bookkit is loaded
)

Row = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Bug:
    """A bug to plant.

    Args:
        name: That of its patch, or of mutmut's mutant.
        sources: The whole changed files, by their path from the book's root.
        tests: Files that should notice.
    """

    name: str
    sources: Mapping[str, str]
    tests: tuple[str, ...]


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
        tests: Files and folders to ask; those of the package by default.
        report: What to do with a line.

    Raises:
        BookError: The tests cannot be collected.
    """
    (root / FOLDER).mkdir(parents=True, exist_ok=True)
    bugs = [*planted(root), *(mutants(root, size, seed) if size else ())]
    chosen = [bug for bug in bugs if fnmatch(bug.name, only)]
    session = _Session(root, chosen, report)
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
    keep(root, found, session.rings())
    report(words(found, session.rings(), session.left_out()))


def planted(root: Path) -> Iterator[Bug]:
    """Return the patches of the book."""
    for patch in read_patches(root):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for file in patch.files:
                (folder / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(root / file, folder / file)
            apply(patch, folder)
            sources = {file: (folder / file).read_text("utf-8") for file in patch.files}
        yield Bug(name=patch.name, sources=sources, tests=patch.tests)


def mutants(root: Path, size: int, seed: int) -> Iterator[Bug]:
    """Return mutants that mutmut makes, drawn over all modules; none that is a reason.

    They are drawn once and kept.
    """
    file = root / FOLDER / f"mutants-{size}-{seed}.json"
    if not file.exists():
        workshop = Workshop(root)
        sample = draw_sample(workshop.differences(), size, seed)
        file.write_text(json.dumps(workshop.differences(*sample), indent=1), "utf-8")
    reasons = {
        (entry["function"], entry["was"].strip(), entry["became"].strip())
        for entry in read_equivalents(root)
    }
    for name, diff in json.loads(file.read_text("utf-8")).items():
        was, became = (" ".join(lines) for lines in changed_lines(diff))
        if (function_of(name), was, became) in reasons:
            continue
        module, _, function = function_of(name).partition(":")
        path = file_of(module, root / "code")
        source = plant(path.read_text("utf-8"), function, diff)
        yield Bug(name=name, sources={str(path.relative_to(root)): source}, tests=())


class _Session:
    """A plugin that runs children instead of tests."""

    def __init__(
        self, root: Path, bugs: Sequence[Bug], report: Callable[[str], None]
    ) -> None:
        self.root, self.bugs, self.report, self.done = root, bugs, report, False
        self.folder = root / FOLDER
        self.reach = _read(self.folder / "reach.jsonl")
        self.rows = _read(self.folder / "rows.jsonl")
        self.items: Sequence[pytest.Item] = ()

    def pytest_sessionstart(self) -> None:
        """Let Hypothesis neither simplify what fails nor remember it."""
        from hypothesis import Phase, settings

        phases = (Phase.explicit, Phase.generate)
        settings.register_profile("matrix", settings(), phases=phases, database=None)
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
        self._in_children("reach", files, self._watch)
        self.live = live_functions(self.root / PATCHED.rstrip("/"))
        left = {bug.name: bug for bug in self.bugs if bug.name not in self.rows}
        self._in_children("rows", left, self._judge)
        return True

    def rings(self) -> dict[str, int]:
        """Return the ring of each test function that was asked."""
        nightly: dict[str, bool] = defaultdict(lambda: True)
        for item in self.items:
            if self._can_see(item):
                marked = item.get_closest_marker("nightly") is not None
                nightly[_function(item.nodeid)] &= marked
        return {name: 3 if late else 1 for name, late in nightly.items()}

    def left_out(self) -> list[str]:
        """Return the test functions that see nothing of what is planted here."""
        names = {_function(i.nodeid) for i in self.items if not self._can_see(i)}
        return sorted(names - self.rings().keys())

    def _can_see(self, item: pytest.Item) -> bool:
        known = self.reach[item.nodeid]
        return not known["starts"] and not known["fails"]

    def _in_children(
        self, name: str, tasks: Mapping[str, Any], work: Callable[[Any], Row]
    ) -> None:
        """Do tasks in forked children, some at a time, and keep what they find."""
        found, waiting = getattr(self, name), {}
        file = self.folder / f"{name}.jsonl"
        for number, (key, task) in enumerate(
            [*tasks.items(), *[("", None)] * CHILDREN]
        ):
            if len(waiting) >= CHILDREN or (not key and waiting):
                pid, _ = os.wait()
                done, place = waiting.pop(pid)
                result = _answer(Path(place.name), done)
                found |= result
                with file.open("a", encoding="utf-8") as lines:
                    lines.write(json.dumps(result) + "\n")
                place.cleanup()
                self.report(f"{name} {number - len(waiting)} of {len(tasks)}: {done}")
            if key:
                place = tempfile.TemporaryDirectory(prefix="matrix-")
                if not (pid := os.fork()):
                    _be_child(Path(place.name), self.items[0].config, work, task)
                waiting[pid] = key, place

    def _watch(self, items: Sequence[pytest.Item]) -> Row:
        """Run the tests of a file and note what they call."""
        reach = Reach(self.root / PATCHED.rstrip("/"))
        items[0].config.pluginmanager.register(reach)
        _run(items)
        return reach.result()

    def _judge(self, bug: Bug) -> Row:
        """Plant a bug and return who notices."""
        begun, row = time.monotonic(), {"how": "live"}
        try:
            row |= self._try_live(bug)
        except UnplantableError as error:
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
        forget(*{item.module for item in asked})
        judge = _Judge({i.nodeid: self.reach[i.nodeid]["seconds"] for i in asked})
        if asked:
            asked[0].config.pluginmanager.register(judge)
            _run(asked, judge.noticed)
        return {
            "asked": len(asked),
            "by": sorted(judge.noticed),
            "late": sorted(judge.late),
            "errors": sorted(judge.errors - judge.noticed),
        }

    def _concerns(self, item: pytest.Item, changed: Mapping[str, set[str]]) -> bool:
        calls = (call.partition(":") for call in self.reach[item.nodeid]["calls"])
        return self._can_see(item) and any(
            touches(function, changed.get(file, set())) for file, _, function in calls
        )

    def _try_copy(self, bug: Bug) -> list[str]:
        """Plant a bug in a copy of the book and run the nearest tests."""
        with copied(self.root) as copy:
            rooms: set[str] = set()
            for file, text in bug.sources.items():
                (copy / file).write_text(text, encoding="utf-8")
                module = (
                    file.removeprefix("code/").removesuffix(".py").replace("/", ".")
                )
                rooms |= set(nearest_tests(copy, module))
            own = {t for t in bug.tests if not t.startswith(tuple(rooms))}
            try:
                found = failing_tests(copy, sorted(rooms | own), most=0)
            except UncollectedError:
                return [ALL]
        return sorted({failure.name for failure in found})


class _Judge:
    """A plugin that notes who fails, and ends what takes too much CPU time."""

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
            name, said = _function(report.nodeid), str(report.longrepr)
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


def _run(items: Sequence[pytest.Item], noticed: Collection[str] = ()) -> None:
    """Run tests, of each function until it is among those that have noticed."""
    for item, following in zip(items, [*items[1:], None], strict=True):
        if _function(item.nodeid) in noticed:
            item.session._setupstate.teardown_exact(following)
        else:
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)


def _be_child(
    place: Path, config: pytest.Config, work: Callable[[Any], Row], task: object
) -> None:
    """Write what some work finds into a folder, and end this process."""
    code = 1
    try:
        with (place / "said.txt").open("w", encoding="utf-8") as said:
            os.dup2(said.fileno(), 1)
            os.dup2(said.fileno(), 2)
        config._tmp_path_factory._given_basetemp = place / "tmp"
        text = json.dumps(work(task))
        (place / "unfinished").write_text(text, encoding="utf-8")
        (place / "unfinished").replace(place / "answer.json")
        code = 0
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", flush=True)
    finally:
        sys.stdout.flush()
        os._exit(code)


def _answer(place: Path, task: str) -> dict[str, Row]:
    """Read what a child has found; of one that died, its last words."""
    answer = place / "answer.json"
    if answer.exists():
        return json.loads(answer.read_text("utf-8"))
    said = (place / "said.txt").read_text("utf-8").strip().splitlines()
    why = " / ".join(said[-LAST_LINES:]) or "the process died"
    if task.endswith(".py"):
        raise BookError(f"{task} must run to its end, and does not: {why}")
    return {task: {"how": "dead", "by": [], "why": why}}


def _read(file: Path) -> dict[str, Row]:
    """Read what a run before has found out."""
    found: dict[str, Row] = {}
    for line in file.read_text("utf-8").splitlines() if file.exists() else ():
        found |= json.loads(line)
    return found


def _package() -> dict[str, Any]:
    return {n: m for n, m in sys.modules.items() if n.partition(".")[0] == PACKAGE}


def _file(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]


def _function(name: str) -> str:
    """Return a test without its parameters."""
    return name.partition("[")[0]
