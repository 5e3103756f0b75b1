"""Two processes that share a batch, and what they learn."""

import subprocess
import sys
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
    """Train in several processes on the CPU; return what the first one ended with."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "learned.pt")
        torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
        worker = ["--nproc-per-node", str(processes), "-m", __spec__.name]
        subprocess.run([*torchrun, *worker, str(path)], check=True, capture_output=True)
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


if __name__ == "__main__":
    share(sys.argv[1])
