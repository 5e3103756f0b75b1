"""How alike tokens become in the first steps of a training."""

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.norm_placement.first_steps import (
    DEEP,
    MEASUREMENTS,
    STEPS,
    likeness,
    likeness_in,
    measured,
    moved_by_a_step,
    settings,
)
from chapters.norm_placement.fresh_models import first_batch
from chapters.norm_placement.orders import SMALL_START, STUDY, number_config
from transformer.data import PAD_ID
from transformer.models import Transformer


@pytest.fixture(scope="module")
def rows():
    return MEASUREMENTS.read()


def of(rows, variant, rate):
    found = [r for r in rows if (r["variant"], r["learning_rate"]) == (variant, rate)]
    assert {row["seed"] for row in found} == {0, 1, 2}
    return found


def test_likeness_is_the_mean_cosine_of_every_two_real_tokens():
    x = torch.tensor([[[1.0, 0.0], [0.0, 2.0]], [[3.0, 3.0], [9.0, 9.0]]])
    real = torch.tensor([[True, True], [True, False]])
    assert likeness(x, real) == pytest.approx((0 + 2 * 0.5**0.5) / 3)


def test_a_look_changes_nothing_and_tells_of_both_stacks():
    torch.manual_seed(5)
    model, batch = Transformer(number_config("post", 1)), first_batch()
    before = model.training, model.eval()(*batch.inputs)
    model.train()
    found = likeness_in(model, batch)
    assert model.training == before[0]
    assert torch.equal(model.eval()(*batch.inputs), before[1])
    assert list(found) == ["encoder", "decoder"]
    assert all(0 < one < 1 for one in found.values())
    assert likeness_in(model.eval(), batch) == found
    assert not model.training


def test_padding_does_not_count():
    batch = first_batch()
    assert (batch.source == PAD_ID).any()
    x = torch.zeros(*batch.source.shape, 2)
    x[..., 0] = batch.source != PAD_ID
    assert likeness(x, batch.source != PAD_ID) == pytest.approx(1)


def test_the_file_holds_each_training_once(rows):
    keys = ("variant", "learning_rate", "seed")
    assert [{key: row[key] for key in keys} for row in rows] == settings()
    for row in rows:
        assert len(row["encoder"]) == len(row["decoder"]) == len(STEPS)
        assert len(row["losses"]) == STEPS[-1]


def test_the_stored_numbers_are_what_a_training_gives_again(rows):
    row = of(rows, DEEP["post"], 3e-3)[0]
    again = measured(variant=DEEP["post"], learning_rate=3e-3, seed=0, steps=4)
    assert again["losses"] == pytest.approx(row["losses"][:4], abs=0.05)
    assert again["decoder"] == pytest.approx(row["decoder"][:5], abs=0.02)
    assert len(again["decoder"]) == 5


def test_what_the_chapter_says_of_the_first_steps(rows):
    four, last = STEPS.index(4), -1
    for variant in (DEEP["post"], SMALL_START):
        for row in of(rows, variant, 3e-3):
            assert row["decoder"][four] > 0.99
            assert row["decoder"][last] > 0.999
    for variant, rate in ((DEEP["pre"], 3e-3), (SMALL_START, 1e-3)):
        for row in of(rows, variant, rate):
            assert max(row["decoder"]) > 0.9
    for row in of(rows, DEEP["post"], 1e-4):
        assert max(row["decoder"]) < 0.97
        assert row["decoder"][last] < 0.7


def test_who_stalls_has_words_that_are_alike_and_who_learns_has_not(rows):
    for row in rows:
        stalls = sum(row["losses"][-5:]) / 5 > 3
        apart = row["decoder"][-1] < 0.7
        assert stalls != apart
        assert max(row["decoder"]) > 0.86  # at some time they all are


def test_the_trainings_are_those_of_the_short_budget():
    assert STEPS[0] == 0
    assert STEPS[-1] == STUDY.budgets[0]


@facts("rate", [1e-4, 1e-3])
def test_a_step_moves_the_scores_by_about_its_size(rate):
    variant = "post, 2 layers"
    [moved] = moved_by_a_step(variant, [rate], 0).tolist()
    assert [moved] == moved_by_a_step(variant, [rate], 0).tolist()
    assert 200 * rate < moved < 2000 * rate


def test_a_step_at_several_rates_is_the_step_at_each_of_them():
    rates = (1e-4, 3e-3)
    alone = [moved_by_a_step("pre, 2 layers", [rate], 0) for rate in rates]
    together = moved_by_a_step("pre, 2 layers", rates, 0)
    # float32 weights: a step of 1e-4 has four digits there
    torch.testing.assert_close(together, torch.cat(alone), rtol=1e-3, atol=0)


def test_a_step_of_hardly_any_size_moves_hardly_anything():
    assert moved_by_a_step("pre, 2 layers", [1e-9], 0).item() < 1e-5
