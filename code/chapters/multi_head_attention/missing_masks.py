"""Letters written backward by models that lack a mask."""

from chapters.laboratory.reversal import (
    EXTRA,
    exact_match,
    halves,
    held_out_loss,
    train,
)
from chapters.laboratory.study import Study

# By name what the model lacks.
VARIANTS = {
    "both masks": "none",
    "no causal mask": "causal",
    "no padding mask": "padding",
}


def measured(variant: str, learning_rate: float, steps: int, seed: int) -> dict:
    """Train a model as `reversal.train` does, and let it write.

    Returns:
        "validation", the loss that chooses the rate; on other rows "loss", and for
        each number of `EXTRA` columns of padding the share that is written right,
        "0", "2" and so on. The losses are in nats per token.
    """
    options = {"learning_rate": learning_rate, "steps": steps, "seed": seed}
    model, _, held_out = train(missing=VARIANTS[variant], **options)
    chooses, tests = halves(held_out)
    return {
        "validation": held_out_loss(model, chooses),
        "loss": held_out_loss(model, tests),
        **{str(extra): exact_match(model, tests, extra) for extra in EXTRA},
    }


STUDY = Study(
    "multi_head_attention",
    "missing_masks",
    train=measured,
    variants=tuple(VARIANTS),
    budgets=(250, 1000),
)


if __name__ == "__main__":
    STUDY.run()
