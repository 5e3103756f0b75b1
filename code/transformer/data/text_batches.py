"""Windows of one long text: what a language model learns from, and is asked."""

from random import Random

import torch
from jaxtyping import Integer
from torch import Tensor

from transformer.checks.tensors import check_text_ids
from transformer.checks.values import check_size
from transformer.data.batches import Batch
from transformer.data.examples import Example
from transformer.data.loaders import in_batches


class TextBatches:
    """Return the batch of any step, without end: windows of one text, by epochs.

    In each epoch the text is cut into windows from another place on, so that a token
    is seen with more and with less before it, and the windows are shuffled. As in
    `TrainingBatches`, the batch depends on the step and the seed alone.

    Source: ours; Brown et al. (2020), Appendix B, fill windows across the ends of
    documents, too.

    Args:
        ids: The tokens of the text.
        width: How many tokens a window asks for, each from those before it.
        batch_size: How many windows a batch has.
        seed: Which order is drawn.

    Raises:
        ValueError: If the text has no whole batch, or a number is too small.
    """

    def __init__(
        self,
        ids: Integer[Tensor, " tokens"],
        *,
        width: int,
        batch_size: int,
        seed: int = 0,
    ) -> None:
        check_size("width", width)
        check_size("batch_size", batch_size)
        check_size("seed", seed, minimum=0, maximum=None)
        check_text(ids, width, batch_size)
        self.ids = ids
        self.width = width
        self.batch_size = batch_size
        self.seed = seed
        self._epoch = -1  # whose order is held
        self._starts: list[int] = []

    @property
    def steps_per_epoch(self) -> int:
        """Number of batches in which each window occurs once; a rest is left out."""
        # The last start leaves a whole window, wherever the first one is.
        windows = (len(self.ids) - self.width) // self.width
        return windows // self.batch_size

    def __getitem__(self, step: int) -> Batch:
        check_size("step", step, minimum=0)
        epoch, place = divmod(step, self.steps_per_epoch)
        if epoch != self._epoch:
            self._epoch, self._starts = epoch, self._draw(epoch)
        first = place * self.batch_size
        starts = torch.tensor(self._starts[first : first + self.batch_size])
        rows = self.ids[starts[:, None] + torch.arange(self.width + 1)].long()
        return Batch(None, rows, torch.full((len(rows),), self.width + 1))

    def _draw(self, epoch: int) -> list[int]:
        """Return where the windows of an epoch begin, in a random order."""
        random = Random(f"{self.seed}, {epoch}")  # texts are hashed: no two are alike
        first = random.randrange(self.width)
        starts = list(range(first, len(self.ids) - self.width, self.width))
        random.shuffle(starts)
        return starts


def text_windows(
    ids: Integer[Tensor, " tokens"], *, width: int, batch_size: int
) -> list[Batch]:
    """Return a text as batches of windows in order, each token asked for once.

    Windows do not overlap, so the first tokens of each have few before them; where that
    matters, `training.score_text` scores with an overlap.

    Args:
        ids: The tokens of the text; the first is only read.
        width: How many tokens a window asks for; the last may ask for fewer.
        batch_size: How many windows a batch has at most.

    Raises:
        ValueError: If there are fewer than two tokens, or a number is too small.
    """
    check_size("width", width)
    check_size("batch_size", batch_size)
    check_text(ids, 1, 1)
    starts = range(0, len(ids) - 1, width)
    rows = [ids[start : start + width + 1].tolist() for start in starts]
    examples = [Example(None, row) for row in rows]
    return [Batch.of(part) for part in in_batches(examples, batch_size)]


# Checks


def check_text(ids: object, width: int, batch_size: int) -> None:
    """Check that a text is one row of ids, long enough for a batch."""
    check_text_ids(ids)
    least = width * (batch_size + 1)
    if len(ids) < least:
        raise ValueError(
            f"the text must have at least {least} tokens for a batch of {batch_size} "
            f"windows of {width}, got {len(ids)}; take a longer text, or smaller "
            "windows or batches."
        )
