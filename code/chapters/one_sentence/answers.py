"""Properties of the answers to the exercises on one sentence in a Transformer."""

from collections.abc import Sequence

import torch
from torch import Tensor

from chapters.exercises import Property
from chapters.one_sentence.toy import french_order, rows, translate

SCORES = (3.88, 1.76, -0.73)  # of red, house and end, for the row after maison
NEAR = 0.03  # what is left of rounding
BOTH = ("red house <end>", "house red <end>")
PUZZLE = ("red <end>", "house <end>", "<end>")


def matrix(ask: object) -> Tensor:
    """Return an answer as a matrix."""
    return torch.as_tensor(ask, dtype=torch.float64)


def is_square(ask: object) -> bool:
    """Return whether an answer is a matrix of four rows and four columns."""
    return matrix(ask).shape == (4, 4)


def looked_for(ask: object, row: Tensor) -> int:
    """Return which of red, house and end a row looks for, or -1 if two are as near."""
    red, house, start = rows()
    scores = torch.stack((red, house, -start)) @ (row @ matrix(ask))
    first, second = scores.topk(2).values
    return int(scores.argmax()) if first - second > NEAR else -1


def words(said: Sequence[str]) -> list[str]:
    """Return what was said, as a list of words in small letters."""
    return [str(word).strip().lower() for word in said]


def says(sentence: str, said: Sequence[str]) -> bool:
    """Return whether the machine says this, in the three words it may have."""
    return words(said) == translate(sentence, french_order())


EXERCISES = {
    "ex-sentence-row": [
        Property(
            "a score is the product of the query with a row of the memory, over the "
            "root of 4; the query has a factor 2.",
            lambda scores, word: (
                len(scores) == 3
                and all(
                    abs(float(found) - right) < NEAR
                    for found, right in zip(scores, SCORES, strict=True)
                )
            ),
        ),
        Property(
            "the largest score gets the largest weight.",
            lambda scores, word: word == "red",
        ),
    ],
    "ex-sentence-order": [
        Property("a matrix of four rows and four columns is asked for.", is_square),
        Property(
            "after <start> it must look for red.",
            lambda ask: looked_for(ask, rows()[2]) == 0,
        ),
        Property(
            "after rouge it must look for house.",
            lambda ask: looked_for(ask, -rows()[0]) == 1,
        ),
        Property(
            "after maison it must look for the end.",
            lambda ask: looked_for(ask, -rows()[1]) == 2,
        ),
        Property(
            "the machine must write rouge maison <end>, also for house red <end>.",
            lambda ask: all(
                translate(sentence, matrix(ask)) == ["rouge", "maison", "<end>"]
                for sentence in BOTH
            ),
        ),
    ],
    "ex-sentence-predict": [
        Property(
            "after <start> it looks for a house; if there is none, what does the sum "
            "of what it finds and of what stood there resemble?",
            lambda first, second, third: says(PUZZLE[0], first),
        ),
        Property(
            "after maison it looks for red, and something always gets the weight.",
            lambda first, second, third: says(PUZZLE[1], second),
        ),
        Property(
            "what else could it find?",
            lambda first, second, third: says(PUZZLE[2], third),
        ),
    ],
}
