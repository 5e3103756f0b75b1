"""Properties of the answers to the exercises on one sentence in a Transformer."""

from collections.abc import Sequence

import torch
from torch import Tensor

from chapters.exercises import Property
from chapters.one_sentence.machine import Machine, norm, weights

ONE, IN_ORDER = "the red house", "<start> la rouge maison"
SCORES = (6.16, 9.34, 14.38, 0.0)  # of the, red, house and end, for the row after la
NEAR = 0.1  # what is left of rounding
WANTED = {
    ONE: "la rouge maison <end>",
    "the garden": "le jardin <end>",
    "the garden the red house": "le jardin la rouge maison <end>",
    "the red house the red garden": "la rouge maison le rouge jardin <end>",
}
PUZZLE = ("house", "red house", "house red")
SAID = {
    f"{said}{end}"
    for said in ("maison", "rouge", "maison rouge", "rouge maison")
    for end in ("", " <end>")
}


def matrix(ask: object) -> Tensor:
    """Return an answer as a matrix."""
    return torch.as_tensor(ask, dtype=torch.float64)


def is_square(ask: object) -> bool:
    """Return whether an answer is a matrix of nine rows and nine columns."""
    return matrix(ask).shape == (9, 9)


def looked_for(ask: object, place: int) -> int:
    """Return at which word of the red house the row of a place looks most."""
    machine = Machine()
    x = norm(machine.embed(IN_ORDER))
    shares = weights(x, machine.encode(f"{ONE} <end>"), matrix(ask))[place]
    first, second = shares.topk(2).values
    return int(shares.argmax()) if first - second > 0.01 else -1


def asked(ask: object, sentence: str) -> str:
    """Return what the machine writes with another matrix of wishes."""
    machine = Machine()
    machine.ask = matrix(ask)
    return " ".join(word for word, _ in machine.translate(sentence))


def words(said: Sequence[str]) -> list[str]:
    """Return what was said, as a list of words in small letters."""
    parts = said.split() if isinstance(said, str) else said
    return [str(word).strip().lower() for word in parts]


def says(sentence: str, said: Sequence[str]) -> bool:
    """Return whether the machine says this."""
    return words(said) == [word for word, _ in Machine().translate(sentence)]


EXERCISES = {
    "ex-sentence-row": [
        Property(
            "a score is the product of the query with a row of the memory, divided by "
            "3; each wish has the size 9.",
            lambda scores, word: (
                len(scores) == len(SCORES)
                and all(
                    abs(float(found) - right) < NEAR
                    for found, right in zip(scores, SCORES, strict=True)
                )
            ),
        ),
        Property(
            "the largest score gets the largest weight.",
            lambda scores, word: word == "house",
        ),
    ],
    "ex-sentence-order": [
        Property("a matrix of nine rows and nine columns is asked for.", is_square),
        Property(
            "after <start> it must look for the article.",
            lambda ask: looked_for(ask, 0) == 0,
        ),
        Property(
            "after la it must look for red, if there is one.",
            lambda ask: looked_for(ask, 1) == 1,
        ),
        Property(
            "after rouge it must look for the noun.",
            lambda ask: looked_for(ask, 2) == 2,
        ),
        Property(
            "after maison it must look for the end, if nothing else comes.",
            lambda ask: looked_for(ask, 3) == 3,
        ),
        Property(
            "the machine must write all words in the English order, also without a "
            "color and for two phrases.",
            lambda ask: all(
                asked(ask, sentence) == said for sentence, said in WANTED.items()
            ),
        ),
    ],
    "ex-sentence-predict": [
        Property(
            "each list ends with '<end>', as those of translate do.",
            lambda first, second, third: all(
                words(said)[-1:] == ["<end>"] for said in (first, second, third)
            ),
        ),
        Property(
            "at the start it looks for an article and at its own place; and after "
            "maison, what stands at its place?",
            lambda first, second, third: says(PUZZLE[0], first),
        ),
        Property(
            "without an article the own place decides, and which word wants a noun?",
            lambda first, second, third: says(PUZZLE[1], second),
        ),
        Property(
            "after maison it looks for red.",
            lambda first, second, third: says(PUZZLE[2], third),
        ),
    ],
}

FIELDS = {
    "ex-sentence-row": (SCORES, "house"),
    "ex-sentence-predict": 3 * (SAID,),
}
