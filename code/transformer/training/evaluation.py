"""Evaluation: how well a model predicts each next token of given texts."""

from collections.abc import Sequence
from math import exp, inf
from typing import NamedTuple

import torch
from torch import Tensor, nn

from transformer.data.batches import Batch
from transformer.models.modes import evaluating
from transformer.training.loss import LabelSmoothingLoss
from transformer.training.world import World, bare


class Evaluation(NamedTuple):
    r"""What was found, over all labels that count.

    Args:
        loss: The mean loss, smoothing included.
        cross_entropy: The mean of $-\log p$ of the true tokens, in nats.
        token_accuracy: The share of labels that got the highest logit.
        tokens: Number of labels.
    """

    loss: float
    cross_entropy: float
    token_accuracy: float
    tokens: int

    @property
    def perplexity(self) -> float:
        """The exponential of the cross-entropy: 1 for a model that is always sure."""
        return exp(self.cross_entropy) if self.cross_entropy < 700 else inf


def evaluate(
    model: nn.Module,
    batches: Sequence[Batch],
    *,
    loss: LabelSmoothingLoss | None = None,
    world: World | None = None,
) -> Evaluation:
    r"""Score each token of the targets, given the true ones before it.

    $$\mathrm{perplexity} = \exp\left(-\frac{1}{n} \sum_{t=1}^{n}
    \log p(y_t \mid y_1, \dots, y_{t-1})\right)$$

    Source: Jurafsky and Martin (2025), section 3.3, for perplexity; that true tokens
    stand before each one is called teacher forcing, Williams and Zipser (1989).

    Args:
        model: A model of this package, or what `distribute` returned.
        batches: What to score; processes share them.
        loss: The loss to report; with a smoothing of 0.1 when not given.
        world: The processes; one when not given.

    Returns:
        The means over all batches, the same in each process.

    Raises:
        ValueError: If there is nothing to score.
    """
    smoothed = LabelSmoothingLoss() if loss is None else loss
    certain = LabelSmoothingLoss(smoothing=0.0, ignore_index=smoothed.ignore_index)
    device = next(model.parameters()).device
    world = World(device=device) if world is None else world
    sums = torch.zeros(4, dtype=torch.float64, device=world.device)
    with evaluating(model):
        for batch in batches:
            mine = batch.shard(world.rank, world.size).to(world.device)
            logits = bare(model)(*mine.inputs)
            # Half precision would round each loss, and their sum, to three digits.
            logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
            sums += torch.stack(
                [
                    smoothed.total(logits, mine.labels).double(),
                    certain.total(logits, mine.labels).double(),
                    hits(logits, mine.labels, certain.ignore_index).double(),
                    certain.count(mine.labels).double(),
                ]
            )
    *totals, tokens = world.sum(sums).tolist()
    if tokens == 0:
        raise ValueError(
            "the batches must hold at least one label that counts, got none; pass "
            "some text to score."
        )
    return Evaluation(*(total / tokens for total in totals), int(tokens))


def hits(logits: Tensor, labels: Tensor, ignore_index: int) -> Tensor:
    """Return how many of the labels that count got the highest logit."""
    return ((logits.argmax(dim=-1) == labels) & (labels != ignore_index)).sum()
