"""Tests of the log of a training."""

import json

from matplotlib.figure import Figure

from bookkit.checking.facts import facts
from transformer.training import StepRecord, TrainingLog, ValidationRecord


def log():
    return TrainingLog(
        steps=[StepRecord(step, 3.0 / step, 0.1 * step, 1.5) for step in (1, 2, 3)],
        validations=[ValidationRecord(1, 2.5), ValidationRecord(3, 2.5)],
    )


def test_it_survives_json():
    assert TrainingLog.from_dict(json.loads(json.dumps(log().to_dict()))) == log()


def test_it_draws_each_step_and_each_validation():
    axes = log().plot(Figure().subplots())
    training, validation = axes.lines
    assert training.get_xdata().tolist() == [1, 2, 3]
    assert training.get_ydata().tolist() == log().losses == [3.0, 1.5, 1.0]
    assert validation.get_xydata().tolist() == [[1, 2.5], [3, 2.5]]
    assert axes.get_xlabel() == "step"
    assert axes.get_ylabel() == "loss (nats per token)"
    words = [text.get_text() for text in axes.get_legend().get_texts()]
    assert words == ["training", "validation"]


def test_it_makes_its_own_figure_and_needs_no_validation():
    import matplotlib.pyplot as plt

    axes = TrainingLog(steps=log().steps).plot()
    assert len(axes.lines) == 1
    assert axes.get_legend() is None
    plt.close(axes.figure)


def test_the_best_validation_is_the_earliest_of_equals():
    assert log().best_validation() == ValidationRecord(1, 2.5)
    assert TrainingLog().best_validation() is None


def test_what_is_no_number_is_never_the_best():
    records = [ValidationRecord(1, float("nan")), ValidationRecord(2, 3.0)]
    assert TrainingLog(validations=records).best_validation() == records[1]
    assert TrainingLog(validations=records[:1]).best_validation() is None


def test_it_prints_where_it_is():
    assert repr(log()) == "TrainingLog(3 steps, last loss 1)"
    assert repr(TrainingLog()) == "TrainingLog(no steps)"


def test_an_empty_log_has_no_picture(refuses):
    message = "a log must hold steps to be drawn"
    refuses(lambda: TrainingLog().plot(), ValueError, message)


@facts(
    "numbers, error, message",
    [
        ([], TypeError, "numbers must be of type Mapping, got list"),
        ({"steps": []}, ValueError, "a log must hold steps of 4 numbers"),
        (
            {"steps": [[1, 2.0]], "validations": []},
            ValueError,
            "a log must .*got {'steps'",
        ),
        (
            {"steps": [], "validations": [[1]]},
            ValueError,
            "a log must .*pass what to_dict",
        ),
    ],
)
def test_numbers_of_something_else_are_refused(refuses, numbers, error, message):
    refuses(lambda: TrainingLog.from_dict(numbers), error, message)
