"""The world of a training: one process, or several that share each batch."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

TIMEOUT = timedelta(minutes=10)  # after which a silent process counts as lost


@dataclass(frozen=True, kw_only=True)
class World:
    """Describe which process this is, of how many, and where it computes.

    Args:
        rank: Number of this process, from 0; process 0 writes checkpoints.
        size: Number of processes.
        device: Where this process computes.
    """

    rank: int = 0
    size: int = 1
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))

    @property
    def is_writer(self) -> bool:
        """Whether this process is the one that writes files and prints."""
        return self.rank == 0

    def sum(self, numbers: Tensor) -> Tensor:
        """Return the sum of a tensor over all processes."""
        if self.size > 1:
            numbers = numbers.clone()
            dist.all_reduce(numbers)
        return numbers

    def gather(self, numbers: Tensor) -> list[Tensor]:
        """Return the tensors of all processes, all of one shape, by rank."""
        if self.size == 1:
            return [numbers]
        gathered = [torch.empty_like(numbers) for _ in range(self.size)]
        dist.all_gather(gathered, numbers)
        return gathered

    def wait(self) -> None:
        """Wait until all processes are here."""
        if self.size > 1:
            dist.barrier()


def default_device() -> torch.device:
    """Return the GPU if there is one, else the CPU."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


@contextmanager
def connected(device: torch.device | None = None) -> Iterator[World]:
    """Join the processes that `torchrun` has started, and leave them in the end.

    Without `torchrun` there is one process. The processes talk by gloo on CPUs, by
    nccl on GPUs, of which each takes one.

    Args:
        device: Where to compute; the GPU if there is one when not given.

    Yields:
        The world of this process.
    """
    device = default_device() if device is None else device
    if "LOCAL_RANK" not in os.environ:  # set by torchrun for each process
        yield World(device=device)
        return
    if device.type == "cuda":
        device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
        torch.cuda.set_device(device)
    backend = "nccl" if device.type == "cuda" else "gloo"
    dist.init_process_group(backend, timeout=TIMEOUT)
    try:
        yield World(rank=dist.get_rank(), size=dist.get_world_size(), device=device)
    finally:
        dist.destroy_process_group()


def distribute(model: nn.Module, world: World, *, shard: bool = False) -> nn.Module:
    """Move a model to its device and make its gradients the mean over all processes.

    Call it before the optimizer is made: sharding replaces the parameters.

    Source: Li et al. (2020) for one whole copy in each process (DDP); Zhao et al.
    (2023) for a share of each parameter in each process (FSDP), here in PyTorch's
    second version.

    Args:
        model: What is trained.
        world: The processes.
        shard: Whether each process keeps a share of the parameters only, for models
            that do not fit into one device.

    Returns:
        What to call instead of the model; the model itself in a world of one.
    """
    model = model.to(world.device)
    if world.size == 1:
        return model
    if not shard:
        return DistributedDataParallel(model)
    # Imported here: it takes a second.
    from torch.distributed import get_world_size
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    # Without a mesh it would be that of the GPUs, wherever there is one.
    mesh = init_device_mesh(world.device.type, (get_world_size(),))
    for stack in ("encoder", "decoder"):
        for layer in getattr(getattr(model, stack, None), "layers", ()):
            fully_shard(layer, mesh=mesh)
    return fully_shard(model, mesh=mesh)


def bare(model: nn.Module) -> nn.Module:
    """Return the model that `distribute` has wrapped."""
    return model.module if isinstance(model, DistributedDataParallel) else model


def hold_gradients(model: nn.Module, *, hold: bool) -> None:
    """Keep gradients in each process until the last part of a batch, or exchange."""
    model = getattr(model, "_orig_mod", model)  # inside that of `torch.compile`
    if isinstance(model, DistributedDataParallel):
        model.require_backward_grad_sync = not hold
    elif hasattr(model, "set_requires_gradient_sync"):  # what fully_shard has made
        model.set_requires_gradient_sync(not hold)
