"""The biases that a T5 bias of the study has learned, one for each bucket and head.

`python -m chapters.field_guide.learned_bias` trains it again and writes the file.
"""

import torch

from chapters.laboratory import positions
from chapters.laboratory.language_model import nats
from chapters.laboratory.measurements import Measurements
from transformer.layers import RelativePositionBias

MEASUREMENTS = Measurements("field_guide", "learned_bias")
NAME, STEPS, SEED = "relative", 200, 0


def measured(steps: int = STEPS) -> tuple[list[dict], float]:
    """Train at the best rate of the study.

    Args:
        steps: How many steps.

    Returns:
        A row for each head with the "biases" of all buckets, and the loss in nats.
    """
    rate = positions.STUDY.best_rate(NAME, STEPS)
    model, _ = positions.train(NAME, seed=SEED, steps=steps, learning_rate=rate)
    (bias,) = (m for m in model.modules() if isinstance(m, RelativePositionBias))
    table = bias.embedding.weight.T.tolist()  # a row for each head
    rows = [{"head": n, "biases": biases} for n, biases in enumerate(table, start=1)]
    return rows, nats(model)


if __name__ == "__main__":
    torch.set_num_threads(1)
    found, loss = measured()
    MEASUREMENTS.write(found, nats=loss)
