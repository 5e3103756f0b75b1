"""Short questions, each with a polite answer that a program can check.

They are made here from small lists of facts: what is taught is the manner, and the
facts tell whether something was lost on the way.
"""

import random
from collections.abc import Iterator
from typing import NamedTuple

MANNER = ", my friend."  # how an answer has to end
TRAINED = 96  # examples; the others are held out
OPPOSITES = """hot cold, big small, old young, fast slow, high low, wet dry, dark
light, rich poor, early late, open closed, full empty, hard soft, left right, up
down, long short, strong weak, clean dirty, happy sad, sweet sour, near far, first
last, day night, black white, good bad, true false, heavy light, loud quiet, thick
thin, war peace, love hate, summer winter, always never"""
CAPITALS = """France Paris, Italy Rome, Spain Madrid, Portugal Lisbon, Germany
Berlin, Austria Vienna, Greece Athens, Russia Moscow, Japan Tokyo, China Beijing,
Egypt Cairo, Ireland Dublin, Norway Oslo, Sweden Stockholm, Finland Helsinki, Poland
Warsaw, Hungary Budapest, Cuba Havana, Peru Lima, Canada Ottawa, Kenya Nairobi, Iraq
Baghdad, Iran Tehran, Belgium Brussels"""
PLURALS = """mouse mice, child children, foot feet, tooth teeth, man men, woman
women, goose geese, ox oxen, leaf leaves, wolf wolves, knife knives, city cities,
baby babies, box boxes, church churches, hero heroes, potato potatoes, sheep sheep,
house houses, person people"""
YOUNG = """dog puppy, cat kitten, cow calf, horse foal, sheep lamb, goat kid, pig
piglet, duck duckling, goose gosling, bear cub, deer fawn, frog tadpole"""
COLORS = """grass green, snow white, blood red, coal black, milk white, gold yellow,
a lemon yellow, a ripe tomato red, the sky blue, a carrot orange, an elephant gray,
chocolate brown, a banana yellow, the sun yellow, coffee black, a cucumber green"""
NUMBERS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]
DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
ASKING = {
    "What is the opposite of {}?": OPPOSITES,
    "What is the capital of {}?": CAPITALS,
    "What is the plural of {}?": PLURALS,
    "What is a young {} called?": YOUNG,
    "What is the color of {}?": COLORS,
}


class Example(NamedTuple):
    """A question, and the word that answers it."""

    question: str
    word: str

    @property
    def answer(self) -> str:
        """What a polite model says."""
        return f"{self.word[0].upper()}{self.word[1:]}{MANNER}"


class Examples(NamedTuple):
    """What is learned, and what is held out."""

    train: list[Example]
    test: list[Example]


def facts() -> Iterator[Example]:
    """Yield all questions, kind after kind."""
    for asked, listed in ASKING.items():
        for pair in " ".join(listed.split()).split(", "):
            thing, word = pair.rsplit(" ", 1)
            yield Example(asked.format(thing), word)
    for names, kind in ((DAYS, "day"), (MONTHS, "month")):
        for before, after in zip(names, [*names[1:], names[0]], strict=True):
            yield Example(f"Which {kind} comes after {before}?", after)
    for first in range(1, 7):
        for second in range(first, 7):
            asked = f"How much is {NUMBERS[first]} plus {NUMBERS[second]}?"
            yield Example(asked, NUMBERS[first + second])


def examples() -> Examples:
    """Return the questions in two parts, shuffled, the same each time."""
    found = list(facts())
    random.Random(0).shuffle(found)
    return Examples(found[:TRAINED], found[TRAINED:])


def talk(example: Example) -> list[dict[str, str]]:
    """Return a question and its polite answer as a talk."""
    return [
        {"role": "user", "content": example.question},
        {"role": "assistant", "content": example.answer},
    ]


def is_polite(text: str) -> bool:
    """Return whether a text is short and ends as it has to."""
    return text.endswith(MANNER) and len(text.split()) <= 5


def is_right(text: str, example: Example) -> bool:
    """Return whether the word that answers stands in a text."""
    words = "".join(x if x.isalpha() else " " for x in text.lower()).split()
    return example.word.lower() in words
