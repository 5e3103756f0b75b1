"""What silent heads cost is measured on three texts, beside heads drawn at random."""

import pytest
import torch
from torch.nn.functional import cross_entropy

from bookkit.checking.facts import facts
from chapters.inside.losses import (
    FIELDS,
    MEASUREMENTS,
    MODEL,
    SIZE,
    TEAMS,
    WINDOWS,
    drawn_teams,
    line,
    measured,
)
from chapters.laboratory import alice
from chapters.laboratory.language_model import language_model
from chapters.laboratory.random_words import read_twice, words_twice
from chapters.laboratory.real_model import open_model, switched_off

TWICE = torch.tensor([[3, 1, 4, 2, 3, 1, 4, 2], [5, 1, 2, 6, 5, 1, 2, 6]])
BOOK = torch.tensor([[7, 1, 6, 2, 2], [3, 5, 1, 4, 6], [2, 2, 1, 7, 5]])


@pytest.fixture(scope="module")
def model():
    return language_model(seed=0).eval()


@facts("off", [[], [(1, 1)], [(1, 2), (2, 1)]])
def test_losses_are_those_of_a_model_without_the_heads(model, off):
    found = measured(model, TWICE, BOOK, off=off)
    with switched_off(model, off):
        halves = read_twice(model, TWICE)
        logits = model(BOOK)
    book = [
        cross_entropy(logits[text, place], BOOK[text, place + 1]).item()
        for text in range(3)
        for place in range(4)
    ]
    assert found["second"] == pytest.approx(halves["second"])
    assert found["book"] == pytest.approx(sum(book) / 12, rel=1e-5)


def test_silent_heads_change_every_loss(model):
    whole, without = (
        measured(model, TWICE, BOOK),
        measured(model, TWICE, BOOK, off=[(1, 1)]),
    )
    assert all(whole[field] != without[field] for field in FIELDS)


@facts("name", TEAMS)
def test_drawn_teams_are_as_large_in_the_same_layers_and_share_no_head(name):
    layers = {layer for layer, _ in TEAMS[name]}
    assert len(drawn_teams(name)) == 6
    for team in drawn_teams(name):
        assert len(set(team)) == len(team) == len(TEAMS[name])
        assert {layer for layer, _ in team} <= layers
        assert not set(team) & set(TEAMS[name])


def test_the_file_has_every_team_with_those_drawn_beside_it():
    rows = MEASUREMENTS.read()
    assert [row["off"] for row in rows if row["team"] == "none"] == [[]]
    for name, team in TEAMS.items():
        for drawn, wanted in ((False, [team]), (True, drawn_teams(name))):
            stored = [
                [tuple(head) for head in row["off"]]
                for row in rows
                if (row["team"], row["drawn"]) == (name, drawn)
            ]
            assert stored == wanted


def test_a_stored_row_is_what_the_model_loses():
    smollm = open_model(MODEL)
    book = alice.windows(smollm.tokenizer, size=SIZE, count=WINDOWS)
    found = measured(smollm.model, words_twice(*smollm), book, off=TEAMS["17.1"])
    row = next(row for row in MEASUREMENTS.read() if row["team"] == "17.1")
    assert not row["drawn"]
    assert [row[field] for field in FIELDS] == pytest.approx(
        [found[field] for field in FIELDS], abs=2e-3
    )


def test_a_line_has_the_team_or_the_mean_and_the_range_of_the_drawn():
    rows = [
        {"team": "x", "drawn": drawn, "second": n, "book": 4.0}
        for drawn, n in ((False, 9.0), (True, 1.0), (True, 2.0))
    ] + [{"team": "y", "drawn": True, "second": 7.0, "book": 7.0}]
    assert line(rows, "x") == ["9.00", "4.00"]
    drawn = line(rows, "x", drawn=True)
    assert drawn == ["1.50 (1.00 to 2.00)", "4.00 (4.00 to 4.00)"]
