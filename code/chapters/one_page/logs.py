"""What two machines print on the way: the file, and the file without its causal mask.

Their trainings take half a minute, so the chapter reads the logs from a file that
`python -m chapters.one_page.logs` writes.
"""

import torch

from chapters.laboratory.measurements import Measurements
from chapters.one_page.changes import changed, record

MEASUREMENTS = Measurements("one_page", "logs")
STEPS = 300
MACHINES = {
    "as it is": (),
    "unmasked": (("allowed.tril().bool()", "allowed.bool()"),),
}


def measured(machine: str, steps: int = STEPS) -> dict:
    """Train one of `MACHINES`; return what it prints in every tenth step.

    Returns:
        The "machine", and a list each of "steps", "losses" and "texts".
    """
    log = record(changed(*MACHINES[machine]), steps)
    losses, texts = zip(*log.values(), strict=True)
    return {"machine": machine, "steps": [*log], "losses": losses, "texts": texts}


def read_logs() -> dict[str, dict[int, tuple[float, str]]]:
    """Return for each machine loss and text of each step, as `record` does."""
    return {
        row["machine"]: {
            step: (loss, text)
            for step, loss, text in zip(
                row["steps"], row["losses"], row["texts"], strict=True
            )
        }
        for row in MEASUREMENTS.read()
    }


if __name__ == "__main__":
    torch.set_default_dtype(torch.float64)  # as the book computes
    torch.set_num_threads(1)
    MEASUREMENTS.write([measured(machine) for machine in MACHINES])
