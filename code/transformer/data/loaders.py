"""Which examples go into which batch: shuffled to learn, sorted to evaluate."""

from collections.abc import Sequence
from random import Random
from typing import Any

from transformer.checks.values import check_size, check_some
from transformer.data.batches import Batch
from transformer.data.examples import Example


class TrainingBatches:
    """Return the batch of any step, without end: each example once in each epoch.

    The batch of a step depends on the step and the seed alone, so a training that is
    resumed at step $n$ sees what it would have seen. In each epoch the examples are
    shuffled; within windows of `bucket` batches they are sorted by length, so that
    little of a batch is padding; then the batches are shuffled.

    Source: Vaswani et al. (2017), section 5.1, batches sentence pairs of about one
    length together; the windows are ours.

    Args:
        examples: What to learn from.
        batch_size: Number of examples in a batch; the rest of an epoch may be fewer.
        seed: Which order is drawn.
        bucket: Number of batches in a window; 1 leaves the examples unsorted.
    """

    def __init__(
        self,
        examples: Sequence[Example],
        *,
        batch_size: int,
        seed: int = 0,
        bucket: int = 50,
    ) -> None:
        check_some("examples", examples)
        check_size("batch_size", batch_size)
        check_size("seed", seed, minimum=0, maximum=None)
        check_size("bucket", bucket)
        self.examples = examples
        self.batch_size = batch_size
        self.seed = seed
        self.bucket = bucket
        self._epoch = -1  # whose order is held
        self._order: list[list[int]] = []

    @property
    def steps_per_epoch(self) -> int:
        """Number of batches in which each example occurs once."""
        return -(-len(self.examples) // self.batch_size)

    def __getitem__(self, step: int) -> Batch:
        check_size("step", step, minimum=0)
        epoch, place = divmod(step, self.steps_per_epoch)
        if epoch != self._epoch:
            self._epoch, self._order = epoch, self._draw(epoch)
        return Batch.of([self.examples[i] for i in self._order[place]])

    def _draw(self, epoch: int) -> list[list[int]]:
        """Return which examples are in each batch of an epoch."""
        random = Random(f"{self.seed}, {epoch}")  # texts are hashed: no two are alike
        order = list(range(len(self.examples)))
        random.shuffle(order)
        window = self.bucket * self.batch_size
        batches: list[list[int]] = []
        for start in range(0, len(order), window):
            near = sorted(
                order[start : start + window], key=lambda i: length(self.examples[i])
            )
            batches += in_batches(near, self.batch_size)
        random.shuffle(batches)
        return batches


class SortedBatches(list[Batch]):
    """A list of batches that knows where each of its examples came from."""

    def __init__(self, batches: list[Batch], places: list[int]) -> None:
        super().__init__(batches)
        self.places = places

    def in_order(self, results: Sequence[Any]) -> list[Any]:
        """Return one result for each example, in the order of the examples.

        Args:
            results: One for each row of each batch, from the first batch on.

        Raises:
            ValueError: If there are more or fewer than examples.
        """
        if len(results) != len(self.places):
            raise ValueError(
                f"results must be one for each of {len(self.places)} examples, got "
                f"{len(results)}; collect those of all rows of all batches."
            )
        ordered: list[Any] = [None] * len(results)
        for place, result in zip(self.places, results, strict=True):
            ordered[place] = result
        return ordered


def sorted_batches(examples: Sequence[Example], *, batch_size: int) -> SortedBatches:
    """Return all examples in batches of like length, the shortest first.

    `in_order` of what is returned puts results back into the order of the examples.

    Args:
        examples: What to evaluate.
        batch_size: Number of examples in a batch; the last one may hold fewer.
    """
    check_some("examples", examples)
    check_size("batch_size", batch_size)
    places = sorted(range(len(examples)), key=lambda place: length(examples[place]))
    batches = [
        Batch.of([examples[place] for place in batch])
        for batch in in_batches(places, batch_size)
    ]
    return SortedBatches(batches, places)


def length(example: Example) -> tuple[int, int]:
    """Return the lengths of both sides, the target first."""
    return len(example.target), len(example.source or ())


def in_batches(items: list[Any], batch_size: int) -> list[list[Any]]:
    """Return a list cut into parts of `batch_size`; the last one may be shorter."""
    starts = range(0, len(items), batch_size)
    return [items[start : start + batch_size] for start in starts]
