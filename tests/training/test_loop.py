"""Tests of the loop."""

from functools import partial
from unittest.mock import Mock

from torch.testing import assert_close

from transformer.training import (
    Callback,
    LabelSmoothingLoss,
    adam,
    noam_schedule,
    run,
    train,
)


def test_train_is_a_trainer_that_runs(kit, batches):
    twin = kit.trainer()
    model = kit.trainer().model
    schedule = partial(noam_schedule, d_model=12, warmup=5)
    options = {"schedule": schedule, "max_norm": 0.5}
    log = train(
        model,
        batches,
        loss=LabelSmoothingLoss(),
        optimizer=adam(model),
        steps=6,
        **options,
    )
    expected = kit.trainer(**options)
    run(expected, batches, steps=6)
    assert log == expected.log
    assert_close(
        dict(model.named_parameters()), dict(expected.model.named_parameters())
    )
    assert twin.steps == 0


def test_train_calls_back_after_each_step(kit, batches):
    model = kit.trainer().model
    callback = Mock(spec=Callback, is_over=Mock(return_value=False))
    log = train(
        model,
        batches,
        loss=LabelSmoothingLoss(),
        optimizer=adam(model),
        steps=2,
        callbacks=[callback],
    )
    told = [call.args[1] for call in callback.after_step.call_args_list]
    assert told == log.steps
    assert len(told) == 2


def test_a_list_of_batches_is_gone_through_again_and_again(kit, batches):
    few = [batches[0], batches[1]]
    whole, circle = kit.trainer(), kit.trainer()
    run(whole, [few[step % 2] for step in range(5)], steps=5)
    run(circle, few, steps=5)
    assert_close(kit.parameters(circle), kit.parameters(whole), rtol=0, atol=0)


def test_a_trainer_goes_on_where_it_was(kit, batches):
    whole, halves = kit.trainer(), kit.trainer()
    run(whole, batches, steps=6)
    for steps in (2, 6):
        log = run(halves, batches, steps=steps)
    assert log == whole.log
    assert_close(kit.parameters(halves), kit.parameters(whole), rtol=0, atol=0)


def test_what_does_not_fit_is_refused(refuses, trainer, batches):
    refuses(
        lambda: run(trainer, [], steps=1), ValueError, "there must be a batch to learn"
    )
    refuses(
        lambda: run(trainer, batches, steps=0), ValueError, "steps must be at least"
    )
