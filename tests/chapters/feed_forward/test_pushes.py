"""Pushes in many directions: the file, and the model of today."""

import pytest

from chapters.feed_forward.pushes import MEASUREMENTS, STARTS, measured
from chapters.feed_forward.real_units import Unit, chances, equal_pushes
from chapters.laboratory.language_model import language_model
from chapters.laboratory.real_model import open_model
from transformer.zoo import LanguageModel


class Letters:
    """A tokenizer with a token for each letter."""

    def encode(self, text):
        return [1 + ord(letter) % 7 for letter in text]


def test_a_row_has_the_range_over_all_pushes():
    smollm = LanguageModel(language_model(seed=0).eval(), Letters())
    start, unit = list(STARTS)[1], Unit(layer=2, number=12)
    row = measured(smollm, start, unit=unit)
    rows = equal_pushes(smollm.model, unit)
    found = chances(*smollm, start, row["words"], unit=unit, rows=rows)
    assert row["pushes"] == len(found) == 126
    for i in range(len(row["words"])):
        assert row["low"][i] == found[:, i].min() < found[:, i].max() == row["high"][i]


def test_the_file_has_each_beginning_with_its_words():
    rows = MEASUREMENTS.read()
    assert {row["start"]: tuple(row["words"]) for row in rows} == STARTS
    for row in rows:
        assert set(row) == {"start", "words", "pushes", "low", "high"}
        assert row["pushes"] == 126
        assert len(row["low"]) == len(row["high"]) == len(row["words"])


def test_a_stored_row_is_what_the_model_says():
    row = MEASUREMENTS.read()[1]
    found = measured(open_model("smollm2-135m"), row["start"])
    for name in ("low", "high"):
        assert found[name] == pytest.approx(row[name], rel=0.01, abs=1e-5)
