"""A reward that only looks whether the right number stands somewhere in an answer.

The tiny model learns by it to give two answers. Three trainings take two minutes;
`python -m chapters.manners.gamed` writes their file.
"""

from collections.abc import Iterator, Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from chapters.laboratory.measurements import Measurements
from chapters.manners.reader import reader
from chapters.manners.rewarding import judged, learn
from chapters.manners.sums import sums

MEASUREMENTS = Measurements("manners", "gamed")
RUNS, PARTS, STEPS, RATE = 3, 6, 10, 1e-3  # trainings, parts of each, steps of a part
ASKED = 100  # sums that the counts are of
FIELDS = {"earns the reward": "mentions", "is right": "right"}
FIELDS |= {"gives two answers": "both"}


def course(run: int, parts: int = PARTS) -> Iterator[dict]:
    """Yield what a training counts at its start and behind each part.

    Args:
        run: Its number, which each part makes another seed of.
        parts: How many.
    """
    model = reader().double()  # so that all processors draw the same answers
    for part in range(parts + 1):
        if part:
            seed = PARTS * run + part
            way = {"learning_rate": RATE, "steps": STEPS, "seed": seed}
            learn("careless check", model, **way)
        found = judged(model, sums()[1][:ASKED], seed=1)
        counts = {field: found[field] for field in FIELDS.values()}
        yield {"run": run, "step": STEPS * part} | counts


def courses(rows: Sequence[dict]) -> dict[str, Float[Tensor, "runs places"]]:
    """Return for each thing that is counted its courses, a row for each training."""
    return {
        name: torch.tensor([row[field] for row in rows]).view(RUNS, -1)
        for name, field in FIELDS.items()
    }


if __name__ == "__main__":
    torch.set_num_threads(1)
    MEASUREMENTS.write([row for run in range(RUNS) for row in course(run)], rate=RATE)
