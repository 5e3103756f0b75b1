"""Two processes that share a batch, and what they learn."""

import multiprocessing
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
import torch.nn.functional as F

from chapters.cost_and_scale.budgets import sized
from chapters.laboratory.fit import same_numbers
from chapters.laboratory.language_model import DEFAULTS, VOCAB_SIZE
from transformer.config import TransformerConfig
from transformer.models import DecoderOnlyTransformer
from transformer.training.world import World, connected, distribute

PRELOADED = ("torch._dynamo", "torch.distributed.fsdp")  # imported at a first step


def train_shared(world: World, *, shard: bool, steps: int = 3) -> dict:
    """Train a small language model; each process learns from its rows of a batch.

    Args:
        world: The processes.
        shard: Whether each process keeps a share of the parameters only.
        steps: Number of training steps.

    Returns:
        The parameters in the end, and how many numbers this process held.
    """
    config = TransformerConfig(**(DEFAULTS | sized(32) | {"max_len": 16}))
    with same_numbers(0):
        model = DecoderOnlyTransformer(config).double()
        tokens = torch.randint(VOCAB_SIZE, (8, 17))
    whole = distribute(model, world, shard=shard)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    mine = tokens[world.rank :: world.size]
    for _ in range(steps):
        logits = whole(mine[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), mine[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    local = [getattr(p, "_local_tensor", p).numel() for p in model.parameters()]
    parameters = [
        getattr(p, "full_tensor", lambda p=p: p)() for p in whole.parameters()
    ]
    flat = torch.cat([p.detach().flatten() for p in parameters])
    return {"parameters": flat, "held": sum(local)}


def with_torchrun(processes: int) -> dict[str, dict]:
    """Train in several processes on the CPU; return what the first one ended with.

    They are started by what the command `torchrun --standalone` calls.
    """
    from torch.distributed.elastic.multiprocessing import DefaultLogsSpecs, Std
    from torch.distributed.launcher import LaunchConfig, elastic_launch

    # One process imports what all need, and has learned nothing: they are its forks.
    # A fork of this one could not learn, since it may have learned itself.
    can_fork = "forkserver" in multiprocessing.get_all_start_methods()
    multiprocessing.set_forkserver_preload([__name__, *PRELOADED])
    with TemporaryDirectory() as folder:
        path = Path(folder, "learned.pt")
        config = LaunchConfig(
            min_nodes=1,
            max_nodes=1,
            nproc_per_node=processes,
            run_id=path.parent.name,
            rdzv_backend="c10d",
            rdzv_endpoint="localhost:0",
            max_restarts=0,
            start_method="forkserver" if can_fork else "spawn",
            logs_specs=DefaultLogsSpecs(log_dir=folder, redirects=Std.ALL),
        )
        elastic_launch(config, share)(str(path))
        return torch.load(path, weights_only=True)


def share(path: str) -> None:
    """Train with whole copies and with shares, and save what came out."""
    torch.set_num_threads(1)
    with connected(torch.device("cpu")) as world:
        kinds = {"whole copies": False, "shares": True}
        found = {
            name: train_shared(world, shard=shard) for name, shard in kinds.items()
        }
        if world.is_writer:
            torch.save(found, path)
        world.wait()
