"""The trainings at one learning rate, which show a trap."""

from chapters.ablations.changes import VARIANTS as CHANGED
from chapters.ablations.one_rate import (
    MEASUREMENTS,
    RATES,
    STEPS,
    VARIANTS,
    gains,
    settings,
    shares,
)


def test_the_file_holds_each_training_once():
    keys = ("variant", "learning_rate", "steps", "seed")
    rows = MEASUREMENTS.read()
    assert [{key: row[key] for key in keys} for row in rows] == settings()


def test_no_training_is_listed_twice_and_all_are_known():
    assert len({tuple(setting.values()) for setting in settings()}) == len(settings())
    assert {*VARIANTS} <= {*CHANGED}
    assert {setting["steps"] for setting in settings()} == {STEPS}


def test_a_gain_is_the_mean_difference_at_one_rate():
    rows = MEASUREMENTS.read()
    shares = {
        name: [
            row["exact"]
            for row in rows
            if row["variant"] == name and row["learning_rate"] == 0.003
        ]
        for name in ("baseline", "none")
    }
    mean = sum(b - a for a, b in zip(*shares.values(), strict=True)) / 5
    assert abs(gains("none")[1].mean - mean) < 1e-12
    assert gains("none")[1].low < mean < gains("none")[1].high


def test_shares_have_a_row_for_each_rate_and_a_column_for_each_seed():
    found = shares("none")
    assert found.shape == (len(RATES), 5)
    row = MEASUREMENTS.read()
    wanted = [
        r["exact"] for r in row if (r["variant"], r["learning_rate"]) == ("none", 0.01)
    ]
    assert found[2].tolist() == wanted
