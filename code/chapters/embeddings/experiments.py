"""Embeddings: how large they start, how fast they move, and what they come to mean.

The trainings take minutes, so the chapter reads their results from a file that
`python -m chapters.embeddings.experiments FILE` writes, and repeats a short one.
"""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from chapters.laboratory.language import ALPHABET, LETTERS, VOWELS
from chapters.laboratory.language_model import nats, train_language_model
from chapters.laboratory.measurements import Measurements, measure_all

MEASUREMENTS = Measurements("embeddings")
SEEDS = (0, 1, 2)
STEPS = 400
BIN = 20  # steps whose training losses are averaged in the file
STARTS = {
    "0.02": {"std": 0.02, "scaled": False},
    "0.02, times 8": {"std": 0.02, "scaled": True},
    "0.16": {"std": 0.16, "scaled": False},
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


def measured(start: str, seed: int, **training: int) -> dict:
    """Train one model with sinusoidal positions.

    Args:
        start: One of `STARTS`.
        seed: Seed of the parameters and of the windows.
        **training: Such as `steps`, where it is not `STEPS`.

    Returns:
        Nats per letter on held-out text, the training losses in bins, the sizes of
        the letters' vectors at the end, and how the letters resemble each other.
    """
    chosen = STARTS[start]
    done = train_language_model(
        seed=seed,
        position="sinusoidal",
        scale_embeddings=chosen["scaled"],
        change=start_with(chosen["std"]),
        **({"steps": STEPS} | training),
    )
    matrix = cosines(table_of(done.model))
    losses = torch.tensor(done.losses, dtype=torch.float64, device="cpu")
    row = {
        "nats": nats(done.model),
        "losses": [part.mean().item() for part in losses.split(BIN)],
        "size": sizes(done.model).mean().item(),
        **kinship(matrix),
    }
    if seed == SEEDS[0]:
        row["cosines"] = [[round(cosine, 2) for cosine in r] for r in matrix.tolist()]
    return row


def settings() -> list[dict]:
    """Return the settings of every training that the file holds."""
    return [{"start": start, "seed": seed} for start in STARTS for seed in SEEDS]


if __name__ == "__main__":
    MEASUREMENTS.write(measure_all(measured, settings()), steps=STEPS)
