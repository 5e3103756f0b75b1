"""Language models of several depths, without skips and without norms.

The trainings take minutes, so the chapter reads their results from a file that
`python -m chapters.residual_connections.depths` writes.
"""

from collections.abc import Mapping

from chapters.laboratory.changed_models import CHANGES
from chapters.laboratory.language_model import (
    nats,
    train_for_study,
    validation_nats,
)
from chapters.laboratory.study import Study

# The layers of each variant, and what is taken from them.
VARIANTS: Mapping[str, tuple[int, str]] = {
    "2 layers": (2, "all"),
    "2 layers, no skips": (2, "no skips"),
    "6 layers": (6, "all"),
    "6 layers, no skips": (6, "no skips"),
    "12 layers": (12, "all"),
    "12 layers, no norms": (12, "no norms"),
}


def measured(variant: str, *, steps: int, **setting: float) -> dict[str, float]:
    """Train one model, whole or with a part taken out.

    Args:
        variant: A name of `VARIANTS`.
        steps: Training steps, the first eighth of them warm-up.
        **setting: The learning rate and the seed.

    Returns:
        "validation" and "nats", the cross-entropy on validation and on test text;
        "train", the mean training loss of the last tenth of the steps; "highest", the
        highest training loss.
    """
    layers, part = VARIANTS[variant]
    done = train_for_study(
        steps=steps,
        num_decoder_layers=layers,
        change=CHANGES[part],
        **setting,
    )
    last = done.losses[-steps // 10 :]
    return {
        "validation": validation_nats(done),
        "nats": nats(done.model),
        "train": sum(last) / len(last),
        "highest": max(done.losses),
    }


STUDY = Study(
    "residual_connections",
    "depths",
    train=measured,
    variants=tuple(VARIANTS),
    budgets=(50, 200),
)


if __name__ == "__main__":
    STUDY.run()
