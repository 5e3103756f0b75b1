"""Rewards reach the answers that earned them, and the study is complete."""

import random

import pytest
import torch

from chapters.manners.reader import reader
from chapters.manners.rewarding import (
    STUDY,
    VARIANTS,
    ask,
    judged,
    labels_of,
    learn,
    measured,
    rewarded_step,
)
from chapters.manners.sums import END, SIGNS, as_rows, is_right, sums

SETTING = {"learning_rate": 1e-3, "steps": 2, "seed": 3}


def test_a_measurement_repeats_to_the_last_bit():
    found = measured("reward", **SETTING)
    torch.rand(7)
    assert measured("reward", **SETTING) == found
    assert {*found, "seconds", "variant", *SETTING} == {*STUDY.rows[0]}


def test_answers_follow_their_sums_in_groups():
    rows, texts = ask(reader(), sums()[1][:3], 4, torch.Generator().manual_seed(0))
    assert rows.size(0) == len(texts) == 12
    assert len({tuple(row[:6].tolist()) for row in rows[:4]}) == 1
    assert [SIGNS[id] for id in rows[0, :6]][-1] == "="


def test_labels_end_with_the_end():
    rows = as_rows(["17+25=42.  ", "17+25=42?32"])
    labels = labels_of(rows)
    assert labels[0, 5:].tolist() == [*rows[0, 6:9].tolist(), -100, -100]
    assert labels[0, 7] == END
    assert labels[1, 5:].tolist() == rows[1, 6:].tolist()
    assert torch.all(labels[:, :5] == -100)


def test_a_step_makes_what_was_rewarded_likelier():
    model, before = reader(), reader()
    asked = sums()[0][:4]
    loss, reward = rewarded_step(
        model, before, asked, is_right, torch.Generator().manual_seed(1)
    )
    assert 0 < reward < 1
    loss.backward()
    with torch.no_grad():
        for weight in model.parameters():
            weight -= 0.1 * weight.grad
    found = [judged(one, asked, seed=2)["right"] for one in (before, model)]
    assert found[1] > found[0]


@pytest.mark.parametrize("variant", [*VARIANTS, "careless check"])
def test_each_variant_learns_something(variant):
    model = learn(variant, reader(), **SETTING)
    moved = zip(model.parameters(), reader().parameters(), strict=True)
    assert any(not torch.equal(new, old) for new, old in moved)


def test_watch_is_told_of_each_reward():
    told = []
    learn("reward", reader(), **SETTING, watch=lambda step, r: told.append((step, r)))
    assert [step for step, _ in told] == [1, 2]
    assert all(0 <= reward <= 1 for _, reward in told)


def test_shares_are_shares():
    asked = random.Random(0).sample(sums()[2], 20)
    found = judged(reader(), asked, seed=0)
    assert 0 < found["right"] <= found["mentions"] <= found["right"] + found["both"]
    assert found["right"] <= found["pass16"] <= 1
    assert found["entropy"] > 0.5


def test_the_study_is_complete():
    assert list(STUDY.pending(STUDY.rows)) == []
