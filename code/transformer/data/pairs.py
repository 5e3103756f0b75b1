"""Pairs of texts, and their splits for training, validation and test."""

from typing import NamedTuple


class Pair(NamedTuple):
    """What is read, and what is to be written."""

    source: str
    target: str


class Splits(NamedTuple):
    """Pairs to learn from, to choose by and to report on."""

    train: list[Pair]
    validation: list[Pair]
    test: list[Pair]
