"""What positions are worth to an encoder of digits, in order and out of order.

The trainings take minutes; `python -m chapters.beyond_words.positions` writes their
file.
"""

import torch

from chapters.beyond_words.digits import Digits, digits
from chapters.beyond_words.encoders import judged, learn, new_encoder, rearranged
from chapters.laboratory.fit import same_numbers
from chapters.laboratory.study import Study

PATCHES = 16
# The kind of positions, and whether all images have their patches in another order.
KINDS = {
    "none": ("none", False),
    "learned": ("learned", False),
    "row and column": ("rotary", False),
    "row and column, out of order": ("rotary", True),
}


def out_of_order(part: Digits) -> Digits:
    """Return images whose patches stand in another order, one for all images."""
    generator = torch.Generator("cpu").manual_seed(0)
    order = torch.randperm(PATCHES, generator=generator, device="cpu")
    return Digits(rearranged(order)(part.images), part.labels)


def measured(variant: str, learning_rate: float, steps: int, seed: int) -> dict:
    """Train one encoder.

    Returns:
        The loss on the part that chooses the rate ("validation"), and on the digits
        that test it the loss ("loss") and the share of right answers ("right").
    """
    position, mixed = KINDS[variant]
    parts = [out_of_order(part) if mixed else part for part in digits()]
    with same_numbers(seed):
        model = new_encoder(position=position)
        learn(model, parts[0], steps=steps, learning_rate=learning_rate)
    (validation, _), (loss, right) = judged(model, parts[1]), judged(model, parts[2])
    return {"validation": validation, "loss": loss, "right": right}


STUDY = Study(
    "beyond_words",
    "positions",
    train=measured,
    variants=tuple(KINDS),
    rates=(1e-3, 3e-3, 1e-2),
    budgets=(60, 300),
)


if __name__ == "__main__":
    STUDY.run()
