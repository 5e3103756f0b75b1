"""Three sizes of model with two budgets: which size suits which budget?

`python -m chapters.language_model.scaling` takes about five minutes of one core. A
budget is a number of operations, so a larger model sees less text.
"""

from dataclasses import replace

from chapters.laboratory.measurements import Measurements
from chapters.language_model.recipe import Recipe
from chapters.language_model.small_runs import measure_all, steps_for

MEASUREMENTS = Measurements("language_model", "scaling")
BASE = Recipe(batch_size=8)
SIZES = {
    "small": {"d_model": 64, "d_ff": 176, "num_layers": 2, "num_heads": 2},
    "middle": {"d_model": 128, "d_ff": 352, "num_layers": 3, "num_heads": 4},
    "large": {"d_model": 192, "d_ff": 512, "num_layers": 4, "num_heads": 6},
}
BUDGETS = (1e12, 3e12)  # operations


def recipes() -> list[Recipe]:
    """Return a recipe for each size and budget."""
    models = [replace(BASE, **size) for size in SIZES.values()]
    return [
        replace(model, steps=steps_for(model, flops=budget))
        for budget in BUDGETS
        for model in models
    ]


if __name__ == "__main__":
    measure_all(MEASUREMENTS, recipes())
