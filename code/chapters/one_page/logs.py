"""What some machines print on the way: the file, and the file with other lines.

Their trainings take minutes, so the chapter reads the logs from a file that
`python -m chapters.one_page.logs` writes; of three of them it repeats the beginning.
"""

import torch

from chapters.laboratory.measurements import Measurements
from chapters.one_page.changes import NORM_FIRST, changed, watched

MEASUREMENTS = Measurements("one_page", "logs")
STEPS = 300
MACHINES = {
    "as it is": (),
    "scrambled": (("mixed.transpose(1, 2).flatten(2)", "mixed.reshape(x.shape)"),),
    "no scale": ((" / query.size(-1) ** 0.5", ""),),
    "unmasked": (("allowed.tril().bool()", "allowed.bool()"),),
    "no position": (("return x + sinusoids(x.size(1), x.size(2)).to(x)", "return x"),),
    "no root": (("x = x * x.size(-1) ** 0.5", ""),),
    "no residual": (
        (
            "x = self.norm_2(x + self.cross_attention(x, memory, not_pad))",
            "x = self.norm_2(self.cross_attention(x, memory, not_pad))",
        ),
    ),
    "norm first": NORM_FIRST,
    "sorted": (("= word.flip(0)", "= word.sort().values"),),
}
# How long the others are trained, where that is not `STEPS`.
FEWER = {
    "no scale": 200,
    "no position": 200,
    "no root": 50,
    "no residual": 50,
    "norm first": 100,
    "sorted": 100,
}
ANAGRAMS = ("deaf", "fade")


def measured(machine: str, steps: int | None = None) -> dict:
    """Train one of `MACHINES`; return what it prints in every tenth step.

    Args:
        machine: Its name.
        steps: How long; as in the file if not given.

    Returns:
        The "machine", a list each of "steps", "losses" and "texts", and what it writes
        in the end for each of `ANAGRAMS`.
    """
    steps = FEWER.get(machine, STEPS) if steps is None else steps
    module = changed(*MACHINES[machine])
    log, model = watched(module, steps)
    losses, texts = zip(*log.values(), strict=True)
    found = {"machine": machine, "steps": [*log], "losses": losses, "texts": texts}
    return found | {"anagrams": [module.write(model, word) for word in ANAGRAMS]}


def read_anagrams(machine: str) -> dict[str, str]:
    """Return what a machine writes in the end for each of `ANAGRAMS`, from the file."""
    (row,) = (row for row in MEASUREMENTS.read() if row["machine"] == machine)
    return dict(zip(ANAGRAMS, row["anagrams"], strict=True))


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
