"""The tiny model that has read the web of sums, as a file beside this module.

It is trained once, in twenty seconds; `python -m chapters.manners.reader` writes it.
"""

from base64 import b64decode, b64encode

import numpy as np
import torch
from torch import nn

from chapters.laboratory.measurements import Measurements
from chapters.manners.sums import read_the_web, tiny_model

MEASUREMENTS = Measurements("manners", "reader")
SEED = 0


def write(model: nn.Module) -> None:
    """Write the weights of a model, in 16 bits each."""
    MEASUREMENTS.write(
        [
            {
                "name": name,
                "float16": b64encode(weight.half().numpy().tobytes()).decode(),
            }
            for name, weight in model.state_dict().items()
        ]
    )


def reader() -> nn.Module:
    """Return the model in float32, a new one at each call."""
    model = tiny_model(SEED)
    stored = {row["name"]: row["float16"] for row in MEASUREMENTS.read()}
    state = {
        name: torch.tensor(
            np.frombuffer(b64decode(stored[name]), dtype=np.float16).copy()
        ).view(weight.shape)
        for name, weight in model.state_dict().items()
    }
    model.load_state_dict(state)
    return model.eval()


if __name__ == "__main__":
    torch.set_num_threads(1)
    write(read_the_web(SEED))
