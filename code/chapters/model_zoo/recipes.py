"""Five recipes of Transformers, compared in one small language model.

They start alike: tokens with vectors of size 1, a root mean square, and positions that
are added with the size of the sinusoids, 0.7. So a model that rotates and one that adds
differ in nothing else.
"""

from collections.abc import Mapping

from chapters.laboratory.language_model import LENGTH, train_and_measure
from chapters.laboratory.positions import widen_table
from chapters.laboratory.study import Study

# All start from the same initialization: theirs fit widths ten times ours.
VASWANI = {
    "position": "sinusoidal",
    "norm_placement": "post",
    "final_norm": False,
    "tie_embeddings": True,
}
LLAMA = {
    "position": "rotary",
    "norm": "rms",
    "activation": "silu",
    "gated": True,
    "d_ff": 171,  # two thirds of 256: three matrices instead of two
    "bias": False,
}
RECIPES: Mapping[str, Mapping] = {
    "2017": VASWANI,
    "GPT-2 style": {
        "position": "learned",
        "max_len": LENGTH,
        "activation": "gelu_tanh",
        "attention_bias": True,
        "tie_embeddings": True,
        "change": widen_table,
    },
    "Llama style": LLAMA,
    "2017 with RoPE": VASWANI | {"position": "rotary"},
    "Llama with sinusoids": LLAMA | {"position": "sinusoidal"},
}


def measured(variant: str, learning_rate: float, steps: int, seed: int) -> dict:
    """Train one model by a recipe, and return what `train_and_measure` does."""
    return train_and_measure(
        steps=steps,
        learning_rate=learning_rate,
        seed=seed,
        scale_embeddings=True,
        **RECIPES[variant],
    )


STUDY = Study(
    "model_zoo",
    "recipes",
    train=measured,
    variants=tuple(RECIPES),
    rates=(3e-3, 1e-2, 3e-2),
)


if __name__ == "__main__":
    STUDY.run()
