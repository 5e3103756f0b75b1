"""The numbers that the page calls mistakes of the translator are all its mistakes."""

import random

import pytest

from chapters.laboratory.translator import numbers
from chapters.live import mistakes, pack, told
from transformer.data.numerals import LIMIT, english, french

SAMPLE = 500  # numbers that a test asks for, beside the mistakes
STEPS = (1, 10, 100, 1_000, 10_000, 100_000)  # from a mistake to its neighbors


@pytest.fixture(scope="module")
def model():
    return pack.load(pack.read_weights())


@pytest.fixture(scope="module")
def measured():
    return {row["number"]: row for row in mistakes.MEASUREMENTS.read()}


def test_each_mistake_is_one_today(model, measured):
    found = {row["number"]: row for row in mistakes.find(model, list(measured))}
    assert list(found) == list(measured)
    for number, row in measured.items():
        assert found[number] == row | {"chance": pytest.approx(row["chance"], abs=1e-3)}


def test_their_neighbors_are_right(model, measured):
    near = {n + sign * step for n in measured for step in STEPS for sign in (-1, 1)}
    others = sorted(n for n in near - set(measured) if 0 <= n < LIMIT)
    assert len(others) > 500
    assert list(mistakes.find(model, others)) == []


def test_others_are_right(model, measured):
    drawn = random.Random(0).sample(range(LIMIT), SAMPLE)
    others = [number for number in drawn if number not in measured]
    assert list(mistakes.find(model, others)) == []


def test_the_place_is_that_of_the_first_wrong_word(measured):
    pieces = numbers().tokenizer.pieces
    for number, row in measured.items():
        wrote, right = ([*pieces(t), "end"] for t in (row["wrote"], french(number)))
        place = row["place"]
        assert wrote[:place] == right[:place]
        assert wrote[place] != right[place] == row["right"]


def test_it_had_seen_none_of_them(measured):
    seen = {pair.source for pair in numbers().splits.train}
    assert not seen & {english(number) for number in measured}


def test_what_is_told_of_mistakes_is_what_was_measured(measured):
    of_mistakes = told.read()["mistakes"]
    assert of_mistakes == told.of_mistakes()
    assert f"{len(measured)} wrong" in of_mistakes["told"]
