"""A digit that is wrong in the prose is noticed.

In each number of the book one digit is changed, by dice that its own words have thrown:
what changes on another page changes nothing here. A number that is listed is noticed
whatever is changed, because the list quotes the words around it; one that only a
citation vouches for is not counted.
"""

import random
from dataclasses import replace
from pathlib import Path

from bookkit.book.files import find_root, relative_name
from bookkit.book.notebooks import chapters
from bookkit.checking.numbers.said import numbers_in
from bookkit.checking.numbers.tracing import CITED, LISTED, read_page
from bookkit.checking.numbers.worked import worked_in

ROOT = find_root(Path(__file__))
LEAST = 0.9


def test_most_changed_digits_are_noticed():
    pages = [
        read_page(ROOT, relative_name(path, ROOT)[5:].removesuffix(".ipynb"))
        for path in chapters(ROOT)
    ]
    numbers = [(page, one) for page in pages for one in page.traced()]
    assert all(one.source for _, one in numbers)
    counted = [of for of in numbers if of[1].source != CITED]

    noticed = sum(is_noticed(page, one) for page, one in counted)

    assert noticed >= LEAST * len(counted) > 1800


def is_noticed(page, one):
    """Change a digit of a number, and say whether it has no source any more."""
    if one.source == LISTED:
        return True
    text, number = one.passage.text, one.number
    dice = random.Random(f"{text}, {number.begin}")
    stretch = range(number.begin, number.begin + len(number.text))
    place = dice.choice([i for i in stretch if text[i].isdigit()])
    digit = dice.choice([d for d in "0123456789" if d != text[place]])
    changed = f"{text[:place]}{digit}{text[place + 1 :]}"
    passage = replace(one.passage, text=changed, worked=worked_in(changed))
    found = [n for n in numbers_in(changed) if n.begin == number.begin]
    if len(passage.worked.false) > len(one.passage.worked.false):
        return True
    return bool(found) and not page.source_of(found[0], passage)
