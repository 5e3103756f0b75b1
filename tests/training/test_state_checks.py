"""A checkpoint that is foreign or partly missing is refused, and changes nothing."""

from types import SimpleNamespace
from unittest.mock import Mock

import pytest
import torch

from bookkit.checking.facts import facts
from transformer.training import CheckpointError, Trainer, World, restore, snapshot
from transformer.training.state_checks import check_random_states, first_line

NAME = "encoder.layers.0.feed_forward.up_projection"
MOMENT = f"optimizer/{NAME}.weight/exp_avg"
STEP = f"optimizer/{NAME}.weight/step"


def after_three_steps(kit):
    """The checkpoint of a training."""
    trainer, batches = kit.trainer(), kit.batches()
    while trainer.steps < 3:
        trainer.step(batches[trainer.steps])
    return snapshot(trainer)


@pytest.fixture
def taken(kit):
    return after_three_steps(kit)


def put(name, value):
    """Return what puts a tensor into a checkpoint."""
    return lambda taken: taken.training.update({name: value})


def drop(name):
    """Return what takes a tensor out of a checkpoint."""
    return lambda taken: taken.training.pop(name)


def option(**changes):
    """Return what changes an option of the first group of the optimizer."""
    return lambda taken: taken.state["optimizer"][0].update(changes)


def junk(taken):
    taken.state["optimizer"][1] = "words"


def rows(**changes):
    """Return what changes rows of the log."""
    return lambda taken: taken.state["log"].update(changes)


FOREIGN = [
    (drop(MOMENT), f"for {MOMENT} nothing instead of"),
    (drop(f"{MOMENT}_sq"), f"for {MOMENT}_sq nothing instead of"),
    (drop(STEP), f"for {STEP} nothing instead of"),
    (put("optimizer/x/exp_avg", torch.ones(2)), "for optimizer/x/"),
    (put("optimizer/x", torch.ones(2)), "instead of nothing"),
    (put("optimizer/x/y/z", torch.ones(2)), "instead of nothing"),
    (put("wing", torch.ones(2)), r"for wing \(\(2,\), torch.float32\)"),
    (put(MOMENT, torch.ones(2).double()), r"\(\(2,\), torch.float64\)"),
    (put(MOMENT, torch.ones(17, 12).int()), "torch.int32\\) instead"),
    (put(STEP, torch.ones(3)), r"\(\(3,\), torch.float32\) instead"),
    (
        put(MOMENT, torch.full((17, 12), torch.nan).double()),
        f"must hold finite numbers as {MOMENT}",
    ),
    (
        put(f"{MOMENT}_sq", torch.full((17, 12), -1.0).double()),
        f"must hold finite numbers as {MOMENT}_sq, none below 0",
    ),
    (put(STEP, torch.tensor(-1.0)), f"finite numbers as {STEP}, none"),
    (drop("random/cpu/0"), "as random/cpu/0, got none"),
    (
        put("random/cpu/0", torch.ones(7).byte()),
        r"as random/cpu/0, got \(\(7,\), torch.uint8\) \(Expected a CPU",
    ),
    (
        put("random/cpu/0", torch.ones(5056)),
        "as random/cpu/0, got .* must be a torch.ByteTensor",
    ),
    (put("random/cpu/0", torch.zeros(5056).byte()), "Invalid mt19937 state"),
    (put("random/cpu/7", torch.zeros(5056).byte()), "as random/cpu/7, got"),
    (junk, "names of the parameters of each group .*, got None"),
    (option(params=[1, 2]), r"each group of .*, got \[1, 2\]"),
    (option(params=[[]]), r"each group of .*, got \[\[\]\]"),
    (option(params=["a"]), r"each group of .*, got \['a'\]"),
    (option(betas="ab"), r"got betas 'ab' instead of \(0.9, 0.98\)"),
    (option(betas=[0.9]), r"got betas \[0.9\] instead of"),
    (option(eps=None), "got eps None instead of 1e-09"),
    (option(amsgrad=True), "amsgrad True instead of False"),
    (option(momentum=0.9), "momentum 0.9 instead of .none."),
    (option(PARAMS=[]), r"PARAMS \[\] instead of .none."),
    (option(fused="yes"), "fused 'yes' instead of True"),
    (rows(steps=[["a", "b", "c", "d"]]), "hold a log as it was written"),
    (rows(steps=[[1.5, 1, 1, 1]]), "must hold a log as it was written"),
    (rows(validations=[["a", "b"]]), "hold a log as it was"),
]


class Gpu(str):
    """The name of the CPU, of a device that says it is a GPU."""

    type = "cuda"


def test_the_random_state_of_a_gpu_is_checked_where_there_is_one(refuses):
    states = {"random/cpu/0": torch.get_rng_state(), "random/cuda/0": torch.ones(7)}
    check_random_states(states, Mock(spec=Trainer, world=World()))
    world = SimpleNamespace(device=Gpu("cpu"))
    trainer = Mock(spec=Trainer, world=world)
    refuses(
        lambda: check_random_states(states, trainer),
        CheckpointError,
        "the checkpoint must hold the state of a random generator as random/cuda/0",
    )


def test_an_error_without_words_is_called_by_its_kind():
    assert first_line(RuntimeError("no state\nin line 7")) == "no state"
    assert first_line(RuntimeError()) == "RuntimeError"


@facts("change, said", FOREIGN)
def test_what_is_foreign_or_partly_missing_is_refused(kit, change, said, refuses):
    taken = after_three_steps(kit)
    change(taken)
    trainer = kit.trainer(seed=1)
    before, drawn = kit.parameters(trainer), torch.get_rng_state()
    refuses(lambda: restore(trainer, taken), CheckpointError, f"the checkpoint.*{said}")
    assert (trainer.steps, trainer.log.steps, trainer.optimizer.state) == (0, [], {})
    assert all(
        torch.equal(x, before[name]) for name, x in kit.parameters(trainer).items()
    )
    assert torch.equal(torch.get_rng_state(), drawn)


def test_options_that_an_older_pytorch_did_not_know_may_be_missing(kit, taken):
    for group in taken.state["optimizer"]:
        del group["decoupled_weight_decay"]
    trainer = kit.trainer(seed=1)
    restore(trainer, taken)
    assert trainer.steps == 3


def test_the_greatest_squares_go_on_too(kit, batches):
    trainer, other = kit.trainer(), kit.trainer(seed=1)
    for group in trainer.optimizer.param_groups + other.optimizer.param_groups:
        group["amsgrad"] = True
    trainer.step(batches[0])
    taken = snapshot(trainer)
    restore(other, taken)
    again = snapshot(other).training
    assert MOMENT.replace("exp_avg", "max_exp_avg_sq") in again
    assert all(torch.equal(x, again[name]) for name, x in taken.training.items())


def test_another_kernel_may_go_on(kit, taken):
    for group in taken.state["optimizer"]:
        group |= {"fused": None, "foreach": True}
    for name in [name for name in taken.training if name.endswith("/step")]:
        taken.training[name] = taken.training[name].double()
    trainer = kit.trainer(seed=1)
    restore(trainer, taken)
    assert trainer.steps == 3


def test_another_precision_is_refused(kit, taken, refuses):
    trainer = kit.trainer(dtype=torch.float32, precision="float16")
    for name, x in {**taken.model, **taken.training}.items():
        held = taken.model if name in taken.model else taken.training
        held[name] = x.float() if x.dtype == torch.float64 else x
    message = (
        "the checkpoint must hold the numbers scale, .* float16 needs, got {}; go on"
    )
    refuses(lambda: restore(trainer, taken), CheckpointError, message)
