"""The number of heads in a language model whose number of parameters stays."""

from chapters.laboratory.language_model import train_and_measure
from chapters.laboratory.study import Study

# By name the number of heads that share the 64 features.
VARIANTS = {
    "1 head": 1,
    "2 heads": 2,
    "4 heads": 4,
    "8 heads": 8,
    "16 heads": 16,
}


def measured(variant: str, learning_rate: float, steps: int, seed: int) -> dict:
    """Train the language model of the book, and return what `train_and_measure` does.

    Args:
        variant: A name of `VARIANTS`.
        learning_rate: The highest learning rate.
        steps: Training steps.
        seed: Seed of the parameters and of the windows.
    """
    options = {"learning_rate": learning_rate, "steps": steps, "seed": seed}
    return train_and_measure(num_heads=VARIANTS[variant], **options)


STUDY = Study(
    "multi_head_attention",
    "number_of_heads",
    train=measured,
    variants=tuple(VARIANTS),
    rates=(3e-3, 1e-2, 3e-2),
    seeds=(0, 1, 2, 3, 4),
)


if __name__ == "__main__":
    STUDY.run()
