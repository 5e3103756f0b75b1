"""The number of heads in a language model whose number of parameters stays.

With rotary positions the heads share 32 planes, so that many heads have few each. With
sinusoids, which are added before the first layer, only the number of heads changes.
"""

from collections.abc import Mapping

from chapters.laboratory.language_model import train_and_measure
from chapters.laboratory.study import Study

SINUSOIDS = {"position": "sinusoidal", "scale_embeddings": True}
# By name the number of heads that share the 64 features, and how positions are told.
VARIANTS: Mapping[str, Mapping] = {
    "1 head": {"num_heads": 1},
    "2 heads": {"num_heads": 2},
    "4 heads": {"num_heads": 4},
    "8 heads": {"num_heads": 8},
    "16 heads": {"num_heads": 16},
    "1 head, sinusoids": {"num_heads": 1} | SINUSOIDS,
    "4 heads, sinusoids": {"num_heads": 4} | SINUSOIDS,
    "16 heads, sinusoids": {"num_heads": 16} | SINUSOIDS,
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
    return train_and_measure(**VARIANTS[variant], **options)


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
