"""What a loop is, by hand, and that what is stored of ten texts is so."""

from itertools import product

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.decoding import loops
from chapters.decoding.loops import (
    LONGER,
    MEASUREMENTS,
    MODEL,
    NEW,
    SEARCHES,
    SEEDS,
    TEMPERATURES,
    Loop,
    Totals,
    again,
    every_text,
    go_on,
    look,
    loop_of,
    rounds_of,
    search,
    totals,
    until,
)
from chapters.decoding.real_texts import distributions
from chapters.decoding.ten_texts import TEXTS
from chapters.laboratory.language_model import language_model
from chapters.laboratory.real_model import as_ids, open_model
from transformer.zoo import LanguageModel

END = 1
DRAWN = [f"T = {temperature}" for temperature in TEMPERATURES]


class Letters:
    """A tokenizer of single letters, one of which ends a text."""

    end_id = END

    def encode(self, text):
        return [ord(letter) % 22 for letter in text]

    def decode(self, ids):
        return "".join(chr(ord("a") + token) for token in ids)


@pytest.fixture(scope="module")
def letters():
    return LanguageModel(language_model(seed=0).double().eval(), Letters())


@pytest.fixture(scope="module")
def stored():
    """What is stored of a hundred tokens."""
    rows = MEASUREMENTS.read()
    return {
        (row["text"], row["way"]): row for row in rows if row.get("new", NEW) == NEW
    }


def test_a_loop_is_a_group_of_four_three_times_at_the_end():
    group = [1, 2, 3, 4]
    assert loop_of([9, 9, *3 * group]) == Loop(2, 4)
    assert loop_of([*3 * group, 1, 2]) == Loop(0, 4)  # a round that was cut off
    assert loop_of([*2 * group, 1, 2, 3]) is None
    assert loop_of([*3 * group, 9]) is None  # it got out
    assert loop_of([9, 4, *3 * group]) == Loop(1, 4)  # as early as it can begin


def test_a_shorter_group_counts_as_several_of_its_rounds():
    assert loop_of([9, *6 * [5, 7]]) == Loop(1, 4)
    assert loop_of([9, *6 * [3, 5, 7]]) == Loop(1, 6)
    assert loop_of([9, *5 * [5, 7]]) is None


def test_a_round_has_the_product_of_its_tokens():
    each = torch.tensor([0.9, 0.5, 0.5, 0.5, 0.5, 0.5, 1.0, 1.0, 1.0, 0.7])
    assert rounds_of(Loop(1, 4), each) == [0.0625, 0.5]


def test_what_stands_behind_the_end_does_not_count():
    assert until([3, 5, END, 3, END], END) == [3, 5]
    assert until([3, 5], END) == [3, 5]


def test_groups_that_come_again_are_counted():
    assert again([1, 2, 3, 4, 1, 2, 3, 4]) == 1 / 5
    assert again([1, 2, 3]) == 0


def test_searches_of_several_texts_are_those_of_each_alone(letters):
    beginnings = ["Alice", "was", "tired"]
    for way in SEARCHES:
        together = search(letters, beginnings, way, new=13)
        for told, beginning in zip(together, beginnings, strict=True):
            alone = search(letters, [beginning], way, new=13)[0]
            assert told["written"] == alone["written"]
            assert told["nats"] == pytest.approx(alone["nats"])


def test_a_loop_is_told_with_its_place():
    loop = {"tokens": 13, "again": 0.5, "start": 1, "size": 4}
    assert look([11, *3 * [2, 3, 5, 7]]) == loop
    assert look([2, 3, 5, 7]) == {"tokens": 4, "again": 0}


def test_a_low_temperature_draws_the_greedy_text(letters):
    texts = [
        go_on(letters, ["Alice", "was"], new=13, **choices)
        for choices in ({}, {"temperature": 1e-4, "seed": 3})
    ]
    assert texts[0] == texts[1]


def test_draws_of_a_beginning_differ(letters):
    first, second = go_on(letters, ["Alice"] * 2, new=13, temperature=1.0, seed=0)
    assert first != second


def test_every_text_is_told_in_every_way(letters, monkeypatch):
    monkeypatch.setattr(loops, "NEW", 5)
    monkeypatch.setattr(loops, "LONGER", 7)
    rows = every_text(letters)
    assert len(rows) == len(TEXTS) * (
        2 + len(SEARCHES) + len(TEMPERATURES) * len(SEEDS)
    )


def test_ten_texts_have_a_hundred_tokens_and_more_after_the_beginning():
    tokenizer = open_model(MODEL).tokenizer
    assert len(TEXTS) == 10
    for text in TEXTS.values():
        ids = tokenizer.encode(text.beginning + text.rest)
        parts = [tokenizer.encode(part) for part in text]
        assert ids == parts[0] + parts[1]
        assert len(parts[1]) >= NEW


def test_the_file_holds_every_text_in_every_way(stored):
    assert stored.keys() == {*product(TEXTS, ("itself", *SEARCHES, *DRAWN))}


@facts("kind", TEXTS)
def test_a_longer_greedy_text_begins_like_the_shorter_one(stored, kind):
    longer = [
        row["written"]
        for row in MEASUREMENTS.read()
        if row["text"] == kind and row.get("new") == LONGER
    ]
    (text,) = longer
    assert text.startswith(stored[kind, "greedy"]["written"])


def test_totals_are_those_of_one_way_and_one_length():
    rows = [
        {"way": "greedy", "new": 100, "again": 0.5, "size": 7},
        {"way": "greedy", "new": 100, "again": 0.1},
        {"way": "greedy", "new": 200, "again": 0.9, "size": 7},
        {"way": "T = 0.3", "again": 0.2},
    ]
    assert totals(rows, "greedy") == Totals(2, 1, pytest.approx(0.3))
    assert totals(rows, "greedy", new=200) == Totals(1, 1, 0.9)
    assert totals(rows, "T = 0.3") == Totals(1, 0, 0.2)


@facts("kind", TEXTS)
def test_a_stored_greedy_text_takes_the_most_probable_token_each_time(stored, kind):
    """One pass over a text says so, and gives the stored numbers again."""
    model, tokenizer = open_model(MODEL)
    row = stored[kind, "greedy"]
    text = tokenizer.encode(row["written"])
    if len(text) != row["tokens"]:  # in other pieces than the tokenizer would cut
        (text,) = go_on(open_model(MODEL), [TEXTS[kind].beginning], new=NEW)
        assert tokenizer.decode(text) == row["written"]
    prompt = as_ids(tokenizer, TEXTS[kind].beginning)
    found = distributions(model, prompt, text)
    assert found.argmax(dim=-1).tolist() == text
    told = look(text)
    assert told == {name: pytest.approx(row[name], abs=1e-5) for name in told}
    if loop := loop_of(text):
        near = 1e-3  # in float32, read at once and not one by one
        rounds = rounds_of(loop, found.amax(dim=-1))
        assert rounds == pytest.approx(row["rounds"], rel=near)
