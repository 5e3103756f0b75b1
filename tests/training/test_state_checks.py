"""A checkpoint that is foreign or partly missing is refused, and changes nothing."""

import pytest
import torch

from bookkit.checking.facts import facts
from transformer.training import CheckpointError, restore, snapshot

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


def regroup(taken):
    """Put the parameters of one group into the other."""
    first, second = taken.state["optimizer"]
    first["params"], second["params"] = first["params"] + second["params"], []


def forget(taken):
    """Take all out that the optimizer keeps."""
    for name in [*taken.training]:
        if name.startswith("optimizer/"):
            drop(name)(taken)


FOREIGN = [
    (forget, r"as optimizer/\S+/exp_avg \(.*, got nothing"),
    (drop(MOMENT), rf"as {MOMENT} \(17, 12\) of torch.float64, got nothing"),
    (drop(f"{MOMENT}_sq"), rf"as {MOMENT}_sq .*, got nothing"),
    (drop(STEP), rf"as {STEP} \(\), got nothing"),
    (put("optimizer/x/exp_avg", torch.ones(2)), r"as optimizer/x/\w+ nothing, got \(2"),
    (put("wing", torch.ones(2)), r"as wing nothing, got \(2,\) of torch.float32"),
    (put(MOMENT, torch.ones(17, 12)), r"got \(17, 12\) of torch.float32"),
    (put(MOMENT, torch.ones(17, 11).double()), r"got \(17, 11\) of torch.float64"),
    (put(STEP, torch.ones(3)), rf"as {STEP} \(\), got \(3,\)"),
    (regroup, r"the groups of this optimizer, got the parameters \["),
    (option(momentum=0.9), "groups of this optimizer, got momentum 0.9 instead of .no"),
    (option(amsgrad=True), "got amsgrad True instead of False"),
    (option(betas="ab"), r"got betas 'ab' instead of \(0.9, 0.98\)"),
    (lambda taken: taken.state.pop("log"), "as it was written, got KeyError"),
    (drop("random/cpu/0"), "as random/cpu/0, got none"),
    (put("random/cpu/0", torch.ones(7).byte()), "as it was written, got RuntimeError"),
]


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
