"""What a change is worth, from the trainings of a study."""

import math

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.ablations.changes import CHANGES, STUDY, VARIANTS
from chapters.ablations.differences import (
    effects,
    grouped_interval,
    left_by_pairing,
    results,
    table,
    verdict,
)
from chapters.laboratory.differences import t_quantile
from chapters.laboratory.study import Gain, Results

GROUPS = {"baseline": {"baseline": {}}, "size": {"big": {}}}


def row(variant, rate, seed, exact, validation=1.0):
    setting = {"variant": variant, "learning_rate": rate, "steps": 7, "seed": seed}
    return setting | {"validation": validation, "exact": exact, "nats": 1 - exact}


class Trained(Results):
    """Two variants, a seed that chooses and two; big has the second rate."""

    rows = (
        row("baseline", 0.1, 0, 0.6),
        row("baseline", 0.1, 1, 0.3),
        row("baseline", 0.1, 2, 0.5),
        row("baseline", 0.3, 0, 0.9, validation=2.0),
        row("big", 0.1, 0, 0.2),
        row("big", 0.3, 0, 0.1, validation=0.5),
        row("big", 0.3, 1, 0.4),
        row("big", 0.3, 2, 0.8),
    )


TRAINED = Trained("ablations", "changes")


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


def test_each_variant_is_taken_at_the_rate_that_validation_chose():
    assert results("baseline", 7, study=TRAINED).tolist() == [0.3, 0.5]
    assert results("big", 7, study=TRAINED).tolist() == [0.4, 0.8]


def test_effects_are_paired_with_the_baseline_by_seed():
    (found,) = effects(7, groups=GROUPS, study=TRAINED)
    assert (found.group, found.variant) == ("size", "big")
    assert found.gain.mean == pytest.approx(0.2)  # the mean of 0.1 and 0.3
    assert not found.is_clear
    gap = found.gain.mean - found.gain.low
    assert gap == pytest.approx(found.gain.high - found.gain.mean)


def test_a_smaller_share_makes_a_shorter_interval():
    (wide,) = effects(7, groups=GROUPS, study=TRAINED)
    (short,) = effects(7, groups=GROUPS, study=TRAINED, share=0.5)
    assert wide.gain.low < short.gain.low < short.gain.mean


def test_every_change_of_the_study_has_an_effect():
    names = [found.variant for found in effects(STUDY.budgets[0])]
    assert names == [name for name in VARIANTS if name != "baseline"]
    assert {found.group for found in effects(STUDY.budgets[0])} == {*CHANGES} - {
        "baseline"
    }


def test_the_table_begins_with_the_baseline_and_ends_with_the_greatest_gain():
    made = table()
    first, *rows = made.rows
    few, many = STUDY.budgets
    assert made.head[1:3] == [f"{few}", f"{many}"]
    means = [f"{results('baseline', steps).mean():.2f}" for steps in (few, many)]
    assert first == ["baseline", *means, "", ""]
    assert rows[0] == ["no skips", "0.00", "0.00", "-0.89 ± 0.04", "clearly behind"]
    assert rows[-1][0] == "no norms"
    assert len(rows) == len(VARIANTS) - 1
    gains = [float(gain.partition(" ± ")[0]) for *_, gain, _ in rows]
    assert gains == sorted(gains)


def test_the_table_shows_the_changes_that_are_asked_for():
    names = [name for name, *_ in table(["rotary", "no skips"]).rows]
    assert names == ["baseline", "no skips", "rotary positions"]


def test_the_table_calls_a_gain_clear_if_its_interval_just_leaves_out_zero():
    _, row = table(["untied"]).rows
    assert row[-2:] == ["+0.05 ± 0.04", "ahead at first"]


@facts(
    "first, last, said",
    [
        ((0.001, 0.2), (0.1, 0.2), "clearly ahead"),
        ((0.001, 0.2), (-0.1, 0.2), "ahead at first"),
        ((-0.2, 0.1), (-0.2, -0.001), "behind in the end"),
        ((-0.2, 0.1), (-0.1, 0.2), "no clear difference"),
        ((-0.2, -0.1), (0.1, 0.2), "turns around"),
    ],
)
def test_a_verdict_asks_at_both_ends_whether_zero_is_left_out(first, last, said):
    gains = {29: Gain(sum(last) / 2, *last), 7: Gain(sum(first) / 2, *first)}
    assert verdict(gains) == said
