"""The tiny model that has read the web of sums, as a file beside this module.

It is trained once, in twenty seconds; `python -m chapters.manners.reader` writes it.
"""

import json
from base64 import b64decode, b64encode
from pathlib import Path

import numpy as np
import torch
from torch import nn

from chapters.manners.sums import read_the_web, tiny_model

FILE = Path(__file__).with_name("reader.json")
SEED = 0


def write(model: nn.Module) -> None:
    """Write the weights of a model, in 16 bits each."""
    state = {
        name: b64encode(weight.half().numpy().tobytes()).decode()
        for name, weight in model.state_dict().items()
    }
    content = {"command": "python -m chapters.manners.reader", "float16": state}
    FILE.write_text(json.dumps(content, indent=0) + "\n", encoding="utf-8")


def reader() -> nn.Module:
    """Return the model in float32, a new one at each call."""
    model = tiny_model(SEED)
    stored = json.loads(FILE.read_text(encoding="utf-8"))["float16"]
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
