"""What SmolLM2 loses when the matrices of its layers are rounded to few bits.

Each rounding takes seconds, so the chapter reads the losses from a file that
`python -m chapters.cost_and_scale.roundings` writes, and measures one of them again.
"""

from collections.abc import Sequence

import torch
from torch import nn

from chapters.cost_and_scale.fewer_bits import mean_loss
from chapters.laboratory.measurements import Measurements
from chapters.laboratory.real_model import open_model
from chapters.laboratory.rounding import rounded_weights
from transformer.zoo import LanguageModel

MEASUREMENTS = Measurements("cost_and_scale", "roundings")
# Bits for each weight, and how many neighbors share a step; a whole row if none.
ROUNDINGS = ((8, None), (4, None), (4, 32), (3, 32), (2, 32))
TEXTS = (
    "Water boils when its vapor pressure equals the pressure of the air around it. "
    "On a high mountain the air is thinner, so water boils at a lower temperature.",
    "The old lighthouse keeper climbed the stairs every evening to light the lamp. "
    "From the top he could see the fishing boats coming home.",
    "In the year 1905 a clerk in the patent office at Bern wrote four papers that "
    "changed physics. None of them was longer than thirty pages.",
)


def rounded_loss(
    model: nn.Module, texts: Sequence[Sequence[int]], bits: int, block: int | None
) -> float:
    """Return the mean loss of some texts with the matrices of the layers rounded.

    Args:
        model: A decoder-only language model.
        texts: Ids; the first of each is only read.
        bits: How many for each weight.
        block: How many neighbors share a step; a whole row when there is no number.
    """
    device = next(model.parameters()).device
    with rounded_weights(model, bits, block=block), device:
        return mean_loss(model, texts)


def measured(smollm: LanguageModel) -> list[dict]:
    """Return the loss on `TEXTS` after each of `ROUNDINGS`."""
    texts = [smollm.tokenizer.encode(text) for text in TEXTS]
    return [
        {"bits": n, "block": m, "nats": rounded_loss(smollm.model, texts, n, m)}
        for n, m in ROUNDINGS
    ]


def stored() -> dict[tuple[int, int | None], float]:
    """Return the loss after each of `ROUNDINGS`, from the file."""
    return {(row["bits"], row["block"]): row["nats"] for row in MEASUREMENTS.read()}


if __name__ == "__main__":
    torch.set_num_threads(1)
    MEASUREMENTS.write(measured(open_model("smollm2-135m")))
