"""The loss: cross-entropy against targets that are not quite certain."""

import torch
from jaxtyping import Float, Integer
from torch import Tensor, nn

from transformer.checks.tensors import INTEGER_DTYPES, can_read, check_float_tensor
from transformer.checks.values import check_dropout
from transformer.data.batches import IGNORED


class LabelSmoothingLoss(nn.Module):
    r"""Compare logits with labels of which a share is spread over all tokens.

    $$\mathcal{L} = -\sum_{k=1}^{V} q_k \log p_k, \qquad
    q_k = (1 - \varepsilon)\, \delta_{k, y} + \frac{\varepsilon}{V}$$

    for the probabilities $p = \mathrm{softmax}(\mathrm{logits})$ and the label $y$,
    averaged over the labels that count. With $\varepsilon = 0$ it is cross-entropy.
    The loss of smoothed labels cannot reach zero: its least value is the entropy of
    $q$.

    Source: Szegedy et al. (2016), section 7; Vaswani et al. (2017), section 5.4, with
    $\varepsilon = 0.1$.

    Args:
        smoothing: The share $\varepsilon$, at least 0 and below 1.
        ignore_index: The label of positions that do not count, such as padding.

    Shape:
        logits: (..., vocab); labels: (...), ids of the true tokens; the loss is one
        number.

    Raises:
        ValueError: If `smoothing` is out of range, shapes do not fit, a label is out
            of range, or no label counts.
    """

    def __init__(self, *, smoothing: float = 0.1, ignore_index: int = IGNORED) -> None:
        super().__init__()
        check_dropout("smoothing", smoothing)
        if isinstance(ignore_index, bool) or not isinstance(ignore_index, int):
            raise TypeError(
                f"ignore_index must be a whole number, got {ignore_index!r}; pass the "
                "label of the positions that do not count."
            )
        self.smoothing = smoothing
        self.ignore_index = ignore_index

    def extra_repr(self) -> str:
        """Name the settings when the module is printed."""
        return f"smoothing={self.smoothing}, ignore_index={self.ignore_index}"

    def forward(
        self, logits: Float[Tensor, "... vocab"], labels: Integer[Tensor, "..."]
    ) -> Float[Tensor, ""]:
        """Return the mean loss of the labels that count."""
        total, counted = self.total(logits, labels), self.count(labels)
        if can_read(labels) and counted == 0:
            raise ValueError(
                "at least one label must count, got only labels of ignore_index="
                f"{self.ignore_index}; leave such batches out."
            )
        return total / counted

    def total(
        self, logits: Float[Tensor, "... vocab"], labels: Integer[Tensor, "..."]
    ) -> Float[Tensor, ""]:
        """Return the sum of the losses: what to add up over parts of a batch."""
        self._check(logits, labels)
        counts = labels != self.ignore_index  # (...)
        labels = labels.masked_fill(~counts, 0).long().unsqueeze(-1)
        normalizer = logits.logsumexp(dim=-1)  # (...), log of the sum of exponentials
        losses = normalizer - logits.gather(-1, labels).squeeze(-1)
        if self.smoothing > 0:  # a logit of -inf makes 0 * inf of what is not spread
            spread = normalizer - logits.mean(dim=-1)  # the mean of -log p
            losses = (1 - self.smoothing) * losses + self.smoothing * spread
        return losses.masked_fill(~counts, 0.0).sum()

    def count(self, labels: Integer[Tensor, "..."]) -> Integer[Tensor, ""]:
        """Return how many labels count."""
        self._check_kind(labels)
        return (labels != self.ignore_index).sum()

    def _check_kind(self, labels: object) -> None:
        """Check that labels are integers, of a type that can hold `ignore_index`."""
        if labels.dtype not in INTEGER_DTYPES:
            raise TypeError(
                f"labels must be integer ids, got {labels.dtype}; convert them with "
                ".long()."
            )
        numbers = torch.iinfo(labels.dtype)
        if not numbers.min <= self.ignore_index <= numbers.max:
            raise TypeError(
                f"labels must be of a type that holds ignore_index={self.ignore_index},"
                f" got {labels.dtype}; convert the ids with .long() before padding is "
                "marked."
            )

    def _check(self, logits: object, labels: object) -> None:
        """Check that each label is a token of the logits."""
        check_float_tensor("logits", logits)
        self._check_kind(labels)
        if logits.dim() == 0 or logits.shape[:-1] != labels.shape:
            raise ValueError(
                "labels must name one token for each position of the logits, got "
                f"labels of shape {tuple(labels.shape)} for logits of shape "
                f"{tuple(logits.shape)}; shift the target by one, and keep the "
                "vocabulary on the last axis."
            )
        if not can_read(labels):
            return
        vocab, labels = logits.size(-1), labels.long()  # a byte holds no large vocab
        wrong = (labels != self.ignore_index) & ((labels < 0) | (labels >= vocab))
        if bool(torch.any(wrong)):
            raise ValueError(
                f"labels must lie from 0 to {vocab - 1} or be ignore_index="
                f"{self.ignore_index}, got {int(labels[wrong][0])}; check the "
                "tokenizer, or ignore_index for padding."
            )
