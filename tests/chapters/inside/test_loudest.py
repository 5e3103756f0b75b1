"""The largest numbers of a unit are found with what stands before them."""

from types import SimpleNamespace

import pytest
import torch
from torch.testing import assert_close

from chapters.inside import loudest
from chapters.inside.loudest import (
    COUNT,
    LOUD,
    MEASUREMENTS,
    MODEL,
    SIZE,
    UNIT,
    drawn_units,
    every_unit,
    numbers_of,
)
from chapters.inside.reading import read
from chapters.laboratory import alice
from chapters.laboratory.language_model import language_model
from chapters.laboratory.real_model import open_model

IDS = torch.tensor([[3, 1, 4, 1, 5], [5, 3, 1, 2, 6]])
NAMES = SimpleNamespace(
    encode=lambda text: [1 + ord(letter) % 7 for letter in text],
    decode=lambda ids: " ".join(map(str, ids)),
)


@pytest.fixture
def model(monkeypatch):
    monkeypatch.setattr(loudest, "LAYER", 2)
    return language_model(seed=0).eval()


def test_numbers_are_those_of_the_units_at_every_token(model):
    found, guesses = numbers_of(model, IDS, [12, 5])
    whole = read(model, IDS)
    assert_close(found[0], whole.units[1][..., 11])
    assert_close(found[1], whole.units[1][..., 4])
    assert torch.equal(guesses, whole.logits.argmax(dim=-1))


def test_the_largest_sizes_count_and_the_ends_of_a_window_do_not():
    numbers = torch.tensor([[90.0, 1.0, -8.0, 90.0], [90.0, 7.0, 2.0, 90.0]])
    assert loudest.loudest(numbers, 3) == [(0, 2), (1, 1), (1, 2)]


def test_a_row_shows_each_place_as_it_stands_in_the_book(model, monkeypatch):
    for name, value in (("UNIT", 3), ("SIZE", 11), ("COUNT", 4), ("LOUD", -1.0)):
        monkeypatch.setattr(loudest, name, value)
    monkeypatch.setattr(loudest, "drawn_units", lambda: [8, 5])
    ids = alice.windows(NAMES, size=11, count=3)
    monkeypatch.setattr(alice, "windows", lambda *given, **sizes: ids)
    rows = every_unit((model, NAMES))
    assert [row["unit"] for row in rows] == [3, 8, 5]
    whole = read(model, ids)
    numbers = whole.units[1][..., 4]
    window, place = loudest.loudest(numbers, 1)[0]
    shown = rows[2]["loudest"][0]
    assert shown["number"] == pytest.approx(numbers[window, place].item(), rel=1e-5)
    assert shown["text"].split()[-1] == str(ids[window, place].item())
    assert shown["guess"] == str(whole.logits[window, place].argmax().item())
    assert shown["next"] == str(ids[window, place + 1].item())
    ends = ids[:, 2:] == NAMES.encode(" and")[0]
    assert rows[2]["ands"] == [ends.sum().item()] * 2  # each is above -1
    assert rows[2]["loud"] == ends.numel()


def test_drawn_units_are_two_others():
    assert len({UNIT, *drawn_units()}) == 3
    assert all(1 <= unit <= 1536 for unit in drawn_units())


def test_the_file_has_a_row_for_each_unit():
    rows = MEASUREMENTS.read()
    assert [row["unit"] for row in rows] == [UNIT, *drawn_units()]
    for row in rows:
        sizes = [abs(place["number"]) for place in row["loudest"]]
        assert sizes == sorted(sizes, reverse=True)
        assert len(sizes) == COUNT


def test_the_largest_stored_numbers_of_a_window_are_those_of_the_model():
    smollm = open_model(MODEL)
    ids = alice.windows(smollm.tokenizer, size=SIZE)
    place = MEASUREMENTS.read()[0]["loudest"][0]
    texts = [smollm.tokenizer.decode(window.tolist()) for window in ids]
    window = next(i for i, text in enumerate(texts) if place["text"] in text)
    found, _ = numbers_of(smollm.model, ids[[window]], [UNIT])
    assert found[0, 0, 1:-1].max().item() == pytest.approx(place["number"], abs=0.02)
    assert place["number"] > LOUD
