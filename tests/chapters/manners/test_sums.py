"""The web of sums is as careless as it says, and its reader has read it."""

import random
from collections import Counter

import pytest
import torch

from chapters.laboratory import measurements
from chapters.manners.reader import MEASUREMENTS, reader, write
from chapters.manners.sums import (
    SIGNS,
    as_rows,
    decode,
    encode,
    has_carry,
    is_right,
    large_sums,
    loss_of,
    mentions_right,
    of_the_web,
    prompt,
    sums,
    tiny_model,
    without_carry,
)


def test_a_text_becomes_ids_and_an_answer_text_again():
    assert decode(encode("42?32.")) == "42?32"
    assert decode(encode("42.17")) == "42"
    rows = as_rows(["17+25=42.", "1."])
    assert rows.tolist() == [encode("17+25=42."), [*encode("1."), *[0] * 7]]
    assert SIGNS[0] == " "


def test_who_forgets_to_carry_is_ten_too_low():
    assert (without_carry((17, 25)), without_carry((17, 22))) == (32, 39)
    assert has_carry((17, 25))
    assert not has_carry((17, 22))


def test_a_careless_check_overlooks_a_second_answer():
    said = {"42": (True, True), "42?32": (False, True), "32": (False, False)}
    for answer, wanted in said.items():
        found = is_right(answer, (17, 25)), mentions_right(answer, (17, 25))
        assert found == wanted


def test_sums_are_held_apart_and_the_large_ones_are_large():
    parts = [set(part) for part in sums()]
    assert sum(map(len, parts)) == len(set.union(*parts))
    assert all(has_carry(pair) and sum(pair) < 100 for part in parts for pair in part)
    assert all(sum(pair) > 99 for pair in large_sums())


def test_the_web_is_right_careless_or_undecided():
    draw = random.Random(0)
    counts = Counter(of_the_web((17, 25), draw) for _ in range(4000))
    assert counts["17+25=42."] / 4000 == pytest.approx(0.45, abs=0.03)
    assert counts["17+25=32."] / 4000 == pytest.approx(0.45, abs=0.03)
    assert counts["17+25=42?32."] + counts["17+25=32?42."] > 300
    assert len(counts) == 4
    assert of_the_web((17, 22), draw) == "17+22=39."


def test_the_loss_counts_the_answer_and_its_end_alone():
    model = tiny_model(0)
    rows = as_rows(["17+25=42.", "17+25=4."])
    logs = model(rows[:, :-1]).log_softmax(dim=-1)
    learned = [(0, 5, "4"), (0, 6, "2"), (0, 7, "."), (1, 5, "4"), (1, 6, ".")]
    nats = [-logs[row, place, SIGNS.index(sign)] for row, place, sign in learned]
    torch.testing.assert_close(loss_of(model, rows), torch.stack(nats).mean())


def test_the_reader_is_as_the_web():
    draw = random.Random(1)
    texts = [of_the_web(pair, draw) for pair in sums()[2]]
    with torch.no_grad():
        # Each answer has about the entropy of the web, a nat over three signs.
        assert loss_of(reader(), as_rows(texts)).item() < 0.4
        assert loss_of(tiny_model(0), as_rows(texts)).item() > 2
    assert prompt((17, 25)) == "17+25="


def test_the_reader_is_stored_as_it_is(monkeypatch, tmp_path):
    model, stored = reader(), MEASUREMENTS.path.read_bytes()
    (tmp_path / "manners").mkdir()
    monkeypatch.setattr(measurements, "FOLDER", tmp_path)
    write(model)
    assert (tmp_path / "manners/reader.json").read_bytes() == stored
