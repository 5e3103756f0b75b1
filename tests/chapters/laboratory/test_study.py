"""A study tries rates until the best lies between two worse, and counts other seeds."""

import itertools
import json
import math
from dataclasses import replace

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.laboratory import measurements, study
from chapters.laboratory.study import (
    FINE,
    LADDER,
    STEEP,
    Comparison,
    Gain,
    Study,
    Verdict,
    chosen,
)

BEST = {"plain": 3e-3, "fast": 1e-1, "slow": 1e-4}


def pretend(variant, learning_rate, steps, seed):
    """Stand for a training: the best rate is known, and large ones diverge."""
    off = 0.4 * math.log10(learning_rate / BEST[variant]) ** 2
    loss = 1 + off + 0.01 * seed + (0.5 if variant == "slow" and steps < 500 else 0)
    gain = 0.1 if variant == "fast" else 0.0
    noise = 0.001 * (-1) ** seed * (variant == "fast")
    return {
        "validation": math.nan if learning_rate > 0.2 else loss,
        "nats": loss - gain + noise,
        "test": -off,  # the rate must not be chosen by what tests
    }


@pytest.fixture
def made(tmp_path, monkeypatch):
    """Return a study whose file stands in a folder of its own."""
    monkeypatch.setattr(measurements, "FOLDER", tmp_path)
    (tmp_path / "chapter").mkdir()
    return Study("chapter", train=pretend, variants=tuple(BEST))


def all_rows(made):
    """Train as `run` does, in this process."""
    rows = []
    while missing := list(made.pending(rows)):
        rows += [dict(setting) | study._timed(pretend, setting) for setting in missing]
    return rows


def rates(rows, variant, steps, seed=0):
    return sorted(
        row["learning_rate"]
        for row in chosen(rows, variant=variant, steps=steps, seed=seed)
    )


def test_first_each_variant_and_budget_tries_all_rates_with_the_first_seed(made):
    missing = list(made.pending([]))
    assert {setting["seed"] for setting in missing} == {0}
    assert len(missing) == 3 * 2 * 3
    assert {setting["learning_rate"] for setting in missing} == {1e-3, 3e-3, 1e-2}


@pytest.mark.parametrize("steps", [200, 800])
def test_rates_go_on_until_the_best_lies_between_two_worse(made, steps):
    rows = all_rows(made)
    assert rates(rows, "plain", steps) == [1e-3, 3e-3, 1e-2]
    # Its neighbor above diverges, so the rates beside the best are tried as well.
    fast = [1e-3, 3e-3, 1e-2, 3e-2, 5e-2, 1e-1, 2e-1, 3e-1]
    assert rates(rows, "fast", steps) == fast
    assert rates(rows, "slow", steps) == [3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2]


def test_the_other_seeds_train_at_the_best_rate_alone(made):
    rows = all_rows(made)
    for variant, best in BEST.items():
        assert rates(rows, variant, 200, seed=1) == [best]
        assert rates(rows, variant, 800, seed=2) == [best]


def test_a_training_that_diverged_is_never_the_best(made):
    rows = [
        {"variant": "plain", "steps": 200, "seed": 0} | {"learning_rate": r} | result
        for r, result in zip(
            (1e-3, 2e-3, 3e-3, 5e-3, 1e-2),
            [{"validation": loss} for loss in (2.0, 2.0, 1.9, None, None)],
            strict=True,
        )
    ]
    missing = [s for s in made.pending(rows) if s["variant"] == "plain"]
    here = [setting for setting in missing if setting["steps"] == 200]
    assert {setting["learning_rate"] for setting in here} == {3e-3}
    assert [setting["seed"] for setting in here] == [1, 2, 3]


def test_rates_end_where_the_ladder_ends(made):
    def row(rate):
        setting = {"variant": "plain", "steps": 200, "seed": 0, "learning_rate": rate}
        return setting | {"validation": rate}

    rows = [row(rate) for rate in LADDER]
    missing = [s for s in made.pending(rows) if s["variant"] == "plain"]
    here = [setting for setting in missing if setting["steps"] == 200]
    assert {s["learning_rate"] for s in here} == {LADDER[0]}
    assert [s["seed"] for s in here] == [1, 2, 3]


def on_a_plateau(variant, learning_rate, steps, seed):
    """Stand for a training that learns nothing: which rate is best is chance."""
    return {"validation": 3.0 + 0.1 * (learning_rate != 3e-3), "nats": 3.0}


@pytest.mark.parametrize(
    ("guess", "lowest"), [(math.inf, 1e-3), (4.0, 1e-3), (3.1, LADDER[0])]
)
def test_who_has_not_begun_to_learn_tries_all_lower_rates(made, guess, lowest):
    stuck = replace(made, train=on_a_plateau, guess=guess)
    rows = []
    while missing := list(stuck.pending(rows)):
        rows += [s | study._timed(on_a_plateau, s) for s in map(dict, missing)]
    assert rates(rows, "plain", 200)[0] == lowest
    assert rates(rows, "plain", 200)[-1] == 1e-2
    assert rates(rows, "plain", 200, seed=1) == [3e-3]


def steeper(variant, learning_rate, steps, seed):
    """Stand for a training that a wrong rate costs much, at its best between two."""
    found = pretend(variant, learning_rate, steps, seed)
    off = math.log10(learning_rate / 5.5e-3) ** 2 if variant == "plain" else 0.0
    return found | {"validation": found["validation"] + off}


def test_where_a_neighbor_costs_much_the_rates_beside_the_best_are_tried(made):
    found = []
    for train in (pretend, steeper):
        rows, studied = [], replace(made, train=train)
        while missing := list(studied.pending(rows)):
            rows += [s | study._timed(train, s) for s in map(dict, missing)]
        found.append(rates(rows, "plain", 200))
    assert found == [[1e-3, 3e-3, 1e-2], [1e-3, 2e-3, 3e-3, 5e-3, 1e-2]]


def test_a_rate_between_two_of_the_ladder_can_be_the_best(made):
    studied = replace(made, train=steeper)
    studied.run()
    assert studied.best_rate("plain", 800) == 5e-3
    assert [row["seed"] for row in studied.trainings("plain", 800)] == [1, 2, 3]


def test_what_is_not_much_hides_less_than_matters_between_two_rates():
    # The parabola through (-1, a), (0, 0) and (1, b) has its lowest point below zero.
    for a, b in itertools.product(torch.linspace(0.001, STEEP, 9).tolist(), repeat=2):
        assert (b - a) ** 2 / (8 * (a + b)) <= study.MATTERS


def test_the_fine_ladder_has_every_rate_of_the_ladder():
    assert set(LADDER) <= set(FINE)
    steps = [high / low for low, high in itertools.pairwise(FINE)]
    assert max(steps) == pytest.approx(2)


def test_a_run_writes_all_that_is_missing_and_nothing_twice(made, monkeypatch):
    made.run()
    content = json.loads(made.measurements.path.read_text(encoding="utf-8"))
    assert list(made.pending(content["rows"])) == []
    assert content["versions"].keys() == {"python", "torch"}
    wanted = {
        (r["variant"], r["steps"], r["learning_rate"], r["seed"]) for r in made.rows
    }
    assert len(wanted) == len(made.rows) == len(all_rows(made))
    assert all(row["seconds"] >= 0 for row in made.rows)
    monkeypatch.setattr(study, "_timed", None)
    made.run()  # nothing is left to train


def nearly_tied(variant, learning_rate, steps, seed):
    """Stand for a training whose two best rates differ in the seventh digit."""
    off = {3e-3: 1e-7, 1e-2: 0.0}.get(learning_rate, 0.5)
    return {"validation": 1 + off, "nats": 1.0}


def test_a_tie_in_the_file_chooses_the_rate_that_has_all_seeds(made):
    tied = replace(made, train=nearly_tied)
    tied.run()
    assert {r["validation"] for r in tied.rows} == {1.0, 1.5}
    assert len(tied.results("plain", 200, "nats")) == len(tied.seeds) - 1
    assert list(tied.pending(tied.rows)) == []


def test_variants_with_other_seeds_are_not_compared(made):
    made.run()
    kept = [r for r in made.measurements.read() if r["seed"] < 2 or r["steps"] < 800]
    lost = [r for r in made.measurements.read() if r not in kept]
    back = [r for r in lost if r["variant"] != "fast"]
    made.measurements.write(kept + back)
    command = "`python -m chapters.chapter.experiments`"
    with pytest.raises(ValueError, match=r"same seeds, got .* at 800 steps") as error:
        Study("chapter", train=pretend, variants=tuple(BEST)).compare(
            "fast", "plain", "nats"
        )
    assert command in str(error.value)


def test_a_run_that_was_stopped_goes_on(made):
    made.run()
    whole = made.measurements.read()
    kept = whole[:10]
    kept[0]["nats"] = -1.0  # what stands there is not trained again
    made.measurements.write(kept)
    made.run()
    assert [r["nats"] for r in made.measurements.read()] == [
        -1.0,
        *(row["nats"] for row in whole[1:]),
    ]


def test_a_variant_is_compared_at_its_own_best_rate(made):
    made.run()
    assert made.best_rate("fast", 200) == 1e-1
    assert made.results("plain", 800, "nats") == (1.01, 1.02, 1.03)
    better = made.compare("fast", "plain", "nats")
    assert better.verdict is Verdict.AHEAD
    assert better.gains[200].mean == pytest.approx(0.1 + 0.001 / 3)
    assert made.compare("plain", "fast", "nats").verdict is Verdict.BEHIND
    more = made.compare("fast", "plain", "nats", more_is_better=True)
    assert more.verdict is Verdict.BEHIND


def test_an_interval_is_that_of_paired_differences(made):
    made.run()
    gain = made.compare("fast", "plain", "nats").gains[200]
    # The differences are 0.101, 0.099 and 0.101; t with two degrees is 4.303, and a
    # quarter stands for the choice of the two rates.
    reach = 4.303 * (0.002 / math.sqrt(3)) * math.sqrt(1 / 3 + 1 / 4)
    assert gain.high - gain.mean == pytest.approx(reach, rel=1e-3)


@facts(
    "first, last, verdict",
    [
        ((0.1, 0.2), (0.3, 0.4), "clearly ahead"),
        ((-0.2, -0.1), (-0.4, -0.3), "clearly behind"),
        ((-0.1, 0.2), (-0.1, 0.1), "no clear difference"),
        ((0.1, 0.2), (-0.1, 0.1), "ahead at first"),
        ((-0.2, -0.1), (-0.1, 0.1), "behind at first"),
        ((-0.1, 0.1), (0.1, 0.2), "ahead in the end"),
        ((-0.1, 0.1), (-0.2, -0.1), "behind in the end"),
        ((-0.2, -0.1), (0.1, 0.2), "turns around"),
        ((0.1, 0.2), (-0.2, -0.1), "turns around"),
    ],
)
def test_a_verdict_holds_at_every_budget_or_says_at_which_end(first, last, verdict):
    gains = {
        steps: Gain((low + high) / 2, low, high)
        for steps, (low, high) in ((800, last), (200, first))
    }
    assert Comparison(gains).verdict == verdict


def test_a_budget_between_can_keep_a_verdict_from_being_clear():
    ahead, level, behind = Gain(0.2, 0.1, 0.3), Gain(0, -1, 1), Gain(-0.2, -0.3, -0.1)
    for first, middle, last, verdict in (
        (ahead, level, ahead, Verdict.LEVEL),
        (level, ahead, level, Verdict.LEVEL),
        (ahead, ahead, level, Verdict.AHEAD_AT_FIRST),
        (level, behind, level, Verdict.LEVEL),
        (ahead, behind, level, Verdict.TURNS),
    ):
        assert Comparison({200: first, 400: middle, 800: last}).verdict is verdict


def test_a_gain_below_what_matters_is_none():
    tiny, small = Gain(0.019, 0.018, 0.02), Gain(0.021, 0.001, 0.041)
    assert Comparison({200: tiny, 800: tiny}).verdict is Verdict.LEVEL
    assert Comparison({200: small, 800: small}).verdict is Verdict.AHEAD
    assert Comparison({200: small, 800: tiny}).verdict is Verdict.AHEAD_AT_FIRST
    assert Gain(0.019, 0.018, 0.02, matters=0.01).verdict() is Verdict.AHEAD


def test_a_study_says_what_matters_in_it(made):
    larger = replace(made, matters=0.2)
    larger.run()
    assert larger.compare("fast", "plain", "nats").verdict is Verdict.LEVEL
    assert made.compare("fast", "plain", "nats").verdict is Verdict.AHEAD
    assert larger.small_print.endswith("A gain below 0.2 does not count.")


def test_a_margin_asks_for_more_and_level_asks_for_a_small_interval():
    ahead = Gain(0.15, 0.1, 0.2)
    assert ahead.verdict(0.05) is Verdict.AHEAD
    assert ahead.verdict(0.15) is Verdict.LEVEL
    assert ahead.is_within(0.21)
    assert not ahead.is_within(0.2)  # level by chance and level in fact are two things
    assert not Comparison({200: Gain(0.0, -1.0, 1.0)}).is_within(0.5)


def test_a_table_has_a_row_for_each_variant_that_is_asked_for(made):
    made.run()
    table = made.table("nats", 200, ["slow", "plain"])
    assert table.head == ["200 steps", "rate", "mean (range)"]
    assert table.rows == [
        ["slow", "0.0001", "1.52 (1.51 to 1.53)"],
        ["plain", "0.003", "1.02 (1.01 to 1.03)"],
    ]
    assert len(made.table("nats", 800).rows) == len(BEST)


def test_a_table_of_gains_ends_in_what_holds_at_every_budget(made):
    made.run()
    table = made.against("plain", "nats")
    assert table.head == ["gain over plain", "200 steps", "800 steps", "verdict"]
    assert table.rows == [
        ["fast", "+0.10 ± 0.00", "+0.10 ± 0.00", "clearly ahead"],
        ["slow", "-0.50 ± 0.00", "+0.00 ± 0.00", "behind at first"],
    ]
    assert made.against("fast", "nats", ["plain"]).rows == [
        ["plain", "-0.10 ± 0.00", "-0.10 ± 0.00", "clearly behind"],
    ]


def test_more_can_be_better_in_a_table_of_gains(made):
    made.run()
    table = made.against("plain", "nats", ["slow"], more_is_better=True)
    assert table.rows[0][:2] == ["slow", "+0.50 ± 0.00"]


def test_the_small_print_says_on_how_much_a_comparison_rests(made):
    made.run()
    conditions = (
        "Each variant at the best of its learning rates (3e-05 to 0.3, chosen on\n"
        "validation data by another seed), after 200 and 800 steps, 3 seeds."
    )
    assert made.conditions == conditions
    assert made.small_print == (
        f"{conditions}\nAn interval (±) is one of 95 %, the choice of rates included.\n"
        "A gain below 0.02 does not count."
    )
    assert made.small_print_of_ranges == (
        f"{conditions}\nIn brackets: the lowest and the highest seed."
    )


@facts(
    "fault, message",
    [
        ({"rates": (1e-3, 3e-3)}, "rates must be at least 3 of "),
        ({"rates": (1e-3, 2e-3, 3e-3)}, "rates must be at least 3 of "),
        ({"budgets": (200, 799)}, "the last budget must be at least 4 times"),
        ({"budgets": (200,)}, "the last budget must be at least 4 times"),
        ({"seeds": (0, 1, 2)}, "seeds must be at least 4, got"),
    ],
)
def test_a_study_of_too_little_is_refused(fault, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        Study("chapter", train=pretend, variants=("plain",), **fault)
