"""The short trainings that chose how the book's own model learns.

`python -m chapters.language_model.trials` takes about twelve minutes of one core. Each
sees 0.8 of an epoch; the validation books judge. AdamW has been tried at one rate only,
so these rows do not tell by how much Muon is better.
"""

from dataclasses import replace

from chapters.laboratory.measurements import Measurements
from chapters.language_model.recipe import Recipe
from chapters.language_model.small_runs import measure_all

MEASUREMENTS = Measurements("language_model", "trials")
BASE = Recipe(steps=200)
RECIPES = (
    *(replace(BASE, learning_rate=rate) for rate in (5e-3, 1e-2, 2e-2)),
    replace(BASE, optimizer="AdamW", learning_rate=3e-3),
    replace(BASE, learning_rate=5e-3, batch_size=8, width=512),
)

if __name__ == "__main__":
    measure_all(MEASUREMENTS, RECIPES)
