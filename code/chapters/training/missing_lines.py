"""The training loop of the chapter with one of its lines missing: what does it log?

Each training is the same but for that line: the translator of numbers below 10,000,
with dropout, 60 steps, in float64. The chapter reads the logs from a file that
`python -m chapters.training.missing_lines` writes.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from chapters.laboratory.fit import same_numbers
from chapters.laboratory.measurements import Measurements
from chapters.laboratory.translator import new_translator, numbers, share_right
from transformer.data import PAD_ID, Batch, TrainingBatches

MEASUREMENTS = Measurements("training", "missing_lines")
BELOW, PAIRS, STEPS, RATE = 10_000, 32, 60, 5e-3
MISSING = ("nothing", "optimizer.step()", "the shift", "model.eval()", "ignore_index")
ORDER = {"A": 2, "B": 4, "C": 1, "D": 0, "E": 3}  # which of them is whose log


def loss_of(model: nn.Module, batch: Batch, *, missing: str) -> Tensor:
    """Return the mean loss of a batch, or what it is without a line."""
    read, say = batch.target[:, :-1], batch.target[:, 1:]
    if missing == "the shift":
        say = read
    ignored = -100 if missing == "ignore_index" else PAD_ID  # no label is -100
    logits = model(batch.source, read)
    return F.cross_entropy(logits.flatten(0, 1), say.flatten(), ignore_index=ignored)


def train(missing: str, *, steps: int = STEPS) -> dict:
    """Train without one of the lines, and return what is logged.

    Args:
        missing: One of `MISSING`.
        steps: How many steps.

    Returns:
        "losses", the training loss of each step; "held out", the loss of held-out
        pairs at the end, measured twice; "right", the share of held-out numbers that
        the model writes by itself without a fault.
    """
    task = numbers(BELOW)
    model = new_translator(seed=0, below=BELOW, dropout=0.1).double()
    batches = TrainingBatches(task.learned, batch_size=PAIRS, seed=0, bucket=1)
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE, betas=(0.9, 0.98))
    losses = []
    with same_numbers(0):  # for dropout
        for step in range(steps):
            model.train()
            loss = loss_of(model, batches[step], missing=missing)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            if missing != "optimizer.step()":
                optimizer.step()
            losses.append(loss.item())
        if missing != "model.eval()":
            model.eval()
        held_out = Batch.of(task.held_out[:200])
        with torch.no_grad():
            once, twice = (
                loss_of(model, held_out, missing=missing).item() for _ in range(2)
            )
    right = share_right(model.eval(), task.splits.test[:200], below=BELOW)
    return {"losses": losses, "held out": [once, twice], "right": right}


def in_columns(log: dict) -> list[str | float]:
    """Return a log in columns: first and last losses, what is held out, the share."""
    first, *_, last = log["losses"]
    twice = " and ".join(f"{loss:.2f}" for loss in log["held out"])
    return [log["letter"], first, last, twice, log["right"]]


if __name__ == "__main__":
    rows = [{"letter": a} | train(MISSING[place]) for a, place in ORDER.items()]
    MEASUREMENTS.write(rows, steps=STEPS, learning_rate=RATE)
