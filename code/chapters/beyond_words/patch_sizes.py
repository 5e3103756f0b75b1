"""What the size of a patch is worth to an encoder of digits.

The trainings take minutes; `python -m chapters.beyond_words.patch_sizes` writes their
file.
"""

from chapters.beyond_words.digits import digits
from chapters.beyond_words.encoders import judged, learn, new_encoder
from chapters.laboratory.fit import same_numbers
from chapters.laboratory.study import Study

SIDES = {"2 by 2": 2, "4 by 4": 4, "8 by 8": 8}


def measured(variant: str, learning_rate: float, steps: int, seed: int) -> dict:
    """Train one encoder.

    Returns:
        The loss on the part that chooses the rate ("validation"), and on the digits
        that test it the loss ("loss") and the share of right answers ("right").
    """
    split = digits()
    with same_numbers(seed):
        model = new_encoder(patch_size=SIDES[variant])
        learn(model, split.learned, steps=steps, learning_rate=learning_rate)
    (validation, _), (loss, right) = (
        judged(model, split.chooses),
        judged(model, split.tested),
    )
    return {"validation": validation, "loss": loss, "right": right}


STUDY = Study(
    "beyond_words",
    "patch_sizes",
    train=measured,
    variants=tuple(SIDES),
    rates=(1e-3, 3e-3, 1e-2),
    budgets=(60, 300),
)


if __name__ == "__main__":
    STUDY.run()
