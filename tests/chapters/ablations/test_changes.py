"""The translator with each choice changed, and the study of its trainings."""

from functools import cache

import pytest
import torch
from torch import nn

from bookkit.checking.facts import facts
from chapters.ablations import changes
from chapters.ablations.changes import (
    AGAIN,
    CHANGES,
    LATER,
    STUDY,
    VARIANTS,
    Nothing,
    choices,
    measured,
    own_loss,
    without_feed_forward,
    without_norms,
    without_skips,
)
from chapters.laboratory.changed_layers import WithoutSkip
from chapters.laboratory.recipe import Trained
from chapters.laboratory.starting_size import SIZE, output_size
from chapters.laboratory.study import Verdict
from chapters.laboratory.translator import new_translator
from transformer.layers import (
    GatedFeedForward,
    LayerNorm,
    PositionwiseFeedForward,
    ResidualConnection,
)

TRAINING = ("warm_up", "smoothing")
SETTING = {"learning_rate": 3e-3, "steps": 2}


@cache
def fresh(variant, seed=0):
    made = choices(variant)
    return new_translator(
        seed=seed, **{name: x for name, x in made.items() if name not in TRAINING}
    )


def parts(model, kind):
    return [module for module in model.modules() if isinstance(module, kind)]


def noting(asked, name, function):
    """Return the function, which notes the pairs that it is asked about."""

    def noted(*given, **more):
        asked[name] = given[0 if name == "sorted_batches" else 1]
        return function(*given, **more)

    return noted


@facts(
    "change, kind",
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
        held = [part.residual for part in parts(model, WithoutSkip)]
        assert all(any(part is inner for inner in held) for part in left)
    else:
        assert not left


def test_nothing_adds_nothing():
    x = torch.ones(2, 3)
    assert torch.equal(Nothing()(x), torch.zeros(2, 3))
    assert isinstance(Nothing(), nn.Module)


@facts("variant", list(VARIANTS))
def test_every_variant_builds_and_differs_from_the_baseline(variant):
    changed = any(VARIANTS[variant].get(name) is not None for name in TRAINING)
    baseline, model = fresh("baseline"), fresh(variant)
    same = model.config == baseline.config and str(model) == str(baseline)
    assert (same and not changed) == (variant == "baseline")


@facts("variant", list(VARIANTS))
def test_all_networks_start_at_one_size(variant):
    networks = parts(fresh(variant), PositionwiseFeedForward | GatedFeedForward)
    assert bool(networks) == (variant != "none")
    for part in networks:
        size = output_size(part, part.up_projection.in_features)
        assert size == pytest.approx(SIZE, rel=1e-5)


def test_the_baseline_again_is_the_baseline_with_the_seeds_that_follow(monkeypatch):
    monkeypatch.setitem(VARIANTS, "baseline", {"warm_up": 0})
    again = measured(AGAIN, seed=1, **SETTING)
    assert again == measured("baseline", seed=1 + LATER, **SETTING)


def test_the_rate_is_chosen_by_the_loss_that_is_trained():
    model = new_translator(seed=0)
    plain, smoothed = (own_loss(Trained(model, [], False), x) for x in (0.0, 0.2))
    assert plain != pytest.approx(smoothed)
    assert own_loss(Trained(model, [], True), 0.1) == float("inf")


def test_what_chooses_the_rate_is_not_what_is_tested(monkeypatch):
    asked = {}
    for name in ("sorted_batches", "scores", "share_right"):
        asked_so = getattr(changes, name)
        monkeypatch.setattr(changes, name, noting(asked, name, asked_so))
    measured("0 steps", seed=0, **SETTING)
    task = changes.numbers()
    assert asked["sorted_batches"] == task.held_out[0::2]
    assert asked["scores"] == task.held_out[1::2]
    assert asked["share_right"] == task.splits.test[1::2]


def test_the_module_lists_what_it_trains():
    assert [name for group in CHANGES.values() for name in group] == list(VARIANTS)
    assert STUDY.variants == (*VARIANTS, AGAIN)


@facts("field", ["nats", "exact"])
def test_a_warm_up_gains_clearly_at_first_for_post_norm_alone(field):
    more = field == "exact"
    for warm, without, early in (
        ("baseline", "0 steps", Verdict.LEVEL),
        ("post-norm", "post-norm, no warm-up", Verdict.AHEAD),
    ):
        found = STUDY.compare(warm, without, field, more_is_better=more)
        first, last = (found.gains[steps] for steps in STUDY.budgets)
        assert first.verdict() is early
        assert last.is_within(0.005)
