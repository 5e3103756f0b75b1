"""Cost and scale: seconds of attention, one budget spent in four ways, two processes.

The timings and trainings take minutes, so the chapter reads them from a file that
`python -m chapters.cost_and_scale.experiments` writes, and repeats a few.
"""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
import torch.nn.functional as F

from chapters.laboratory.fit import same_numbers
from chapters.laboratory.language_model import (
    BATCH,
    DEFAULTS,
    LENGTH,
    VOCAB_SIZE,
    nats,
    train_language_model,
)
from chapters.laboratory.measurements import Measurements, measure_all, seconds_in_turn
from transformer.config import TransformerConfig
from transformer.costs import training_flops
from transformer.layers import PositionwiseFeedForward, scaled_dot_product_attention
from transformer.models import DecoderOnlyTransformer
from transformer.training.world import World, connected, distribute

MEASUREMENTS = Measurements("cost_and_scale")
LENGTHS = (256, 512, 1024, 2048, 4096)
D_MODEL, HEADS = 256, 4  # of what is timed
WIDTHS = (16, 32, 64, 128)
SEEDS = (0, 1, 2)
BUDGET_STEPS = 120  # of the model of width 64 in the budget of all


def timed(length: int, *, rounds: int = 5) -> dict[str, float]:
    """Return milliseconds of attention, fused and by formula, and of the network.

    On the CPU in float32, without gradients; the best of a few rounds.

    Args:
        length: Number of positions.
        rounds: How often each is timed.
    """
    shape = (1, HEADS, length, D_MODEL // HEADS)
    with torch.device("cpu"), torch.inference_mode():
        q, k, v = (torch.randn(shape, dtype=torch.float32) for _ in range(3))
        network = PositionwiseFeedForward(D_MODEL, 4 * D_MODEL).float()
        x = torch.randn(1, length, D_MODEL, dtype=torch.float32)
        calls = {
            "fused": lambda: scaled_dot_product_attention(q, k, v, need_weights=False),
            "formula": lambda: scaled_dot_product_attention(q, k, v),
            "network": lambda: network(x),
        }
        seconds = seconds_in_turn(calls, rounds=rounds)
    return {name: 1000 * second for name, second in seconds.items()}


def sized(width: int) -> dict[str, int]:
    """Return the fields of a language model of this width."""
    return {"d_model": width, "d_ff": 4 * width}


def steps_for_budget(width: int, *, budget_steps: int = BUDGET_STEPS) -> int:
    """Return how many steps a width may make for what 64 features cost."""
    sizes = {"batch": BATCH, "target": LENGTH}
    cost = {
        w: training_flops(TransformerConfig(**(DEFAULTS | sized(w))), **sizes).total
        for w in (width, 64)
    }
    return round(budget_steps * cost[64] / cost[width])


def learned(width: int, seed: int, *, budget_steps: int = BUDGET_STEPS) -> dict:
    """Train a language model until the budget is spent; return what it reached."""
    steps = steps_for_budget(width, budget_steps=budget_steps)
    trained = train_language_model(
        seed=seed, steps=steps, warm_up=max(1, steps // 10), **sized(width)
    )
    return {"steps": steps, "nats": nats(trained.model)}


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
        subprocess.run(
            [*torchrun, *worker, "share", str(path)], check=True, capture_output=True
        )
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


def measure() -> list[dict]:
    """Time, then train; nothing else shall run while time is measured."""
    torch.set_num_threads(1)
    times = [{"length": length, **timed(length)} for length in LENGTHS]
    settings = [{"width": width, "seed": seed} for width in WIDTHS for seed in SEEDS]
    return times + measure_all(learned, settings)


if __name__ == "__main__":
    if sys.argv[1:2] == ["share"]:
        share(sys.argv[2])
    else:
        MEASUREMENTS.write(measure(), budget_steps=BUDGET_STEPS)
