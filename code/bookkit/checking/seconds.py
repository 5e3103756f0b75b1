"""Where the seconds of a test run go: CPU time of each file, test and cell.

`--seconds FILE` writes them, with what started processes and kernels have spent. `make
seconds` shows the dearest, and what has changed since the record that is kept.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from bookkit.book.errors import BookError

RECORD, FOLDER = "tests/seconds.json", "_build/seconds"
AROUND = "imports and collection"  # what belongs to no test
SHOWN = 20
# A difference in CPU seconds below which a file has stayed as it was, on any machine.
LEAST, SHARE = 2.0, 0.25
Spent = Mapping[str, float]  # CPU seconds of each test


class Recorder:
    """Notes what each test of this process spends, and gathers what others have noted.

    Args:
        file: Where to write it all; None in a process that only passes it on.
    """

    def __init__(self, file: Path | None) -> None:
        self.file = file
        self.spent: Counter[str] = Counter()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Note what one test spends, with its fixtures."""
        live = item.path.suffix == ".ipynb"  # its kernel goes on after a cell
        before = cpu_seconds(live=live)
        result = yield
        self.spent[item.nodeid] = cpu_seconds(live=live) - before
        return result

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Add what belongs to no test, and write, or pass on to who writes."""
        self.spent[AROUND] += cpu_seconds(live=True) - sum(self.spent.values())
        if self.file is None:
            session.config.workeroutput["seconds"] = dict(self.spent)
        else:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            self.file.write_text(json.dumps(self.spent), encoding="utf-8")

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: object) -> None:
        """Take what one of several processes has noted; a killed one left nothing."""
        self.spent.update(getattr(node, "workeroutput", {}).get("seconds", {}))


def cpu_seconds(*, live: bool = False) -> float:
    """Return the CPU seconds of this process and of those it has started.

    Args:
        live: Whether to count processes that have not ended yet, which takes longer.
    """
    own = psutil.Process()
    spent = sum(own.cpu_times()[:4])  # user, system, and of children that have ended
    for process in own.children(recursive=True) if live else ():
        with suppress(psutil.Error):  # it has just ended
            spent += sum(process.cpu_times()[:4])
    return spent


def by_file(spent: Spent) -> Spent:
    """Add up the seconds for each file or page."""
    sums: Counter[str] = Counter()
    for name, seconds in spent.items():
        sums[name.partition("::")[0]] += seconds
    return sums


def tell(root: Path, *, keep: bool = False) -> list[str]:
    """Say what the last runs have spent, what is dearest, and what has changed.

    Args:
        root: The root of the book, whose last runs are meant.
        keep: Whether to keep these seconds as the record of later comparisons.

    Raises:
        BookError: No run has left its seconds.
    """
    runs = sorted((root / FOLDER).glob("*.json"))
    if not runs:
        raise BookError(
            f"{FOLDER} must hold the seconds of a run, and holds none; run: make test"
        )
    spent = {}
    for run in runs:
        for name, seconds in json.loads(run.read_text(encoding="utf-8")).items():
            spent[f"{run.stem}: {name}" if name == AROUND else name] = seconds
    files = by_file(spent)
    rounded = {name: round(seconds, 1) for name, seconds in sorted(files.items())}
    record = root / RECORD
    before = json.loads(record.read_text(encoding="utf-8")) if record.exists() else {}
    lines = [
        f"{sum(files.values()):,.0f} CPU seconds in {len(files)} files:",
        *_ranked(files),
        "The dearest tests and cells:",
        *_ranked({name: cpu for name, cpu in spent.items() if "::" in name}),
        *_changes(before, rounded),
    ]
    if keep:
        record.write_text(json.dumps(rounded, indent=1) + "\n", encoding="utf-8")
    return lines


def _ranked(spent: Spent) -> Iterable[str]:
    """List the dearest."""
    ordered = sorted(spent.items(), key=lambda entry: -entry[1])[:SHOWN]
    return [f"  {seconds:7.1f}  {name}" for name, seconds in ordered]


def _changes(before: Mapping[str, float], now: Mapping[str, float]) -> list[str]:
    """List files whose seconds have changed clearly since the record."""
    lines = []
    for name in sorted(before.keys() | now.keys()):
        old, new = before.get(name, 0.0), now.get(name, 0.0)
        if abs(new - old) > max(LEAST, SHARE * max(old, new)) and name in now:
            lines.append(f"  {old:7.1f} -> {new:7.1f}  {name}")
    return ["Since the record:", *lines] if before and lines else []


def pytest_addoption(parser: pytest.Parser) -> None:
    """Offer the option."""
    parser.addoption("--seconds", metavar="FILE", help="write CPU seconds of each test")


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Begin with the dearest files, so that no process ends with one of them alone."""
    record = config.rootpath / RECORD
    if record.exists():
        kept = json.loads(record.read_text(encoding="utf-8"))
        items.sort(key=lambda item: -kept.get(item.nodeid.partition("::")[0], 0.0))


def pytest_configure(config: pytest.Config) -> None:
    """Note seconds where that is asked for."""
    if file := config.getoption("--seconds"):
        worker = hasattr(config, "workerinput")
        config.pluginmanager.register(
            Recorder(None if worker else config.rootpath / file), "seconds"
        )
