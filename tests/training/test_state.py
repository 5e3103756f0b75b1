"""Tests of going on where a training was."""

import json
import tracemalloc
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
import torch
from torch import nn, optim
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.data import Batch
from transformer.models import DecoderOnlyTransformer, Transformer
from transformer.training import (
    CheckpointError,
    LabelSmoothingLoss,
    Trainer,
    World,
    adam,
    load_checkpoint,
    load_model,
    restore,
    save_checkpoint,
    snapshot,
)
from transformer.training.state import (
    kind_of,
    random_states,
    restore_random_states,
)
from transformer.zoo import deepseek_v3

SAME = {"rtol": 0, "atol": 0}


def steps(trainer, batches, until):
    while trainer.steps < until:
        trainer.step(batches[trainer.steps])
    return trainer


@facts(
    "options",
    [{}, {"dtype": torch.float32, "precision": "float16"}, {"accumulate": 2}],
    ids=["float64", "float16", "accumulated"],
)
def test_a_resumed_training_is_the_uninterrupted_one_to_the_last_bit(
    kit, tmp_path, options
):
    config = replace(kit.config, dropout=0.3)
    whole = steps(kit.trainer(config=config, **options), kit.batches(), 12)
    first = steps(kit.trainer(config=config, **options), kit.batches(), 5)
    path = save_checkpoint(tmp_path, snapshot(first))
    second = kit.trainer(config=config, seed=99, **options)
    restore(second, load_checkpoint(path))
    steps(second, kit.batches(), 12)
    assert_close(kit.parameters(second), kit.parameters(whole), **SAME)
    assert second.log == whole.log
    assert second.scaler.state_dict() == whole.scaler.state_dict()


def test_tied_parameters_are_written_once_and_stay_tied(kit, trainer, batches):
    steps(trainer, batches, 1)
    taken = snapshot(trainer)
    assert "head.projection.weight" not in taken.model
    assert taken.model["embedding.tokens.embedding.weight"].shape == (13, 12)
    other = kit.trainer(seed=5)
    restore(other, taken)
    model = other.model
    assert model.head.projection.weight is model.embedding.tokens.embedding.weight


def test_the_model_of_a_checkpoint_gives_the_same_logits(trainer, batches, tmp_path):
    steps(trainer, batches, 2)
    model = load_model(save_checkpoint(tmp_path, snapshot(trainer)))
    trainer.model.eval()
    assert not model.training
    expected = trainer.model(*batches[0].inputs)
    assert_close(model(*batches[0].inputs), expected, **SAME)


def test_loading_a_model_draws_no_random_numbers(
    trainer, batches, tmp_path, draws_nothing
):
    path = save_checkpoint(tmp_path, snapshot(steps(trainer, batches, 1)))
    with draws_nothing():
        load_model(path)


@facts(
    "changes, message",
    [
        ({"d_ff": 19}, "step 1 must be of this model, got d_ff 17 instead of 19"),
        ({"norm": "rms", "dropout": 0.1}, "got norm 'layer' instead of 'rms', dropout"),
    ],
)
def test_a_checkpoint_of_other_settings_is_refused(kit, changes, message):
    trainer = steps(kit.trainer(), kit.batches(), 1)
    other = kit.trainer(config=replace(kit.config, **changes))
    before = kit.parameters(other)
    with pytest.raises(CheckpointError, match=message):
        restore(other, snapshot(trainer))
    assert_close(kit.parameters(other), before, **SAME)


def test_a_checkpoint_from_before_a_field_goes_on_where_the_field_is_at_its_default(
    kit, trainer, batches
):
    taken = snapshot(steps(trainer, batches, 1))
    for name in ("mixers", "feed_forward"):
        del taken.state["config"][name]
    restore(kit.trainer(seed=5), taken)
    other = kit.trainer(config=replace(kit.config, mixers="delta"))
    with pytest.raises(
        CheckpointError, match="got mixers 'softmax' instead of 'delta'"
    ):
        restore(other, taken)


def test_a_checkpoint_of_another_kind_of_model_is_refused(kit, trainer, batches):
    steps(trainer, batches, 1)
    model = DecoderOnlyTransformer(replace(kit.config, num_encoder_layers=0))
    other = Trainer(model, loss=LabelSmoothingLoss(), optimizer=adam(model))
    message = "got model 'Transformer' instead of 'DecoderOnlyTransformer', num_enc"
    with pytest.raises(CheckpointError, match=message):
        restore(other, snapshot(trainer))


def test_a_model_of_another_package_is_called_by_its_class():
    assert kind_of(nn.Linear(2, 3)) == "Linear"


@facts(
    "spoil, message",
    [
        (lambda tensors, name: tensors.pop(name), "got nothing"),
        (
            lambda tensors, name: tensors.update({name: tensors[name].float()}),
            "torch.float32",
        ),
        (
            lambda tensors, name: tensors.update({name: tensors[name][:2]}),
            r"\(2, 12\)",
        ),
        (lambda tensors, name: tensors.update(more=torch.ones(1)), "as more nothing"),
    ],
    ids=["missing", "other dtype", "other shape", "surplus"],
)
def test_parameters_that_do_not_fit_are_refused(kit, spoil, message):
    taken = snapshot(steps(kit.trainer(), kit.batches(), 1))
    spoil(taken.model, "encoder.layers.0.self_attention.query_projection.weight")
    with pytest.raises(CheckpointError, match=message):
        restore(kit.trainer(), taken)


@facts(
    "changes",
    [
        {"model": "Rabbit"},
        {"config": {"vocab_size": 0}},
        {"config": {"size": 3}},
        {"config": None},
    ],
)
def test_a_checkpoint_that_describes_no_model_is_refused(kit, tmp_path, changes):
    trainer = steps(kit.trainer(), kit.batches(), 1)
    path = save_checkpoint(tmp_path, snapshot(trainer))
    state = json.loads((path / "state.json").read_text())
    (path / "state.json").write_text(json.dumps({**state, **changes}))
    with pytest.raises(CheckpointError, match="must describe a model of this package"):
        load_model(path)


@facts(
    "sizes, said",
    [
        ({"d_model": 2**30, "num_heads": 1}, r"must hold as \S+ \(.*1073741824"),
        ({"d_ff": 2**63 - 1}, "must describe a model of this package, got 'Transform"),
        ({"num_encoder_layers": 10**9}, "must have a tensor for each layer at least"),
    ],
)
def test_sizes_that_are_not_true_take_no_memory(kit, tmp_path, sizes, said):
    trainer = steps(kit.trainer(), kit.batches(), 1)
    path = save_checkpoint(tmp_path, snapshot(trainer))
    state = json.loads((path / "state.json").read_text())
    state["config"] |= sizes
    (path / "state.json").write_text(json.dumps(state))
    tracemalloc.start()
    with pytest.raises(CheckpointError, match=said):
        load_model(path)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 10_000_000


@facts(
    "spoil",
    [
        lambda scaler: scaler.clear(),  # as float32 writes it
        lambda scaler: scaler.pop("scale"),
        lambda scaler: scaler.pop("_growth_tracker"),
    ],
    ids=["empty", "no scale", "no tracker"],
)
def test_a_scaler_that_cannot_go_on_is_refused_before_anything_changes(kit, spoil):
    half = {"dtype": torch.float32, "precision": "float16"}
    taken = snapshot(steps(kit.trainer(**half), kit.batches(), 1))
    spoil(taken.state["scaler"])
    other = kit.trainer(seed=5, **half)
    before = kit.parameters(other), other.scaler.state_dict()
    message = "^the checkpoint must hold the numbers scale, .* that float16 needs, got "
    with pytest.raises(CheckpointError, match=message):
        restore(other, taken)
    assert_close((kit.parameters(other), other.scaler.state_dict()), before, **SAME)
    assert (other.steps, len(other.optimizer.state)) == (0, 0)


def test_a_trainer_without_a_scaler_goes_on_from_one_with_it(kit):
    half = kit.trainer(dtype=torch.float32, precision="float16")
    taken = snapshot(steps(half, kit.batches(), 1))
    other = kit.trainer(seed=5, dtype=torch.float32)
    restore(other, taken)
    assert other.steps == 1


def drawn_by(state):
    """The numbers that come after a state of PyTorch's generator."""
    torch.set_rng_state(state)
    return torch.rand(7).tolist()


def states(count):
    """States of the generators of so many processes."""
    return [torch.Generator().manual_seed(seed).get_state() for seed in range(count)]


def test_a_snapshot_holds_the_random_state_of_each_process(kit, batches, monkeypatch):
    trainer = steps(kit.trainer(), batches, 1)
    monkeypatch.setattr(World, "gather", lambda world, mine: [*states(3), mine])
    mine = torch.get_rng_state()
    taken = snapshot(trainer).training
    for rank, state in enumerate([*states(3), mine]):
        assert torch.equal(taken[f"random/cpu/{rank}"], state)


def test_a_process_that_does_not_write_gets_no_tensors(kit, batches, monkeypatch):
    trainer = steps(kit.trainer(), batches, 1)
    nothing = SimpleNamespace(
        StateDictOptions=lambda **_: None, get_state_dict=lambda *_, **__: ({}, {})
    )
    monkeypatch.setattr("transformer.training.state.state_dicts", lambda: nothing)
    taken = snapshot(trainer)
    assert taken.model == {}
    assert {*taken.training} == {"random/cpu/0"}


@facts("rank", [0, 1, 2])
def test_each_process_goes_on_with_its_own_random_state(kit, batches, rank):
    taken = snapshot(steps(kit.trainer(), batches, 1))
    for number, state in enumerate(states(3)):
        taken.training[f"random/cpu/{number}"] = state
    restore(kit.trainer(world=World(rank=rank, size=3)), taken)
    assert torch.rand(7).tolist() == drawn_by(states(3)[rank])


def test_a_process_that_was_not_there_keeps_its_random_numbers(kit, batches):
    taken = snapshot(steps(kit.trainer(), batches, 1))
    late = kit.trainer(world=World(rank=1, size=2))
    before = torch.get_rng_state()
    restore(late, taken)
    assert torch.equal(torch.get_rng_state(), before)


def test_the_state_of_more_processes_is_enough_for_fewer(trainer, batches):
    steps(trainer, batches, 1)
    taken = snapshot(trainer)
    taken.training["random/cpu/1"] = taken.training["random/cpu/0"]
    restore(trainer, taken)
    assert trainer.steps == 1


class Gpu(str):
    """The name of the CPU, of a device that says it is a GPU."""

    type = "cuda"


@pytest.fixture
def gpu(monkeypatch):
    """A GPU with the number 7: what it is given as the state of its generator."""
    given = []
    monkeypatch.setattr(
        torch.cuda, "get_rng_state", lambda device: torch.tensor([7]).byte()
    )
    monkeypatch.setattr(
        torch.cuda, "set_rng_state", lambda state, device: given.append((state, device))
    )
    return given


def test_the_random_numbers_of_a_gpu_go_on_too(gpu):
    world = SimpleNamespace(rank=0, device=Gpu("cpu"), gather=lambda mine: [mine])
    trainer = Mock(spec=Trainer, world=world)
    states = random_states(trainer)
    assert {*states} == {"random/cpu/0", "random/cuda/0"}
    restore_random_states(trainer, states)
    [(state, device)] = gpu
    assert (state.tolist(), device) == ([7], "cpu")


def test_loading_a_model_leaves_the_random_numbers_of_a_gpu_alone(
    gpu, trainer, batches, tmp_path, monkeypatch
):
    path = save_checkpoint(tmp_path, snapshot(steps(trainer, batches, 1)))
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    load_model(path)
    assert gpu == []


OPTIMIZERS = {
    "SGD": partial(optim.SGD, lr=0.01),
    "SGD with momentum": partial(optim.SGD, lr=0.01, momentum=0.9, nesterov=True),
    "RMSprop": partial(optim.RMSprop, momentum=0.5, centered=True),
    "AdamW, amsgrad": partial(optim.AdamW, amsgrad=True),
    "Adamax": optim.Adamax,
    "NAdam": optim.NAdam,
    "RAdam": optim.RAdam,
    "Adafactor": optim.Adafactor,
    "Adadelta": optim.Adadelta,
    "Adagrad": optim.Adagrad,
    "ASGD": optim.ASGD,
    "Rprop": optim.Rprop,
}


def interrupt(trainer, kit, folder):
    """Return a trainer that another one began, and one that did all steps itself."""
    whole = steps(trainer(), kit.batches(), 5)
    path = save_checkpoint(folder, snapshot(steps(trainer(), kit.batches(), 2)))
    second = trainer(seed=99)
    restore(second, load_checkpoint(path))
    return steps(second, kit.batches(), 5), whole


@facts("make", OPTIMIZERS.values(), ids=[*OPTIMIZERS])
def test_a_training_goes_on_to_the_last_bit_with_any_optimizer(kit, tmp_path, make):
    def trainer(seed=0):
        torch.manual_seed(seed)
        model = Transformer(replace(kit.config, dropout=0.3))
        optimizer = make(model.parameters())
        return Trainer(model, loss=LabelSmoothingLoss(), optimizer=optimizer)

    second, whole = interrupt(trainer, kit, tmp_path)
    assert_close(kit.parameters(second), kit.parameters(whole), **SAME)


def freeze(model):
    model.embedding.requires_grad_(False)


def add_what_takes_no_part(model):
    model.aside = nn.Linear(2, 3)


@facts("change", [freeze, add_what_takes_no_part])
@facts("make", [optim.Adam, OPTIMIZERS["SGD with momentum"], optim.Adafactor])
def test_what_never_had_a_gradient_is_no_hindrance(kit, tmp_path, change, make):
    def trainer(seed=0):
        torch.manual_seed(seed)
        model = Transformer(kit.config)
        change(model)
        optimizer = make(model.parameters())  # all of them, as most programs do it
        return Trainer(model, loss=LabelSmoothingLoss(), optimizer=optimizer)

    second, whole = interrupt(trainer, kit, tmp_path)
    assert_close(kit.parameters(second), kit.parameters(whole), **SAME)
    kept, due = (x.optimizer.state_dict()["state"] for x in (second, whole))
    assert kept.keys() == due.keys()


def test_experts_whose_choice_is_not_learned_go_on(tmp_path):
    def trainer():
        torch.manual_seed(0)
        sizes = {"vocab_size": 11, "d_model": 6, "d_ff": 5, "num_heads": 2}
        sizes |= {"num_decoder_layers": 1, "num_experts": 3, "d_latent": 5}
        config = deepseek_v3.preset(**sizes, d_rotary=2)
        model = DecoderOnlyTransformer(config)
        optimizer = optim.Adam(model.parameters())
        return Trainer(model, loss=LabelSmoothingLoss(), optimizer=optimizer)

    batch = Batch(None, torch.tensor([[1, 7, 5, 3], [1, 4, 6, 2]]))
    first, second = trainer(), trainer()
    first.step(batch)
    restore(second, load_checkpoint(save_checkpoint(tmp_path, snapshot(first))))
    for one in (first, second):
        one.step(batch)
    assert_close(*(dict(x.model.named_parameters()) for x in (second, first)), **SAME)


class Counting(optim.SGD):
    """Keeps a number that no checkpoint holds."""

    def step(self, closure=None):
        super().step(closure)
        for group in self.param_groups:
            for x in group["params"]:
                self.state[x]["count"] = 1


@facts(
    "make, said",
    [
        (optim.LBFGS, "gradients alone.*got LBFGS"),
        (optim.SparseAdam, "gradients alone.*got SparseAdam"),
        (partial(Counting, lr=0.1), "keep tensors.*got Counting, which keeps count"),
        (partial(optim.Adam, lr=torch.tensor(0.1)), "options that are numbers"),
    ],
)
def test_what_no_checkpoint_could_hold_is_refused_before_a_step(
    kit, make, said, refuses
):
    model = Transformer(kit.config)
    refuses(
        lambda: Trainer(
            model, loss=LabelSmoothingLoss(), optimizer=make(model.parameters())
        ),
        ValueError,
        said,
    )


@facts("wrap", [lambda model: torch.compile(model, backend="eager"), nn.DataParallel])
def test_a_wrapped_model_is_saved_under_its_own_names(kit, tmp_path, wrap):
    def trainer(wrap):
        torch.manual_seed(0)
        model = Transformer(kit.config)
        loss = LabelSmoothingLoss()
        return Trainer(wrap(model), loss=loss, optimizer=optim.SGD(model.parameters()))

    plain = steps(trainer(lambda model: model), kit.batches(), 2)
    path = save_checkpoint(tmp_path, snapshot(plain))
    wrapped = trainer(wrap)
    restore(wrapped, load_checkpoint(path))
    assert snapshot(wrapped).model.keys() == snapshot(plain).model.keys()
    assert_close(kit.parameters(wrapped), kit.parameters(plain), **SAME)
