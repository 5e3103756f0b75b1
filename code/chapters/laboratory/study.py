"""Comparisons that do not hang on one learning rate, one budget or one seed.

A study trains every variant of a model at every budget: with the first seed at three
learning rates or more, until the best of them has a worse one on either side, and at
rates between where those are much worse; then with the other seeds at the best. The
rate is chosen on text that neither trains nor tests, and the seed that chose it is not
counted. A chapter says

    STUDY = Study("activations", train=measured, variants=("ReLU", "GELU"))

and its command `STUDY.run()`, which keeps each training in a file as soon as it is
done and goes on where it was stopped; a cell asserts with
`STUDY.compare("GELU", "ReLU", "nats").verdict`.
"""

import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import product
from math import inf, isfinite
from textwrap import wrap
from time import perf_counter

import torch
from torch import Tensor

from chapters.laboratory.differences import CHOICE, paired_interval
from chapters.laboratory.measurements import Measurements, rounded, spread
from chapters.tables import Table

# Each is about three times the one before.
LADDER = (1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1.0)
# The same with one more between each two.
FINE = (
    *(float(f"{digit}e{power}") for power in range(-5, 0) for digit in (1, 2, 3, 5)),
    1.0,
)
LEAST_RATES, LEAST_SEEDS, LEAST_GROWTH = 3, 4, 4
MATTERS = 0.02  # nats, or of a share of right answers: who gains less gains nothing
# Where neither neighbor of the best rate costs more, a parabola through the three dips
# between them by less than an eighth of this, which is what matters.
STEEP = 8 * MATTERS
BEGUN = 0.8  # of the loss of a guess: who loses more has hardly begun to learn
LINE = 76  # signs: what a line of an output has room for
Setting = Mapping[str, object]


class Verdict(StrEnum):
    """What a comparison comes to."""

    AHEAD = "clearly ahead"
    BEHIND = "clearly behind"
    LEVEL = "no clear difference"
    AHEAD_AT_FIRST = "ahead at first"
    BEHIND_AT_FIRST = "behind at first"
    AHEAD_IN_THE_END = "ahead in the end"
    BEHIND_IN_THE_END = "behind in the end"
    TURNS = "turns around"


# With the smallest budget and with the largest.
CLEAR_AT_ONE_END = {
    (Verdict.AHEAD, Verdict.LEVEL): Verdict.AHEAD_AT_FIRST,
    (Verdict.BEHIND, Verdict.LEVEL): Verdict.BEHIND_AT_FIRST,
    (Verdict.LEVEL, Verdict.AHEAD): Verdict.AHEAD_IN_THE_END,
    (Verdict.LEVEL, Verdict.BEHIND): Verdict.BEHIND_IN_THE_END,
}


@dataclass(frozen=True)
class Gain:
    """What one variant gains over another, seed by seed, with one budget.

    Args:
        mean: The mean over the seeds; above zero, the first variant is better.
        low: Lower end of the interval of 95 % around it.
        high: Upper end.
        matters: The smallest mean that counts.
    """

    mean: float
    low: float
    high: float
    matters: float = MATTERS

    def __str__(self) -> str:
        """Return the mean and how far the interval reaches to either side."""
        return f"{self.mean:+.2f} ± {(self.high - self.low) / 2:.2f}"

    def verdict(self, margin: float = 0.0) -> Verdict:
        """Return which variant is ahead, by more than a margin at both ends."""
        if abs(self.mean) < self.matters:
            return Verdict.LEVEL
        if self.low > margin:
            return Verdict.AHEAD
        return Verdict.BEHIND if self.high < -margin else Verdict.LEVEL

    def is_within(self, margin: float) -> bool:
        """Return whether the whole interval lies within a margin of zero."""
        return -margin < self.low and self.high < margin


@dataclass(frozen=True)
class Comparison:
    """Two variants, each at its best learning rate, at all budgets.

    Args:
        gains: What the first variant gains, by number of training steps.
    """

    gains: Mapping[int, Gain]

    @property
    def verdict(self) -> Verdict:
        """What holds at every budget, or how the first and the last differ."""
        found = {gain.verdict() for gain in self.gains.values()}
        if {Verdict.AHEAD, Verdict.BEHIND} <= found:
            return Verdict.TURNS
        if len(found) == 1:
            return found.pop()
        first, *_, last = sorted(self.gains)
        ends = (self.gains[steps].verdict() for steps in (first, last))
        return CLEAR_AT_ONE_END.get(tuple(ends), Verdict.LEVEL)

    def is_within(self, margin: float) -> bool:
        """Return whether the variants are level up to a margin, at every budget."""
        return all(gain.is_within(margin) for gain in self.gains.values())


@dataclass(frozen=True)
class Results:
    """What a study has measured, read from its file.

    Args:
        chapter: The folder in `chapters` of the module that makes the study.
        module: That module; the file bears its name.
        matters: The smallest gain that counts.
    """

    chapter: str
    module: str = "experiments"
    matters: float = MATTERS

    @property
    def measurements(self) -> Measurements:
        """The file."""
        return Measurements(self.chapter, self.module)

    @cached_property
    def rows(self) -> list[dict]:
        """The trainings that the file holds."""
        return self.measurements.read()

    @property
    def trained_steps(self) -> list[int]:
        """The budgets of the trainings, rising."""
        return sorted({row["steps"] for row in self.rows})

    @cached_property
    def seeds_of_rows(self) -> list[int]:
        """The seeds of the trainings, rising; the first chose the rates."""
        return sorted({row["seed"] for row in self.rows})

    @cached_property
    def counted_seeds(self) -> list[int]:
        """The seeds that make means, ranges and intervals: all but the first."""
        return self.seeds_of_rows[1:]

    def best_rate(self, variant: str, steps: int) -> float:
        """Return the learning rate that was chosen for a variant and a budget."""
        wanted = {"variant": variant, "steps": steps, "seed": self.seeds_of_rows[0]}
        tried = _losses_by_rate(self.rows, wanted)
        return min(tried, key=tried.__getitem__)

    def trainings(self, variant: str, steps: int) -> list[dict]:
        """Return the trainings of a variant at its best rate, one for each seed."""
        rate = self.best_rate(variant, steps)
        found = chosen(self.rows, variant=variant, steps=steps, learning_rate=rate)
        counted = [row for row in found if row["seed"] in self.counted_seeds]
        return sorted(counted, key=lambda row: row["seed"])

    def results(self, variant: str, steps: int, field: str) -> tuple:
        """Return a field of these trainings, one result for each seed."""
        return tuple(row[field] for row in self.trainings(variant, steps))

    def compare(
        self, one: str, other: str, field: str, *, more_is_better: bool = False
    ) -> Comparison:
        """Compare two variants by paired differences, each at its best rate.

        Args:
            one: The variant that gains or loses.
            other: The variant that it is compared with.
            field: A number that was measured.
            more_is_better: Whether it is a share of right answers, say, and no loss.

        Raises:
            ValueError: If the two were not trained with the same seeds.
        """
        sign, gains = 1 if more_is_better else -1, {}
        for steps in self.trained_steps:
            pair = (
                sign * torch.tensor([row[field] for row in rows]).double()
                for rows in self._pairs(other, one, steps)
            )
            gains[steps] = self.gain(*pair)
        return Comparison(gains)

    def gain(self, baseline: Tensor, changed: Tensor, share: float = 0.95) -> Gain:
        """Return what each seed gains, and an interval that knows of chosen rates.

        Args:
            baseline: As in `paired_interval`.
            changed: As there.
            share: As there.
        """
        interval = paired_interval(baseline, changed, share, choice=CHOICE)
        return Gain(*interval, matters=self.matters)

    def _pairs(self, one: str, other: str, steps: int) -> tuple[list[dict], list[dict]]:
        pair = self.trainings(one, steps), self.trainings(other, steps)
        seeds = [[row["seed"] for row in rows] for rows in pair]
        if seeds[0] != seeds[1]:
            raise ValueError(
                f"{one!r} and {other!r} must be trained with the same seeds, got "
                f"{seeds[0]} and {seeds[1]} at {steps} steps; run "
                f"`{self.measurements.command}`, which makes what is missing."
            )
        return pair

    def table(
        self, field: str, steps: int, variants: Sequence[str] | None = None
    ) -> Table:
        """Return a row for each variant: its rate, and the mean and range of a field.

        Args:
            field: A number that was measured.
            steps: The budget.
            variants: Which ones, and in which order; all when not given.
        """
        names = variants or list(dict.fromkeys(row["variant"] for row in self.rows))
        rows = (
            [
                name,
                f"{self.best_rate(name, steps):g}",
                spread(self.results(name, steps, field)),
            ]
            for name in names
        )
        return Table([f"{steps:,} steps", "rate", "mean (range)"], rows)

    def against(
        self,
        baseline: str,
        field: str,
        variants: Sequence[str] | None = None,
        *,
        more_is_better: bool = False,
    ) -> Table:
        """Return a row for each variant: its gains over a baseline, and the verdict.

        Args:
            baseline: The variant that all others are compared with.
            field: A number that was measured.
            variants: Which ones, and in which order; all others when not given.
            more_is_better: As in `compare`.
        """
        every = dict.fromkeys(row["variant"] for row in self.rows)
        names = variants or [name for name in every if name != baseline]
        budgets = [f"{steps:,} steps" for steps in self.trained_steps]
        rows = []
        for name in names:
            found = self.compare(name, baseline, field, more_is_better=more_is_better)
            rows.append([name, *map(str, found.gains.values()), str(found.verdict)])
        return Table([f"gain over {baseline}", *budgets, "verdict"], rows)

    @property
    def conditions(self) -> str:
        """What the comparisons rest on, in lines that a page has room for."""
        tried = sorted({row["learning_rate"] for row in self.rows})
        most = f"{tried[0]:g} to {tried[-1]:g}"
        steps = " and ".join(f"{number:,}" for number in self.trained_steps)
        counted = len(self.counted_seeds)
        sentence = (
            f"Each variant at the best of its learning rates ({most}, chosen on "
            f"validation data by another seed), after {steps} steps, {counted} seeds."
        )
        return "\n".join(wrap(sentence, LINE, break_on_hyphens=False))

    @property
    def small_print(self) -> str:
        """What stands below intervals."""
        return (
            f"{self.conditions}\nAn interval (±) is one of 95 %, the choice of rates "
            f"included.\nA gain below {self.matters:g} does not count."
        )

    @property
    def small_print_of_ranges(self) -> str:
        """What stands below means with their ranges, as `spread` writes them."""
        return f"{self.conditions}\nIn brackets: the lowest and the highest seed."


@dataclass(frozen=True, kw_only=True)
class Study(Results):
    """A comparison of variants, and the file of its trainings.

    Args:
        train: Trains one variant; it is called with the keywords variant,
            learning_rate, steps and seed and returns what was measured: "validation",
            the loss that chooses the rate, and more; numbers that are not finite are
            kept as None.
        variants: Their names.
        rates: Learning rates to begin with, each from `LADDER`.
        budgets: Numbers of training steps, rising.
        seeds: Of the parameters and the data, rising; the first chooses the rate, and
            is not counted.
        guess: The validation loss of who guesses; a variant whose best rate is not well
            below it tries lower ones, down to the last. On the plateau before anything
            is learned, which of two rates is better is chance.

    Raises:
        ValueError: If there are too few rates, budgets or seeds for a conclusion.
    """

    train: Callable[..., Mapping]
    variants: Sequence[str]
    rates: Sequence[float] = (1e-3, 3e-3, 1e-2)
    budgets: Sequence[int] = (200, 800)
    seeds: Sequence[int] = (0, 1, 2, 3)
    guess: float = inf

    def __post_init__(self) -> None:
        if len(self.rates) < LEAST_RATES or not set(self.rates) <= set(LADDER):
            raise ValueError(
                f"rates must be at least {LEAST_RATES} of {LADDER}, got {self.rates}; "
                "a ranking at one rate ranks the rates too."
            )
        if self.budgets[-1] < LEAST_GROWTH * self.budgets[0]:
            raise ValueError(
                f"the last budget must be at least {LEAST_GROWTH} times the first, got "
                f"{self.budgets}; a ranking may turn around while training goes on."
            )
        if len(self.seeds) < LEAST_SEEDS:
            raise ValueError(
                f"seeds must be at least {LEAST_SEEDS}, got {self.seeds}; fewer do not "
                "tell a difference from chance."
            )

    def pending(self, rows: Sequence[Mapping]) -> Iterator[Setting]:
        """Yield the trainings that are missing and can be named already.

        A study without any is complete.
        """
        for variant, steps in product(self.variants, self.budgets):
            wanted = {"variant": variant, "steps": steps}
            tried = _losses_by_rate(rows, wanted | {"seed": self.seeds[0]})
            if rates := self._next_rates(variant, tried):
                for rate in rates:
                    yield wanted | {"learning_rate": rate, "seed": self.seeds[0]}
                continue
            best = wanted | {"learning_rate": min(tried, key=tried.__getitem__)}
            for seed in self.seeds[1:]:
                if not chosen(rows, **best, seed=seed):
                    yield best | {"seed": seed}

    def _next_rates(self, variant: str, tried: Mapping[float, float]) -> list[float]:
        """Return the rates that one seed has still to try, none if it has its best."""
        if missing := [rate for rate in self.rates if rate not in tried]:
            return missing
        steps = [rate for rate in LADDER if rate in tried]
        best = min(steps, key=tried.__getitem__)
        beside = _beside(best, LADDER)
        if missing := [rate for rate in beside if rate not in tried]:
            return missing
        lower = LADDER[: LADDER.index(steps[0])]
        if lower and tried[best] > BEGUN * self.guess:
            return [lower[-1]]
        steep = max(tried[rate] for rate in beside) - tried[best] > STEEP
        if not steep:
            return []
        return [rate for rate in _beside(best, FINE) if rate not in tried]

    def run(self) -> None:
        """Make the trainings that are missing, side by side on one thread each."""
        rows = self.measurements.read() if self.measurements.path.is_file() else []
        running: dict[Future, Setting] = {}
        with ProcessPoolExecutor(
            initializer=torch.set_num_threads, initargs=(1,)
        ) as pool:
            while True:
                for setting in self.pending(rows):
                    if setting not in running.values():
                        running[pool.submit(_timed, self.train, setting)] = setting
                if not running:
                    self._write(self._needed(rows))
                    return
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                # As the file will hold them, or a tie chooses another rate when read.
                rows += [rounded(running.pop(one) | one.result()) for one in done]
                self._write(rows)

    def _needed(self, rows: Sequence[dict]) -> list[dict]:
        """Leave out what other seeds trained at a rate that is no longer the best."""
        first = self.seeds[0]

        def is_needed(row: Mapping) -> bool:
            tried = _losses_by_rate(
                rows,
                {"variant": row["variant"], "steps": row["steps"], "seed": first},
            )
            best = min(tried, key=tried.__getitem__)
            return row["seed"] == first or row["learning_rate"] == best

        return [row for row in rows if is_needed(row)]

    def _write(self, rows: list[dict]) -> None:
        order = {variant: place for place, variant in enumerate(self.variants)}
        rows.sort(
            key=lambda row: (
                order[row["variant"]],
                row["steps"],
                row["learning_rate"],
                row["seed"],
            )
        )
        self.measurements.write(rows, versions=versions())


def _beside(rate: float, ladder: Sequence[float]) -> Sequence[float]:
    """Return a rate of a ladder with its neighbors."""
    place = ladder.index(rate)
    return ladder[max(0, place - 1) : place + 2]


def chosen(rows: Sequence[Mapping], **wanted: object) -> list:
    """Return the rows with these settings."""
    return [row for row in rows if row.items() >= wanted.items()]


def versions() -> dict[str, str]:
    """Return the versions that a result depends on."""
    torch_version = torch.__version__.partition("+")[0]
    return {"python": platform.python_version(), "torch": torch_version}


def _losses_by_rate(rows: Sequence[Mapping], wanted: Setting) -> dict[float, float]:
    """Return the validation loss at each rate that was tried; a diverged one is inf."""
    return {
        row["learning_rate"]: inf if row["validation"] is None else row["validation"]
        for row in chosen(rows, **wanted)
    }


def _timed(train: Callable[..., Mapping], setting: Setting) -> dict:
    start = perf_counter()
    found = {**train(**setting), "seconds": round(perf_counter() - start, 1)}
    return {
        name: None if isinstance(value, float) and not isfinite(value) else value
        for name, value in found.items()
    }
