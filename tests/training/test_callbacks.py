"""Tests of what happens between the steps."""

import io
import sys
from math import nan
from unittest.mock import Mock

import pytest
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.training import (
    Callback,
    Checkpointing,
    ProgressBar,
    StepRecord,
    Trainer,
    TrainingError,
    Validation,
    World,
    list_checkpoints,
    load_checkpoint,
    restore,
    run,
)


class Terminal(io.StringIO):
    """A file that says it is a terminal."""

    def isatty(self):
        return True


def test_checkpoints_come_every_few_steps_and_at_the_end(trainer, batches, tmp_path):
    run(trainer, batches, steps=8, callbacks=[Checkpointing(tmp_path, every=3, keep=9)])
    assert [load_checkpoint(path).step for path in list_checkpoints(tmp_path)] == [
        3,
        6,
        8,
    ]


def test_the_last_step_is_not_saved_twice(trainer, batches, tmp_path, monkeypatch):
    saved = []
    monkeypatch.setattr(
        "transformer.training.callbacks.save_checkpoint",
        lambda folder, checkpoint, keep: saved.append(checkpoint.step),
    )
    run(trainer, batches, steps=6, callbacks=[Checkpointing(tmp_path, every=3)])
    assert saved == [3, 6]


def test_the_newest_two_are_kept(trainer, batches, tmp_path):
    run(trainer, batches, steps=8, callbacks=[Checkpointing(tmp_path, every=2)])
    assert [load_checkpoint(path).step for path in list_checkpoints(tmp_path)] == [6, 8]


def test_validations_are_recorded(trainer, batches):
    losses = iter([3.0, 2.0, 5.0])
    log = run(
        trainer, batches, steps=7, callbacks=[Validation(lambda: next(losses), every=2)]
    )
    assert log.validations == [(2, 3.0), (4, 2.0), (6, 5.0)]


@facts("patience, last", [(1, 3), (2, 6), (3, 7), (None, 12)])
def test_training_stops_when_validation_no_longer_improves(
    kit, batches, patience, last
):
    trainer = kit.trainer()
    losses = iter([3.0, 2.0, 2.5, 1.9, 1.9, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0])
    callback = Validation(lambda: next(losses), every=1, patience=patience)
    run(trainer, batches, steps=12, callbacks=[callback])
    assert trainer.steps == last


@facts("losses", [[nan] * 9, [3.0, 2.0] + [nan] * 7], ids=str)
def test_a_validation_that_is_nan_is_no_new_best(kit, batches, losses):
    trainer, found = kit.trainer(), iter(losses)
    callback = Validation(lambda: next(found), every=1, patience=3)
    run(trainer, batches, steps=9, callbacks=[callback])
    assert trainer.steps == losses.index(nan) + 3


def test_a_resumed_training_knows_that_it_was_over(kit, trainer, batches, tmp_path):
    callbacks = [
        Validation(lambda: 1.0, every=1, patience=2),
        Checkpointing(tmp_path, every=5),
    ]
    run(trainer, batches, steps=12, callbacks=callbacks)
    again = kit.trainer(seed=7)
    restore(again, load_checkpoint(list_checkpoints(tmp_path)[-1]))
    run(again, batches, steps=12, callbacks=callbacks)
    assert again.steps == trainer.steps == 3
    assert_close(kit.parameters(again), kit.parameters(trainer), rtol=0, atol=0)


def test_the_bar_is_drawn_in_a_terminal(trainer, batches):
    terminal = Terminal()
    log = run(trainer, batches, steps=3, callbacks=[ProgressBar(3, file=terminal)])
    assert "3/3" in terminal.getvalue()
    assert f"loss {log.losses[-1]:.3f}" in terminal.getvalue()


def test_the_bar_is_drawn_now_and_then_and_not_at_each_step():
    terminal = Terminal()
    bar = ProgressBar(997, file=terminal)
    trainer = Mock(spec=Trainer, world=World())
    for step in range(1, 998):
        record = StepRecord(step=step, loss=7.0, gradient_norm=1.0, learning_rate=0.1)
        bar.after_step(trainer, record)
    bar.close()
    assert terminal.getvalue().count("\r") < 997


def test_the_bar_of_a_resumed_training_starts_where_it_was(trainer, batches):
    run(trainer, batches, steps=2)
    terminal = Terminal()
    run(trainer, batches, steps=3, callbacks=[ProgressBar(3, file=terminal)])
    assert "2/3" in terminal.getvalue()


def test_nothing_is_printed_anywhere_else(trainer, batches, capsys):
    file = io.StringIO()
    run(trainer, batches, steps=2, callbacks=[ProgressBar(2, file=file)])
    run(trainer, batches, steps=3, callbacks=[ProgressBar(3)])
    assert file.getvalue() == ""
    assert capsys.readouterr() == ("", "")


def test_a_bar_is_closed_when_training_breaks_off(trainer, batches):
    terminal = Terminal()
    bar = ProgressBar(9, file=terminal)

    class Break(Callback):
        def after_step(self, trainer, record):
            raise TrainingError("enough")

    with pytest.raises(TrainingError, match="enough"):
        run(trainer, batches, steps=9, callbacks=[bar, Break()])
    assert terminal.getvalue().endswith("\n")


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    with pytest.raises(ImportError, match=r'tqdm.* "tested-transformer\[training\]"$'):
        ProgressBar(1)


def test_a_package_for_checkpoints_is_missed_before_the_training(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "safetensors.torch", None)
    needed = r'^checkpoints need safetensors.* "tested-transformer\[training\]"$'
    with pytest.raises(ImportError, match=needed):
        Checkpointing(tmp_path, every=1)


@facts(
    "call, message",
    [
        (lambda: Checkpointing("folder", every=0), "every must be at least 1"),
        (lambda: Checkpointing("folder", every=1, keep=0), "keep must be at least 1"),
        (lambda: Validation(float, every=0), "every must be at least 1"),
        (lambda: Validation(float, every=1, patience=0), "patience must be at least 1"),
        (lambda: ProgressBar(0), "steps must be at least 1"),
    ],
)
def test_numbers_that_do_not_fit_are_refused(refuses, call, message):
    refuses(call, ValueError, message)
