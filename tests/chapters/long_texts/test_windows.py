"""Windows of a trained model: who sees whom, and the file of the losses."""

import pytest
import torch
from torch.testing import assert_close

from bookkit.checking.facts import facts
from chapters.laboratory.language_model import language_model
from chapters.laboratory.measurements import by_value
from chapters.laboratory.real_model import loss_of, open_model
from chapters.long_texts.windows import (
    BLOCK,
    IN_FRONT,
    MEASUREMENTS,
    SIGHTS,
    TOKENS,
    Sight,
    losses,
    losses_behind,
    mask_of,
    texts,
)
from transformer.layers import window_mask

IDS = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8]


@pytest.fixture(scope="module")
def model():
    return language_model(seed=0, norm="rms").eval()


def test_a_sight_is_a_window_and_some_places_that_stay():
    found = mask_of(Sight(3, (0, 1)), 11)
    assert torch.equal(found, window_mask(11, window=3, sink_tokens=2))
    seen = mask_of(Sight(2, (4,)), 7)[6].nonzero()[:, 0].tolist()
    assert seen == [4, 5, 6]
    assert not mask_of(Sight(2, (4,)), 7)[:4, 4].any()


def test_losses_are_those_of_the_model_where_all_is_seen(model):
    found = losses(model, IDS, Sight(len(IDS)))
    assert found.mean().item() == pytest.approx(loss_of(model, IDS), abs=1e-6)


def test_a_window_costs_nothing_until_it_is_full(model):
    whole, near = (losses(model, IDS, Sight(window)) for window in (99, 5))
    assert_close(near[:5], whole[:5])
    assert not torch.isclose(near[5:], whole[5:]).all()


def test_a_muted_token_is_missed_by_those_who_see_it_and_by_nobody_else(model):
    near, kept = Sight(2), Sight(2, (0,))
    heard, muted = (losses(model, IDS, kept, mute_first=mute) for mute in (False, True))
    assert_close(muted[0], heard[0])  # its own stream stays
    assert not torch.isclose(muted[1:], heard[1:]).any()
    layers = len(model.decoder.layers)
    heard, muted = (losses(model, IDS, near, mute_first=mute) for mute in (False, True))
    assert_close(muted[layers + 1 :], heard[layers + 1 :])


def test_behind_a_line_break_the_same_tokens_are_counted(model):
    class Breaks:
        def encode(self, text):
            return [7] * len(text)

    whole = losses(model, [7, *IDS], Sight(99))[1:]
    assert_close(losses_behind(model, Breaks(), IDS), whole)


def test_the_file_has_each_text_with_each_sight():
    rows = MEASUREMENTS.read()
    assert [row["sight"] for row in rows] == [*SIGHTS, IN_FRONT] * 3
    assert {len(row["course"]) for row in rows} == {(TOKENS - 1) // BLOCK}


@facts("name", ["every token", "the last 64", "the last 64, the first one"])
def test_stored_courses_are_those_of_the_model(name):
    opened = open_model("smollm2-135m")
    if opened is None:
        pytest.skip("the model is not installed")
    smollm, tokenizer = opened
    ids = texts(tokenizer)["this book"][: 6 * BLOCK + 1]
    found = losses(smollm, ids, SIGHTS[name]).view(-1, BLOCK).mean(dim=1)
    (stored,) = (
        row["course"]
        for row in MEASUREMENTS.read()
        if (row["text"], row["sight"]) == ("this book", name)
    )
    # a float32 model of 30 layers, on another machine
    assert found.tolist() == pytest.approx(stored[:6], abs=0.02)


def test_one_token_is_what_the_window_lacked():
    """In each of the three texts."""
    found = by_value(MEASUREMENTS.read(), "sight", "nats")
    every, near, first, four, others, wide = (
        torch.tensor(found[name])
        for name in (
            "every token",
            "the last 64",
            "the last 64, the first one",
            "the last 64, the first four",
            "the last 64, four others",
            "the last 256",
        )
    )
    assert (first - every < 0.5).all()
    assert (near - every > 1).all()
    assert (others - every > 1).all()
    assert (first < wide).all()
    assert ((first - four).abs() < 0.02).all()
    assert ((first - torch.tensor(found[IN_FRONT])).abs() < 0.1).all()
