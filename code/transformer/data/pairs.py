"""Pairs of texts, their splits, and the error of data that gives none."""

from typing import NamedTuple


class DataError(Exception):
    """Data cannot be had or used; the message says why, and what to do."""


class Pair(NamedTuple):
    """What is read, and what is to be written."""

    source: str
    target: str


class Splits(NamedTuple):
    """Pairs to learn from, to choose by and to report on."""

    train: list[Pair]
    validation: list[Pair]
    test: list[Pair]
