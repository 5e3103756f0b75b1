"""The trainings of the chapter on ablations, their file, and what is made of it."""

import math

import pytest
import torch
from torch import nn

from chapters.ablations import experiments as ablations
from chapters.ablations.differences import (
    chosen_rate,
    effects,
    grouped_interval,
    left_by_pairing,
    pairing,
    results,
)
from chapters.ablations.experiments import (
    CHANGES,
    LEARNING_RATES,
    MEASUREMENTS,
    STEPS,
    VARIANTS,
    measured,
    rounds,
    without_feed_forward,
    without_norms,
    without_skips,
)
from chapters.ablations.two_tasks import STUDIES, in_the_language_model
from chapters.laboratory.differences import t_quantile
from chapters.laboratory.study import Verdict
from chapters.laboratory.translator import new_translator
from transformer.layers import LayerNorm, PositionwiseFeedForward, ResidualConnection

RATES = (0.1, 0.2)
GROUPS = {"baseline": {"baseline": {}}, "size": {"big": {}}}


def row(variant, rate, seed, exact):
    setting = {"variant": variant, "learning_rate": rate, "seed": seed}
    return setting | {"exact": exact, "nats": 1 - exact, "parameters": 7}


ROWS = [
    row("baseline", 0.1, 1, 0.5),
    row("baseline", 0.1, 0, 0.3),
    row("baseline", 0.2, 0, 0.1),
    row("baseline", 0.2, 1, 0.1),
    row("big", 0.1, 0, 0.2),
    row("big", 0.1, 1, 0.2),
    row("big", 0.2, 0, 0.4),
    row("big", 0.2, 1, 0.8),
]


def mean_of(numbers):
    return sum(numbers) / len(numbers)


def parts(model, kind):
    return [module for module in model.modules() if isinstance(module, kind)]


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (without_norms, LayerNorm),
        (without_skips, ResidualConnection),
        (without_feed_forward, PositionwiseFeedForward),
    ],
)
def test_a_change_takes_all_parts_of_a_kind_out(change, kind):
    assert parts(new_translator(seed=0), kind)
    model = new_translator(seed=0, change=change)
    left = parts(model, kind)
    if change is without_skips:  # the connection stays inside, without its skip
        held = [part.residual for part in parts(model, ablations.WithoutSkip)]
        assert all(any(part is inner for inner in held) for part in left)
    else:
        assert not left


def test_nothing_adds_nothing():
    x = torch.ones(2, 3)
    assert torch.equal(ablations.Nothing()(x), torch.zeros(2, 3))
    assert isinstance(ablations.Nothing(), nn.Module)


@pytest.mark.parametrize("variant", list(VARIANTS))
def test_every_variant_builds_and_differs_from_the_baseline(variant):
    made = dict(VARIANTS[variant])
    training = {key: made.pop(key) for key in ("warm_up", "smoothing") if key in made}
    baseline, model = new_translator(seed=0), new_translator(seed=0, **made)
    same = model.config == baseline.config and str(model) == str(baseline)
    assert (same and not training) == (variant == "baseline")


def test_a_training_repeats_to_the_last_bit():
    first = measured("0 steps", 5e-3, 7, steps=2)
    torch.rand(5)
    assert measured("0 steps", 5e-3, 7, steps=2) == first
    assert not first["diverged"]


def test_the_file_holds_each_training_once():
    rows = MEASUREMENTS.read()
    keys = ("variant", "learning_rate", "seed", "steps")
    assert [{key: row[key] for key in keys} for row in rows] == rounds()


def test_the_interval_of_two_groups_of_four_by_hand():
    before = torch.tensor([0.8, 0.6, 0.7, 0.9]).double()
    after = torch.tensor([0.84, 0.66, 0.72, 0.94]).double()
    found = grouped_interval(before, after)
    assert found == pytest.approx((0.04, -0.18, 0.26), abs=5e-4)  # six degrees, t 2.45


def test_two_groups_may_differ_in_size():
    small, large = torch.tensor([1.0, 3.0]), torch.tensor([2.0, 2.0, 5.0])
    mean, low, high = grouped_interval(small.double(), large.double())
    error = math.sqrt((2 + 6) / 3 * (1 / 2 + 1 / 3))
    assert mean == pytest.approx(1.0)
    assert (high - low) / 2 == pytest.approx(t_quantile(3) * error)


def test_pairing_leaves_nothing_of_equal_differences_and_all_of_unrelated_ones():
    a, b = torch.tensor([1.0, -1, 1, -1]), torch.tensor([1.0, 1, -1, -1])
    assert left_by_pairing(a, a + 3) == 0
    assert left_by_pairing(a, b) == pytest.approx(1)
    assert left_by_pairing(a, -a) == pytest.approx(2)


def test_pairing_is_judged_by_one_share_for_each_change():
    assert pairing(ROWS, ["baseline", "big"]) == pytest.approx([0.02 / (0.02 + 0.08)])
    assert pairing(ROWS, ["baseline", "big", "big"], 0.1) == pytest.approx([1.0, 1.0])


def test_results_come_by_seed():
    found = results(ROWS, "exact", variant="baseline", learning_rate=0.1)
    assert found.tolist() == [0.3, 0.5]


def test_each_variant_is_taken_at_its_better_rate():
    assert chosen_rate(ROWS, "baseline") == 0.1
    assert chosen_rate(ROWS, "big") == 0.2


def test_effects_are_paired_with_the_baseline_by_seed():
    (found,) = effects(ROWS, GROUPS)
    assert (found.group, found.variant, found.parameters) == ("size", "big", 7)
    assert found.changed == (0.4, 0.8)
    assert found.mean == pytest.approx(0.2)  # the mean of 0.1 and 0.3
    assert not found.is_clear
    assert found.mean - found.low == pytest.approx(found.high - found.mean)


def test_one_rate_for_all_and_another_field():
    (found,) = effects(ROWS, GROUPS, rate=0.1, field="nats")
    assert found.learning_rate == 0.1
    assert found.mean == pytest.approx(0.2)  # fewer right, more nats


def test_the_language_model_gains_by_what_the_chapters_measured():
    gains = in_the_language_model()
    assert set(gains) <= set(VARIANTS)
    assert gains["rotary"].verdict() == Verdict.AHEAD
    assert gains["no positions"].verdict() == Verdict.BEHIND
    assert gains["SwiGLU"].mean > 0 > gains["no scale"].mean


def test_each_change_stands_in_one_place_and_has_a_baseline():
    changed = [name for _, _, changes in STUDIES for name in changes.values()]
    assert sorted(changed) == sorted(in_the_language_model())
    for study, baseline, changes in STUDIES:
        assert STEPS in study.trained_steps
        known = {row["variant"] for row in study.rows}
        assert {baseline, *changes} <= known


def test_the_module_lists_what_it_trained():
    assert [name for group in CHANGES.values() for name in group] == list(VARIANTS)
    short = len(ablations.SEEDS) * len(VARIANTS) + len(ablations.FRESH)
    long = len(ablations.LONG) * len(ablations.LONG_SEEDS)
    assert len(rounds()) == short * len(LEARNING_RATES) + long


def test_no_training_is_listed_twice():
    assert len({tuple(setting.values()) for setting in rounds()}) == len(rounds())
