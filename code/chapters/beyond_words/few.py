"""What a model needs to learn digits: many, some that are moved, or convolutions.

The trainings take minutes; `python -m chapters.beyond_words.few` writes their file.
"""

from chapters.beyond_words.digits import digits
from chapters.beyond_words.encoders import (
    judged,
    learn,
    moved,
    new_convolutions,
    new_encoder,
)
from chapters.laboratory.fit import same_numbers
from chapters.laboratory.study import Study

COUNTS = (100, 1200)
# What learns, and what is done to each image before it is shown.
WAYS = {
    "": (new_encoder, None),
    ", moved": (new_encoder, moved),
    ", convolutions": (new_convolutions, None),
}
KINDS = {
    f"{count} images{how}": (count, *way)
    for count in COUNTS
    for how, way in WAYS.items()
}


def measured(variant: str, learning_rate: float, steps: int, seed: int) -> dict:
    """Train one model.

    Returns:
        The loss on the part that chooses the rate ("validation"), and on the digits
        that test it the loss ("loss") and the share of right answers ("right").
    """
    count, new_model, change = KINDS[variant]
    split = digits()
    with same_numbers(seed):
        model = new_model()
        learn(
            model,
            split.learned.first(count),
            steps=steps,
            learning_rate=learning_rate,
            change=change,
        )
    (validation, _), (loss, right) = (
        judged(model, split.chooses),
        judged(model, split.tested),
    )
    return {"validation": validation, "loss": loss, "right": right}


STUDY = Study(
    "beyond_words",
    "few",
    train=measured,
    variants=tuple(KINDS),
    rates=(1e-3, 3e-3, 1e-2),
    budgets=(100, 400),
)


if __name__ == "__main__":
    STUDY.run()
