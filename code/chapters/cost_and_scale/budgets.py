"""One budget of computing, spent by language models of four widths.

A budget is what so many steps of the width 64 cost; a narrower model makes more steps
of it, a wider one fewer. Tokens start with vectors of size 1, a root mean square, in
every width.
"""

from chapters.laboratory.language_model import (
    BATCH,
    DEFAULTS,
    LENGTH,
    train_and_measure,
)
from chapters.laboratory.study import Study
from transformer.config import TransformerConfig
from transformer.costs import training_flops

WIDTHS = (16, 32, 64, 128)
OF_BUDGET = 64  # the width whose steps a budget counts


def sized(width: int) -> dict[str, int]:
    """Return the fields of a language model of this width."""
    return {"d_model": width, "d_ff": 4 * width}


def steps_for_budget(width: int, budget: int) -> int:
    """Return how many steps a width may make.

    Args:
        width: Features of the model.
        budget: Steps that 64 features could make.
    """
    sizes = {"batch": BATCH, "target": LENGTH}
    cost = {
        w: training_flops(TransformerConfig(**(DEFAULTS | sized(w))), **sizes).total
        for w in (width, OF_BUDGET)
    }
    return round(budget * cost[OF_BUDGET] / cost[width])


def name_of(width: int) -> str:
    """Return what the variant of a width is called."""
    return f"width {width}"


VARIANTS = {name_of(width): width for width in WIDTHS}


def measured(variant: str, learning_rate: float, steps: int, seed: int) -> dict:
    """Train one width until a budget is spent, as `train_and_measure` does.

    Args:
        variant: One of `VARIANTS`.
        learning_rate: The highest learning rate.
        steps: The budget, in steps of 64 features.
        seed: Seed of the parameters and of the windows.
    """
    width = VARIANTS[variant]
    return train_and_measure(
        steps=steps_for_budget(width, steps),
        learning_rate=learning_rate,
        seed=seed,
        scale_embeddings=True,
        **sized(width),
    )


STUDY = Study(
    "cost_and_scale",
    "budgets",
    train=measured,
    variants=tuple(VARIANTS),
    rates=(3e-3, 1e-2, 3e-2),
    budgets=(120, 480),
)


if __name__ == "__main__":
    STUDY.run()
