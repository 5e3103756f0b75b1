"""Embeddings: how large they start, how fast they move, and what they come to mean.

The trainings take minutes, so the chapter reads their results from a file that
`python -m chapters.embeddings.experiments` writes.
"""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from chapters.laboratory.language import ALPHABET, LETTERS, VOWELS
from chapters.laboratory.language_model import language_model, train_and_measure
from chapters.laboratory.study import Study

# The std of the fresh table, and whether the model multiplies by the root of d, 8.
STARTS = {
    "0.02": {"std": 0.02, "scaled": False},
    "0.02, times 8": {"std": 0.02, "scaled": True},
    "0.16": {"std": 0.16, "scaled": False},
    "1": {"std": 1.0, "scaled": False},
    "1/8, times 8": {"std": 0.125, "scaled": True},
}


def start_with(std: float) -> Callable[[nn.Module], None]:
    """Return what gives the embedding matrix of a fresh model another size.

    The random directions stay: matrices of one seed are multiples of each other.
    """

    def change(model: nn.Module) -> None:
        weight = model.embedding.tokens.embedding.weight
        with torch.no_grad():
            weight *= std * weight.size(1) ** 0.5  # it was drawn with std d**-0.5

    return change


def start_of(variant: str) -> dict:
    """Return what a model is told to start as a key of `STARTS` says."""
    std, scaled = STARTS[variant].values()
    return {"scale_embeddings": scaled, "change": start_with(std)}


def sizes(model: nn.Module) -> Tensor:
    """Return the root mean square of each letter's vector, as the first layer gets it.

    Shape:
        (letters,), in the order of `ALPHABET`.
    """
    table = model.embedding.tokens
    vectors = table.embedding.weight.detach()[1:] * table.scale  # 0 is padding
    return vectors.square().mean(dim=1).sqrt()


def table_of(model: nn.Module) -> Tensor:
    """Return a copy of the embedding matrix of a model, in float64 on the CPU."""
    return model.embedding.tokens.embedding.weight.detach().cpu().double().clone()


def cosines(weight: Tensor) -> Tensor:
    """Return the cosine of the rows of each two letters, vowels first.

    Args:
        weight: What `table_of` returned, or the difference of two of them.

    Shape:
        (letters, letters), in the order of `ordered_letters`.
    """
    rows = [1 + ALPHABET.index(letter) for letter in ordered_letters()]
    vectors = F.normalize(weight[rows], dim=1)
    return vectors @ vectors.T


def ordered_letters() -> str:
    """Return the letters of the language, the vowels first."""
    return VOWELS + "".join(letter for letter in LETTERS if letter not in VOWELS)


def kinship(matrix: Tensor) -> dict[str, float]:
    """Return the mean cosine of two vowels, of two consonants and of one of each.

    Args:
        matrix: What `cosines` returned.
    """
    vowels = len(VOWELS)
    blocks = {
        "vowels": matrix[:vowels, :vowels],
        "consonants": matrix[vowels:, vowels:],
    }
    means = {}
    for name, block in blocks.items():
        others = ~torch.eye(len(block), dtype=torch.bool, device=block.device)
        means[name] = block[others].mean().item()  # not with itself
    return means | {"mixed": matrix[:vowels, vowels:].mean().item()}


def measured(variant: str, learning_rate: float, steps: int, seed: int) -> dict:
    """Train one model with sinusoidal positions.

    Args:
        variant: One of `STARTS`.
        learning_rate: The highest one, of all parameters.
        steps: Training steps, the first eighth of them warm-up.
        seed: Of the parameters and of the windows.

    Returns:
        What `train_and_measure` returns; the mean "size" of the letters' vectors at
        the end; "still", the ids whose vectors did not move; what `kinship` says of
        the table and, after "learned", of its difference to the fresh one; and, of
        the first seed and the last budget, all "cosines".
    """
    chosen = {"position": "sinusoidal", **start_of(variant)}
    fresh = table_of(language_model(seed=seed, **chosen))

    def look(model: nn.Module) -> dict:
        table = table_of(model)
        matrix, learned = cosines(table), kinship(cosines(table - fresh))
        row = {
            "size": sizes(model).mean().item(),
            "still": (table == fresh).all(dim=1).nonzero().flatten().tolist(),
            **kinship(matrix),
            **{f"learned {pair}": mean for pair, mean in learned.items()},
        }
        if (seed, steps) == (STUDY.seeds[0], STUDY.budgets[-1]):
            row["cosines"] = [[round(x, 2) for x in r] for r in matrix.tolist()]
        return row

    training = {"steps": steps, "learning_rate": learning_rate, "seed": seed}
    return train_and_measure(look, **training, **chosen)


STUDY = Study(
    "embeddings",
    train=measured,
    variants=tuple(STARTS),
    rates=(3e-3, 1e-2, 3e-2),
)


if __name__ == "__main__":
    STUDY.run()
