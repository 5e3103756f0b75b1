"""What a model needs to learn digits: many, some that are moved, or convolutions.

The trainings take minutes; `python -m chapters.beyond_words.few` writes their file.
"""

from chapters.beyond_words import encoders
from chapters.beyond_words.digits import digits
from chapters.beyond_words.encoders import moved, new_convolutions, new_encoder
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
    """Train one model, and return what `encoders.measured` does."""
    count, new_model, change = KINDS[variant]
    options = {"learning_rate": learning_rate, "steps": steps, "change": change}
    return encoders.measured(
        new_model, digits().learned.first(count), seed=seed, **options
    )


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
