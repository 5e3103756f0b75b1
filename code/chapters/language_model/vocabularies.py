"""Letters, 512 pieces or 2,048, with the same number of operations.

`python -m chapters.language_model.vocabularies` takes about ten minutes of one core.
A window holds as many tokens in each, so with letters it holds less text.
"""

from dataclasses import replace

from chapters.laboratory.measurements import Measurements
from chapters.language_model.recipe import Recipe
from chapters.language_model.small_runs import measure_all, steps_for

MEASUREMENTS = Measurements("language_model", "vocabularies")
BASE = Recipe(batch_size=8)
SIZES = (0, 512, 2048)  # 0: letters
BUDGET = 1.2e13  # operations


def recipes() -> list[Recipe]:
    """Return a recipe for each vocabulary."""
    models = [replace(BASE, vocab_size=size) for size in SIZES]
    return [replace(x, steps=steps_for(x, flops=BUDGET)) for x in models]


if __name__ == "__main__":
    measure_all(MEASUREMENTS, recipes())
