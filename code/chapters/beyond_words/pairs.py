"""Pictures and words in one space: the loss of CLIP, and what it cannot go below."""

from collections import Counter
from collections.abc import Sequence
from math import log

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from chapters.beyond_words.digits import Digits
from chapters.beyond_words.encoders import SIZES
from transformer import TransformerConfig
from transformer.models import ImageEncoder, mean_pooling

FACTOR = 10.0  # on the cosines, before the softmax


def contrastive_loss(
    scores: Float[Tensor, "images texts"],
) -> Float[Tensor, ""]:
    r"""Return the mean of two cross-entropies: each image finds its text, and back.

    $$L = -\frac{1}{2n} \sum_i \left(\log \frac{e^{S_{ii}}}{\sum_j e^{S_{ij}}}
    + \log \frac{e^{S_{ii}}}{\sum_j e^{S_{ji}}}\right)$$

    Source: Radford et al. (2021), section 2.3 and Figure 3.

    Args:
        scores: Image $i$ with text $j$; those that belong together on the diagonal.
    """
    own = torch.arange(len(scores))
    return (F.cross_entropy(scores, own) + F.cross_entropy(scores.T, own)) / 2


def lowest_loss(labels: Sequence[int]) -> float:
    """Return the lowest contrastive loss of a batch in which labels come twice.

    Source: ours; the theorem stands in the chapter.

    Args:
        labels: That of each pair; pairs of one label have one text.
    """
    counts = Counter(labels)
    return sum(log(counts[label]) for label in labels) / len(labels)


class Pairs(nn.Module):
    """An encoder of pictures, and a vector for each of ten words."""

    def __init__(self):
        super().__init__()
        config = TransformerConfig.encoder_only(**SIZES | {"class_token": False})
        self.eye = ImageEncoder(config, head=None)
        self.words = nn.Embedding(10, config.d_model)

    def vectors(
        self, images: Float[Tensor, "batch 1 height width"]
    ) -> Float[Tensor, "batch d_model"]:
        """Return a vector of length 1 for each picture."""
        states = self.eye(images.to(self.words.weight.dtype))
        return mean_pooling(states, torch.ones(states.shape[:2], dtype=torch.bool))

    def forward(
        self,
        images: Float[Tensor, "batch 1 height width"],
        labels: Int[Tensor, " words"],
    ) -> Float[Tensor, "batch words"]:
        """Return the scores of each picture with each word."""
        words = F.normalize(self.words(labels), dim=-1)
        return FACTOR * self.vectors(images) @ words.T


def one_of_each(part: Digits, generator: torch.Generator) -> Digits:
    """Return ten pictures, one of each digit, drawn at random."""
    order = torch.randperm(len(part.labels), generator=generator, device="cpu")
    shown = part.labels[order]
    first = [int((shown == digit).nonzero()[0, 0]) for digit in range(10)]
    return Digits(part.images[order][first], shown[first])


def train_pairs(
    model: Pairs, part: Digits, *, steps: int, learning_rate: float, seed: int
) -> list[float]:
    """Train on batches of one picture of each digit; return the loss of each step."""
    generator = torch.Generator("cpu").manual_seed(seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate, fused=True)
    losses = []
    for _ in range(steps):
        batch = one_of_each(part, generator)
        loss = contrastive_loss(model(batch.images, batch.labels))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
