"""One process, or a group of them, of which this one is the only member here."""

import copy
from dataclasses import replace

import pytest
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed import device_mesh
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FSDPModule
from torch.distributed.tensor import DTensor
from torch.nn.parallel import DistributedDataParallel

from bookkit.checking.facts import facts
from transformer.models import Transformer
from transformer.training import adam, restore, snapshot
from transformer.training.world import (
    World,
    bare,
    connected,
    default_device,
    distribute,
    hold_gradients,
)

SEVERAL = World(size=2)
CPU = torch.device("cpu")


@pytest.fixture
def launched(monkeypatch):
    """The variables that torchrun sets for the one process that it starts."""
    variables = {"LOCAL_RANK": "0", "RANK": "0", "WORLD_SIZE": "1"}
    variables |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "0"}  # any that is free
    for name, value in variables.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def group(launched):
    """A group of processes with one member."""
    with connected(CPU) as world:
        yield world


def several_layers(kit):
    """A model with several layers in each stack."""
    return Transformer(replace(kit.config, num_encoder_layers=3, num_decoder_layers=2))


@pytest.fixture
def model(kit):
    return several_layers(kit)


def test_one_process_needs_no_group(model):
    with connected(CPU) as world:
        assert not dist.is_initialized()
        assert world == World(device=CPU)
    numbers = torch.arange(3)
    assert world.sum(numbers) is numbers
    assert world.gather(numbers) == [numbers]
    assert world.is_writer
    world.wait()
    assert distribute(model, world) is distribute(model, world, shard=True) is model
    assert bare(model) is model


def test_a_launched_process_joins_its_group_and_leaves_it(launched):
    with connected(CPU) as world:
        assert world == World(rank=0, size=1, device=CPU)
        assert dist.get_backend() == "gloo"
    assert not dist.is_initialized()


def test_a_process_that_fails_leaves_its_group(launched):
    with pytest.raises(RuntimeError, match="of the body"), connected(CPU):
        raise RuntimeError("of the body")
    assert not dist.is_initialized()


@facts("rank, local", [(0, 0), (3, 3), (5, 1)])
def test_a_process_takes_the_gpu_of_its_number_on_this_machine(
    monkeypatch, rank, local
):
    taken, joined = [], []
    monkeypatch.setenv("RANK", str(rank))
    monkeypatch.setenv("LOCAL_RANK", str(local))
    monkeypatch.setattr(torch.cuda, "set_device", taken.append)
    monkeypatch.setattr(dist, "init_process_group", lambda *a, **_: joined.append(a))
    monkeypatch.setattr(dist, "destroy_process_group", joined.clear)
    monkeypatch.setattr(dist, "get_rank", lambda: rank)
    monkeypatch.setattr(dist, "get_world_size", lambda: 7)
    with connected(torch.device("cuda")) as world:
        assert joined == [("nccl",)]
    gpu = torch.device("cuda", local)
    assert (world, taken) == (World(rank=rank, size=7, device=gpu), [gpu])


@facts("there, device", [(True, "cuda"), (False, "cpu")])
def test_the_gpu_is_chosen_where_there_is_one(monkeypatch, there, device):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: there)
    assert default_device() == torch.device(device)


def test_only_the_first_process_writes():
    assert not World(rank=1, size=2).is_writer


def test_a_sum_over_processes_leaves_what_each_of_them_has(group):
    numbers = torch.arange(3.0)
    summed = SEVERAL.sum(numbers)
    assert summed is not numbers
    assert torch.equal(summed, numbers)  # there is one member


def test_what_the_processes_have_is_gathered_by_rank(monkeypatch):
    def all_gather(places, numbers):
        for rank, place in enumerate(places):
            place.copy_(numbers + rank)

    monkeypatch.setattr(dist, "all_gather", all_gather)
    gathered = World(size=3).gather(torch.tensor([2, 5]))
    assert [x.tolist() for x in gathered] == [[2, 5], [3, 6], [4, 7]]


def test_several_processes_wait_for_each_other(monkeypatch):
    waited = []
    monkeypatch.setattr(dist, "barrier", lambda: waited.append(1))
    World().wait()
    assert not waited
    SEVERAL.wait()
    assert waited


def test_each_process_has_a_whole_copy(group, model):
    wrapped = distribute(model, SEVERAL)
    assert isinstance(wrapped, DistributedDataParallel)
    assert bare(wrapped) is model
    for hold in (True, False):
        hold_gradients(wrapped, hold=hold)
        assert wrapped.require_backward_grad_sync is not hold


def test_each_process_has_a_share_of_every_layer(group, model):
    assert bare(distribute(model, SEVERAL, shard=True)) is model
    layers = [*model.encoder.layers, *model.decoder.layers]
    assert all(isinstance(part, FSDPModule) for part in (model, *layers))
    assert not any(isinstance(part, FSDPModule) for part in layers[0].children())


def test_the_shares_are_where_the_world_computes(group, model, monkeypatch):
    # Left to itself, PyTorch takes the GPUs of a machine that has some.
    meshes = []

    def made(device, shape):
        meshes.append(init_device_mesh(device, shape))
        return meshes[-1]

    monkeypatch.setattr(device_mesh, "init_device_mesh", made)
    distribute(model, replace(SEVERAL, device=CPU), shard=True)
    (mesh,) = meshes
    assert mesh.device_type == "cpu"
    assert all(parameter.device_mesh == mesh for parameter in model.parameters())


@facts("stack", ["encoder", "decoder"])
def test_a_model_may_lack_a_stack(group, kit, stack):
    model = several_layers(kit)
    setattr(model, stack, None)
    assert isinstance(distribute(model, SEVERAL, shard=True), FSDPModule)


@pytest.fixture
def shares(group, kit):
    """A trainer whose process has a share of each parameter."""
    trainer = kit.trainer(world=group)
    trainer.wrapped = distribute(trainer.model, SEVERAL, shard=True)
    trainer.optimizer = adam(trainer.model)  # sharding has replaced the parameters
    return trainer


def test_the_gradient_of_shares_is_as_long_as_that_of_the_whole(
    group, shares, kit, batches
):
    whole = kit.trainer(world=group)
    for step in (0, 1):
        records = [trainer.step(batches[step]) for trainer in (whole, shares)]
        assert records[1] == pytest.approx(records[0], abs=1e-12)


def test_a_snapshot_of_shares_holds_whole_tensors(shares, batches):
    shares.step(batches[0])
    assert any(isinstance(x, DTensor) for x in shares.model.parameters())
    taken = snapshot(shares)
    tensors = [*taken.model.values(), *taken.training.values()]
    assert not any(isinstance(tensor, DTensor) for tensor in tensors)


def test_shares_go_on_from_whole_tensors(shares, batches):
    shares.step(batches[0])
    taken = copy.deepcopy(snapshot(shares))  # of tensors that go on to change
    first = shares.step(batches[1])
    restore(shares, taken)
    assert shares.step(batches[1]) == first


def test_the_gradient_is_as_long_as_the_processes_are_many(group, kit, batches):
    alone, one_of_two = kit.trainer(world=group), kit.trainer(world=SEVERAL)
    alone.step(batches[0].shard(0, 2))
    one_of_two.step(batches[0])
    # The mean over two processes would halve it again, but the group has one member.
    lengths = [trainer.log.steps[0].gradient_norm for trainer in (alone, one_of_two)]
    assert lengths[1] == pytest.approx(2 * lengths[0])


def test_shared_gradients_are_held_until_the_last_part(group, monkeypatch):
    sharded = distribute(nn.Linear(2, 3), SEVERAL, shard=True)
    asked = []
    monkeypatch.setattr(
        type(sharded), "set_requires_gradient_sync", lambda _, sync: asked.append(sync)
    )
    hold_gradients(sharded, hold=True)
    hold_gradients(sharded, hold=False)
    assert asked == [False, True]
    hold_gradients(nn.Linear(2, 3), hold=True)  # one process has nothing to hold
