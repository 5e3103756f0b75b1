"""A few directions that the norms of a trained model forget, and what that costs.

The chapter reads most of it from a file that
`python -m chapters.rms_norm.some_directions` writes, and repeats a row.
"""

from collections.abc import Iterable

import torch
from jaxtyping import Float
from torch import Tensor

from chapters.laboratory.measurements import Measurements
from chapters.laboratory.real_model import loss_of, open_model
from chapters.rms_norm.directions import TEXTS, losses_without
from chapters.start import gaussian
from transformer.zoo import LanguageModel

MEASUREMENTS = Measurements("rms_norm", "some_directions")
COUNT = 8  # random directions
FIRST = ("the mean", "a random direction", "feature 507", "the mean of all but 507")
MORE = ("the mean of all but 100", "random, all but 507")


def directions(d_model: int = 576) -> dict[str, Float[Tensor, "rows d_model"]]:
    """Return the directions of each name; those at random are the same ones."""
    ones, feature = torch.ones(1, d_model), torch.eye(d_model)
    noise = gaussian(COUNT, d_model, seed=1)
    return {
        "the mean": ones,
        "a random direction": noise,
        "feature 507": feature[[507]],
        "the mean of all but 507": ones - feature[[507]],
        "the mean of all but 100": ones - feature[[100]],
        "random, all but 507": noise * (ones - feature[[507]]),
    }


def rises(smollm: LanguageModel, names: Iterable[str]) -> dict[str, list[float]]:
    """Return by how much the loss rises without each direction, the mean of `TEXTS`.

    Args:
        smollm: The model and its tokenizer.
        names: Which of `directions`.
    """
    model, tokenizer = smollm
    texts = [tokenizer.encode(text) for text in TEXTS.values()]
    as_it_is = sum(loss_of(model, ids) for ids in texts) / len(texts)
    tried = {name: directions()[name] for name in names}
    rows = torch.cat([*tried.values()])  # all of them go through together
    found = sum(losses_without(model, ids, rows) for ids in texts) / len(texts)
    parts = (found - as_it_is).split([*map(len, tried.values())])
    return {name: part.tolist() for name, part in zip(tried, parts, strict=True)}


def stored(names: Iterable[str]) -> dict[str, list[float]]:
    """Return what the file holds of `rises`."""
    rows = {row["without"]: row["rises"] for row in MEASUREMENTS.read()}
    return {name: rows[name] for name in names}


if __name__ == "__main__":
    measured = rises(open_model("smollm2-135m"), (*FIRST, *MORE))
    MEASUREMENTS.write(
        [{"without": name, "rises": part} for name, part in measured.items()]
    )
