"""What a model needs to learn digits: many, some that are moved, or convolutions.

The trainings take minutes; `python -m chapters.beyond_words.few` writes their file.
"""

from functools import partial

from chapters.beyond_words import encoders
from chapters.beyond_words.digits import digits
from chapters.beyond_words.encoders import moved, new_convolutions, new_encoder
from chapters.laboratory.study import Study

COUNTS = (100, 1200)
coarse = partial(new_encoder, patch_size=4)
# What learns, and what is done to each image before it is shown.
WAYS = {
    "": (coarse, None),
    ", moved": (coarse, moved),
    ", convolutions": (new_convolutions, None),
}
KINDS = {
    f"{count} images{how}": (count, *way)
    for count in COUNTS
    for how, way in WAYS.items()
}


def measured(variant: str, learning_rate: float, steps: int, seed: int) -> dict:
    """Train one model, and return what `encoders.measured` does but for "known"."""
    count, new_model, change = KINDS[variant]
    options = {"learning_rate": learning_rate, "steps": steps, "change": change}
    learned = digits().learned.first(count)
    found = encoders.measured(new_model, learned, seed=seed, **options)
    return {field: found[field] for field in ("validation", "loss", "right")}


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
