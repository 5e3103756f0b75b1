"""Long measurements: made once by a command, kept as a small file, read by a cell.

A chapter's module of experiments says

    MEASUREMENTS = Measurements("rms_norm")

and its command writes the file with `MEASUREMENTS.write(measure_all(...))`; a cell
says `by_value(MEASUREMENTS.read(), "norm", "nats")`.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from time import perf_counter

import torch

import chapters

FOLDER = Path(chapters.__file__).parent
SHORTER = 0.98  # times the shortest time: less is noise


@dataclass(frozen=True)
class Measurements:
    """The measurements of a chapter: the module that makes them, the file beside it.

    Args:
        chapter: Name of the notebook, and of the folder in `chapters`.
        module: The module in that folder; the file bears its name.
    """

    chapter: str
    module: str = "experiments"

    @property
    def path(self) -> Path:
        """The file, which is installed with the package."""
        return FOLDER / self.chapter / f"{self.module}.json"

    @property
    def command(self) -> str:
        """What makes the file."""
        return f"python -m chapters.{self.chapter}.{self.module}"

    def read(self) -> list[dict]:
        """Return the rows that were measured.

        Raises:
            FileNotFoundError: If there is no such file.
            ValueError: If it is not what its command wrote.
        """
        if not self.path.is_file():
            raise FileNotFoundError(
                f"{self.path} must hold what was measured, and there is no such file; "
                f"make it with `{self.command}`, which takes many minutes."
            )
        content = json.loads(self.path.read_text(encoding="utf-8"))
        if content.pop("checksum", None) != checksum(content):
            raise ValueError(
                f"{self.path} must be what its command wrote, and its checksum is that "
                f"of other rows or settings; make it again with `{self.command}`."
            )
        return content["rows"]

    def write(self, rows: Sequence[Mapping], **facts: object) -> None:
        """Write rows, a line each, with the command that made them and a checksum.

        Args:
            rows: What was set and what was measured; numbers keep five digits.
            **facts: What holds for all rows, such as `steps=400`.
        """
        content = {"command": self.command, **facts, "rows": [*map(rounded, rows)]}
        vouched = {"checksum": checksum(content)} | content
        lines = ",\n".join(map(json.dumps, vouched.pop("rows")))
        head = json.dumps(vouched)[:-1]
        self.path.write_text(f'{head}, "rows": [\n{lines}\n]}}\n', encoding="utf-8")

    def go_on(
        self,
        pending: Callable[[list[dict]], Iterator[Mapping]],
        measure: Callable[..., Mapping],
        **facts: object,
    ) -> None:
        """Measure what is missing, and write the file behind each measurement.

        Args:
            pending: Yields, for the rows so far, the settings that are missing.
            measure: A function that is called with a setting as keywords.
            **facts: As in `write`.
        """
        rows = self.read() if self.path.is_file() else []
        while setting := next(pending(rows), None):
            # As the file will hold them, or a tie chooses another rate when read.
            rows.append(rounded(setting | measure(**setting)))
            self.write(rows, **facts)


def pending_at_best(
    rows: Sequence[Mapping],
    setting: Mapping,
    *,
    rates: Sequence[float],
    seeds: Sequence[int],
) -> Iterator[dict]:
    """Yield what is missing of one setting: each rate with the first seed, then others.

    The other seeds come at the best rate alone. Who draws conclusions from small
    differences makes a `Study`, which has more of everything.

    Args:
        rows: What was measured.
        setting: What is trained.
        rates: Learning rates to try.
        seeds: Of which the first chooses the rate.
    """
    tried = trained(rows, setting | {"seed": seeds[0]})
    missing = [rate for rate in rates if rate not in [x["rate"] for x in tried]]
    for rate in missing:
        yield setting | {"rate": rate, "seed": seeds[0]}
    if not missing:
        at_best = setting | {"rate": best_rate(rows, setting, seed=seeds[0])}
        for seed in seeds[1:]:
            if not trained(rows, at_best | {"seed": seed}):
                yield at_best | {"seed": seed}


def best_rate(rows: Sequence[Mapping], setting: Mapping, *, seed: int) -> float:
    """Return the rate at which one seed of a setting has the lowest "validation"."""
    tried = trained(rows, setting | {"seed": seed})
    return min(tried, key=lambda row: row["validation"])["rate"]


def counted_at_best(
    rows: Sequence[Mapping],
    setting: Mapping,
    *,
    seed: int,
    chosen_by: Mapping | None = None,
) -> list[Mapping]:
    """Return the trainings of a setting at its best rate, without the one that chose.

    Args:
        rows: What was measured.
        setting: What was trained.
        seed: Of the trainings that choose the rate; none of it is counted.
        chosen_by: What chooses the rate, where that is another setting.
    """
    rate = best_rate(rows, chosen_by or setting, seed=seed)
    found = trained(rows, setting | {"rate": rate})
    return [row for row in found if row["seed"] != seed]


def trained(rows: Sequence[Mapping], setting: Mapping) -> list[Mapping]:
    """Return the rows of a setting."""
    return [row for row in rows if row.items() >= setting.items()]


def checksum(content: Mapping) -> str:
    """Return what tells a file from one in which something was changed.

    Args:
        content: All that it holds but the checksum, as read from JSON.
    """
    written = json.dumps(content, sort_keys=True)
    return sha256(written.encode()).hexdigest()[:16]


def rounded(row: Mapping) -> dict:
    """Return what was measured with numbers of five digits."""
    return json.loads(
        json.dumps(row), parse_float=lambda number: float(f"{float(number):.5g}")
    )


def measure_all(measure: Callable[..., Mapping], settings: Sequence[Mapping]) -> list:
    """Return a row for each setting, measured side by side on one thread each.

    Args:
        measure: A function of a module; it is called with a setting as keywords.
        settings: The keywords.

    Returns:
        Each setting together with what was measured.
    """
    with ProcessPoolExecutor(initializer=torch.set_num_threads, initargs=(1,)) as pool:
        waiting = [pool.submit(measure, **setting) for setting in settings]
        return [
            {**setting, **done.result()}
            for setting, done in zip(settings, waiting, strict=True)
        ]


def seconds_in_turn(
    calls: Mapping[str, Callable[[], object]], *, rounds: int, settle: bool = False
) -> dict[str, float]:
    """Return the shortest time of each call; they take turns.

    What else runs on the machine can only make a call longer.

    Args:
        calls: What to time, by name.
        rounds: How often each is called.
        settle: Whether to go on until none got shorter in so many rounds.
    """
    times = dict.fromkeys(calls, float("inf"))
    left = rounds
    while left:
        left -= 1
        for name, call in calls.items():
            start = perf_counter()
            call()
            seconds = perf_counter() - start
            if settle and seconds < SHORTER * times[name]:
                left = rounds
            times[name] = min(times[name], seconds)
    return times


def by_value(rows: Sequence[Mapping], key: str, field: str, **wanted: object) -> dict:
    """Return the results for each value of a key, in the order of the rows.

    Args:
        rows: What `Measurements.read` returned.
        key: What to tell apart, such as "norm".
        field: What to return, such as "nats".
        **wanted: What must hold of a row, such as `layers=2`.

    Returns:
        A tuple for each value, with one number for each row that has it.
    """
    found: dict = {}
    for row in rows:
        if all(row[name] == value for name, value in wanted.items()):
            found.setdefault(row[key], []).append(row[field])
    return {value: tuple(results) for value, results in found.items()}


def spread(results: Sequence[float], decimals: int = 2) -> str:
    """Return the mean and the range of a few results as text."""
    mean = sum(results) / len(results)
    low, high = min(results), max(results)
    return f"{mean:.{decimals}f} ({low:.{decimals}f} to {high:.{decimals}f})"
