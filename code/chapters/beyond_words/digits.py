"""Handwritten digits of eight by eight pixels, which come with scikit-learn.

Source: Alpaydin and Kaynak (1998), whom scikit-learn's `load_digits` cites.
"""

from functools import cache
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from transformer.packages import need

SIDE = 8  # pixels
INK = 16  # the darkest pixel
LEARNED, CHOSEN, TESTED = 1200, 237, 360


class Digits(NamedTuple):
    """Images with one channel, from 0 for paper to 1 for ink, and what they show."""

    images: Float[Tensor, "digits 1 height width"]
    labels: Int[Tensor, " digits"]

    def first(self, count: int) -> "Digits":
        """Return the first of them."""
        return Digits(self.images[:count], self.labels[:count])


class Split(NamedTuple):
    """What is learned from, what chooses between models, and what judges them."""

    learned: Digits
    chooses: Digits
    tested: Digits


@cache
def digits(seed: int = 0) -> Split:
    """Return the 1,797 digits in three parts, always the same for one seed.

    Args:
        seed: Of the order in which they are dealt out.

    Raises:
        ImportError: If scikit-learn is missing.
    """
    datasets = need("sklearn.datasets", what="the digits come with", extra="images")
    found = datasets.load_digits()
    generator = torch.Generator("cpu").manual_seed(seed)
    order = torch.randperm(len(found.target), generator=generator, device="cpu")
    images = torch.tensor(found.images, dtype=torch.float64)[order, None] / INK
    labels = torch.tensor(found.target, dtype=torch.int64)[order]
    sizes = (LEARNED, CHOSEN, TESTED)
    parts = zip(images.split(sizes), labels.split(sizes), strict=True)
    return Split(*(Digits(*part) for part in parts))
