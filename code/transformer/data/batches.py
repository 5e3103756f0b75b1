"""Batches: a few examples side by side, padded to one width."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Integer
from torch import Tensor

from transformer.checks.tensors import check_boolean, check_tokens
from transformer.checks.values import check_size, check_some
from transformer.data.examples import Example, pad
from transformer.data.tokenizer import PAD_ID

IGNORED = -100  # the label of padding: PyTorch's cross-entropy leaves it out too


@dataclass(frozen=True, eq=False)
class Batch:
    """Hold the ids of a few examples.

    Args:
        source: What is read; None for a language model.
        target: What is written, from the begin to the end.
        lengths: How many tokens of each target are no padding. When not given, padding
            is each `PAD_ID` behind the last other token: what stands before is a
            token, whatever its id.
        counted: True for the tokens of the target that the loss counts; all when not
            given.

    Shape:
        source: (batch, source); target, counted: (batch, target); filled up with
        `PAD_ID`.
        lengths: (batch,).

    Raises:
        ValueError: If a side is no matrix, or the sides differ in their rows.
    """

    source: Integer[Tensor, "batch source"] | None
    target: Integer[Tensor, "batch target"]
    lengths: Integer[Tensor, " batch"] | None = None
    counted: Bool[Tensor, "batch target"] | None = None

    def __post_init__(self) -> None:
        for name, side in self._sides():
            check_tokens(side, name=name)
            if side.dim() != 2:
                raise ValueError(
                    f"{name} must have shape (batch, {name}), got "
                    f"{tuple(side.shape)}; pad the sequences into one matrix."
                )
        if self.source is not None and len(self.source) != len(self.target):
            raise ValueError(
                "source and target must have one number of rows, got "
                f"{len(self.source)} and {len(self.target)}; make both from the same "
                "examples."
            )
        if self.lengths is not None and self.lengths.shape != self.target.shape[:1]:
            raise ValueError(
                f"lengths must name one for each of {len(self.target)} targets, got "
                f"shape {tuple(self.lengths.shape)}; pass one number for each row."
            )
        if self.counted is not None:
            check_boolean("counted", self.counted, means="a token that is learned")
            if self.counted.shape != self.target.shape:
                raise ValueError(
                    f"counted must have the shape {tuple(self.target.shape)} of the "
                    f"target, got {tuple(self.counted.shape)}; pass one for each token."
                )

    @classmethod
    def of(cls, examples: Sequence[Example]) -> "Batch":
        """Return examples as a batch.

        Raises:
            ValueError: If the list is empty, or only some have a source.
        """
        check_some("examples", examples)
        sources = [source for source, _ in examples if source is not None]
        if sources and len(sources) < len(examples):
            raise ValueError(
                "all examples or none must have a source, got "
                f"{len(sources)} of {len(examples)} with one; batch them apart."
            )
        targets = [target for _, target in examples]
        lengths = torch.tensor([len(target) for target in targets])
        return cls(pad(sources) if sources else None, pad(targets), lengths)

    def __len__(self) -> int:
        return self.target.size(0)

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """What a model is called with; each target but its last token."""
        read = () if self.source is None else (self.source,)
        return (*read, self.target[:, :-1])

    @property
    def labels(self) -> Integer[Tensor, "batch time"]:
        """The token that follows each position of the target, or `IGNORED`.

        That is for padding, and for tokens that are not counted.
        """
        following = self.target[:, 1:].long()  # bytes cannot hold `IGNORED`
        following = following.masked_fill(self._is_padding()[:, 1:], IGNORED)
        if self.counted is None:
            return following
        return following.masked_fill(~self.counted[:, 1:], IGNORED)

    def _is_padding(self) -> Bool[Tensor, "batch target"]:
        """Return which places of the target are behind its end."""
        places = torch.arange(1, self.target.size(1) + 1, device=self.target.device)
        lengths = self.lengths
        if lengths is None:
            lengths = ((self.target != PAD_ID) * places).amax(dim=1)
        return places > lengths[:, None]

    @property
    def num_tokens(self) -> int:
        """Number of labels that count."""
        return int((self.labels != IGNORED).sum())

    def to(self, device: torch.device | str) -> "Batch":
        """Return the batch on a device."""
        return self._map(lambda side: side.to(device))

    def shard(self, rank: int, world_size: int) -> "Batch":
        """Return each `world_size`-th row from `rank` on, the width unchanged."""
        check_size("rank", rank, minimum=0)
        check_size("world_size", world_size)
        if rank >= world_size:
            raise ValueError(
                f"rank must be below world_size, got rank={rank} and "
                f"world_size={world_size}; count processes from 0."
            )
        return self._map(lambda side: side[rank::world_size])

    def split(self, parts: int) -> list["Batch"]:
        """Return parts of about as many rows each; no more than there are rows."""
        check_size("parts", parts)
        parts = max(1, min(parts, len(self)))  # a batch without rows is one part
        targets = self.target.tensor_split(parts)
        absent = (None,) * parts
        sources, lengths, counted = (
            absent if side is None else side.tensor_split(parts)
            for side in (self.source, self.lengths, self.counted)
        )
        rows = zip(sources, targets, lengths, counted, strict=True)
        return [Batch(*part) for part in rows]

    def _sides(self) -> Iterator[tuple[str, Tensor]]:
        """Yield the name and the ids of each side that there is."""
        if self.source is not None:
            yield "source", self.source
        yield "target", self.target

    def _map(self, change: Callable[[Tensor], Tensor]) -> "Batch":
        """Return a batch in which each side is changed."""
        source = None if self.source is None else change(self.source)
        lengths = None if self.lengths is None else change(self.lengths)
        counted = None if self.counted is None else change(self.counted)
        return Batch(source, change(self.target), lengths, counted)
