"""A learned table of positions that starts small, and one that starts at a fair size.

`python -m chapters.small_models.whisper` trains the translator of number words with
each, and with sinusoids, which takes some minutes.
"""

from chapters.laboratory.positions import widen_table
from chapters.laboratory.study import Study
from chapters.laboratory.translator import (
    numbers,
    scores,
    share_right,
    train_translator,
)
from transformer.models import count_parameters

HALF = 500  # of the pairs that are held out: the first choose the rate, the others test
VARIANTS = {
    "sinusoids": {"position": "sinusoidal"},
    "whisper": {"position": "learned"},  # its table starts at 0.02
    "voice": {"position": "learned", "change": widen_table},
}


def measured(variant: str, learning_rate: float, steps: int, seed: int) -> dict:
    """Train one translator.

    Args:
        variant: A key of `VARIANTS`.
        learning_rate: The highest learning rate.
        steps: Number of training steps.
        seed: Seed of the parameters and of the order of the pairs.

    Returns:
        "validation", the cross-entropy of a word in the first held-out numbers;
        "right", the share of the others that is translated without a fault; and
        "parameters".
    """
    done = train_translator(
        seed=seed, steps=steps, learning_rate=learning_rate, **VARIANTS[variant]
    )
    task = numbers()
    return {
        "validation": scores(done.model, task.held_out[:HALF]).cross_entropy,
        "right": share_right(done.model, task.splits.test[HALF:]),
        "parameters": count_parameters(done.model),
    }


STUDY = Study("small_models", "whisper", train=measured, variants=tuple(VARIANTS))


if __name__ == "__main__":
    STUDY.run()
