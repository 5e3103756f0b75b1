"""A made-up language: as much text as needed, the same on every machine.

A document has a topic, so that its words come back, and two heroes, whose names are
drawn letter by letter. Who reads a document letter by letter can learn the spelling
of the words from all documents, and the words and names that are due from this one:
a model gains from near letters and from far ones.
"""

import random
from functools import cache
from itertools import accumulate

import torch
from jaxtyping import Integer
from torch import Tensor

LETTERS = "abdefgiklmnoprstuvz"
ALPHABET = " ." + LETTERS  # id 1, 2, 3 and so on; 0 is left to padding
VOCAB_SIZE = len(ALPHABET) + 1
VOWELS = "aeiou"
WORDS = 300  # of the language
TOPIC = 15  # of them come back in a document
OF_TOPIC = 0.7  # share of the words of a document
DOCUMENT = 1_024  # letters


def syllable(draw: random.Random) -> str:
    """Return a consonant, a vowel and, half of the time, one more consonant."""
    consonants = [letter for letter in LETTERS if letter not in VOWELS]
    end = draw.choice(consonants) if draw.random() < 0.5 else ""
    return draw.choice(consonants) + draw.choice(VOWELS) + end


@cache
def dictionary() -> tuple[list[str], list[float]]:
    """Return the words of the language, and how often each and those before it come.

    A word of rank $r$ comes in proportion to $1 / (5 + r)$ (Zipf's law).
    """
    draw = random.Random(0)
    words: dict[str, None] = {}
    while len(words) < WORDS:
        words["".join(syllable(draw) for _ in range(draw.choice((1, 2, 2, 3))))] = None
    return list(words), list(accumulate(1 / (5 + rank) for rank in range(WORDS)))


def document(draw: random.Random) -> str:
    """Write a document: sentences that begin with one of two names."""
    words, sums = dictionary()
    topic = draw.choices(words, k=TOPIC)
    names = ["".join(draw.choices(LETTERS, k=5)) for _ in range(2)]
    text = ""
    while len(text) < DOCUMENT:
        told = [draw.choice(names)]
        for _ in range(draw.choice((2, 3, 4))):
            of_topic = draw.random() < OF_TOPIC
            told += (
                [draw.choice(topic)]
                if of_topic
                else draw.choices(words, cum_weights=sums)
            )
        text += " ".join(told) + ". "
    return text[:DOCUMENT]


@cache
def documents(count: int, *, seed: int) -> Integer[Tensor, "documents letters"]:
    """Return documents as ids, a row each.

    Args:
        count: How many.
        seed: Which ones; other seeds give other topics and names.
    """
    draw = random.Random(seed)
    ids = {letter: i for i, letter in enumerate(ALPHABET, start=1)}
    rows = [[ids[letter] for letter in document(draw)] for _ in range(count)]
    return torch.tensor(rows, device="cpu")


def spelled(ids: Integer[Tensor, " letters"]) -> str:
    """Return the text of ids."""
    return "".join(ALPHABET[i - 1] for i in ids.tolist())


def windows(
    texts: Integer[Tensor, "documents letters"],
    count: int,
    length: int,
    generator: torch.Generator,
) -> Integer[Tensor, "count length"]:
    """Cut windows out of documents, each at a random place.

    Args:
        texts: What `documents` returned.
        count: How many windows.
        length: Letters of a window, at most those of a document.
        generator: Draws the places, on the CPU.
    """
    rows = torch.randint(len(texts), (count,), generator=generator, device="cpu")
    latest = texts.size(1) - length + 1
    starts = torch.randint(latest, (count,), generator=generator, device="cpu")
    within = torch.arange(length, device="cpu")
    return texts[rows[:, None], starts[:, None] + within]


def held_out_windows(
    count: int, length: int, *, seed: int = 7, validation: bool = False
) -> Integer[Tensor, "count length"]:
    """Cut windows out of text that no training sees, the same at every call.

    Args:
        count: How many windows.
        length: Letters of a window.
        seed: Which windows.
        validation: Whether of the text by which settings are chosen, and not of the
            text of the tests.
    """
    generator = torch.Generator("cpu").manual_seed(seed)
    return windows(held_out(validation=validation), count, length, generator)


def held_out(*, validation: bool = False) -> Integer[Tensor, "documents letters"]:
    """Return the documents of the tests, or those by which settings are chosen."""
    return documents(64, seed=3 if validation else 2)
