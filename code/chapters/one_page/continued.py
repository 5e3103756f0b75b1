"""The language model that is left when lines are deleted: its log, and where it looks.

Its training takes a quarter of a minute, so the chapter reads both from a file that
`python -m chapters.one_page.continued` writes.
"""

import torch

from chapters.laboratory.measurements import Measurements
from chapters.one_page.changes import DECODER_ONLY, changed, watched
from chapters.one_page.looks import continued_weights

MEASUREMENTS = Measurements("one_page", "continued")
STEPS, WORD, LAYER = 300, "cabbage", 2


def measured(steps: int = STEPS) -> dict:
    """Train the model that only continues.

    Args:
        steps: How many steps.

    Returns:
        A list each of "steps", "losses" and "texts", every tenth step; what is "read"
        and "written" when it continues `WORD`, and the "weights" of `LAYER`, the mean
        of its heads.
    """
    machine = changed(*DECODER_ONLY)
    log, model = watched(machine, steps)
    losses, texts = zip(*log.values(), strict=True)
    read, written, layers = continued_weights(machine, model, WORD)
    return {
        "steps": [*log],
        "losses": losses,
        "texts": texts,
        "read": read,
        "written": written,
        "weights": layers[LAYER - 1].mean(dim=0).tolist(),
    }


def read_log() -> dict[int, tuple[float, str]]:
    """Return loss and text of each step, from the file."""
    (row,) = MEASUREMENTS.read()
    pairs = zip(row["losses"], row["texts"], strict=True)
    return dict(zip(row["steps"], pairs, strict=True))


if __name__ == "__main__":
    torch.set_default_dtype(torch.float64)  # as the book computes
    torch.set_num_threads(1)
    MEASUREMENTS.write([measured()])
