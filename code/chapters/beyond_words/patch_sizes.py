"""What the size of a patch is worth to an encoder of digits.

The trainings take minutes; `python -m chapters.beyond_words.patch_sizes` writes their
file.
"""

from functools import partial

from chapters.beyond_words import encoders
from chapters.beyond_words.digits import digits
from chapters.laboratory.study import Study

SIDES = {"2 by 2": 2, "4 by 4": 4, "8 by 8": 8}


def measured(variant: str, learning_rate: float, steps: int, seed: int) -> dict:
    """Train one encoder, and return what `encoders.measured` does."""
    options = {"learning_rate": learning_rate, "steps": steps, "seed": seed}
    new_model = partial(encoders.new_encoder, patch_size=SIDES[variant])
    return encoders.measured(new_model, digits().learned, **options)


STUDY = Study(
    "beyond_words",
    "patch_sizes",
    train=measured,
    variants=tuple(SIDES),
    rates=(1e-3, 3e-3, 1e-2),
    budgets=(150, 600),
)


if __name__ == "__main__":
    STUDY.run()
