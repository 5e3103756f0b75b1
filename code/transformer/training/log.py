"""The log of a training: a few numbers for each step, and a picture of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isnan
from typing import NamedTuple

from matplotlib.axes import Axes

from transformer.checks.values import check_kind


class StepRecord(NamedTuple):
    """What one step did: the loss before it, and how far it could go."""

    step: int
    loss: float
    learning_rate: float
    gradient_norm: float


class ValidationRecord(NamedTuple):
    """What a validation after a step found; lower is better."""

    step: int
    loss: float


@dataclass
class TrainingLog:
    """Hold what was recorded during a training.

    Args:
        steps: A record of each step, the first step first.
        validations: A record of each validation.
    """

    steps: list[StepRecord] = field(default_factory=list)
    validations: list[ValidationRecord] = field(default_factory=list)

    def __repr__(self) -> str:
        if not self.steps:
            return "TrainingLog(no steps)"
        last = self.steps[-1]
        return f"TrainingLog({last.step} steps, last loss {last.loss:.4g})"

    @property
    def losses(self) -> list[float]:
        """The training loss of each step."""
        return [record.loss for record in self.steps]

    def best_validation(self) -> ValidationRecord | None:
        """Return the validation with the lowest loss, the earliest of equals."""
        finite = [record for record in self.validations if not isnan(record.loss)]
        return min(finite, key=lambda record: record.loss, default=None)

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draw the loss of each step, and the validations as points.

        Args:
            axes: Where to draw; a new figure when not given.

        Returns:
            The axes, for what a reader wants to add.

        Raises:
            ValueError: If nothing was recorded yet.
        """
        if not self.steps:
            raise ValueError(
                "a log must hold steps to be drawn, got none; train first."
            )
        if axes is None:
            import matplotlib.pyplot as plt  # only here: it looks for a window system

            _, axes = plt.subplots()
        axes.plot([record.step for record in self.steps], self.losses, label="training")
        if self.validations:
            steps, losses = zip(*self.validations, strict=True)
            axes.plot(steps, losses, "o", label="validation")
            axes.legend()
        axes.set(xlabel="step", ylabel="loss (nats per token)")
        return axes

    def to_dict(self) -> dict[str, list]:
        """Return the log as lists of plain numbers, for JSON."""
        return {
            "steps": [list(record) for record in self.steps],
            "validations": [list(record) for record in self.validations],
        }

    @classmethod
    def from_dict(cls, numbers: Mapping[str, list]) -> "TrainingLog":
        """Return the log that `to_dict` has written.

        Raises:
            ValueError: If it is not what `to_dict` writes.
        """
        check_kind("numbers", numbers, Mapping)
        try:
            return cls(
                steps=[_record(StepRecord, row) for row in numbers["steps"]],
                validations=[
                    _record(ValidationRecord, row) for row in numbers["validations"]
                ],
            )
        except (KeyError, TypeError) as error:
            raise ValueError(
                "a log must hold steps of 4 numbers and validations of 2, got "
                f"{numbers!r:.80}; pass what to_dict() returned."
            ) from error


def _record(kind: type, row: list) -> StepRecord | ValidationRecord:
    """Return a record of numbers, of which the first counts steps."""
    record = kind(*row)
    for name, number in record._asdict().items():
        check_kind(name, number, int if name == "step" else int | float)
    return record
