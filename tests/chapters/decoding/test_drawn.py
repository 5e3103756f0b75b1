"""The texts that a language model drew: the file and the model of today."""

import pytest

from chapters.decoding.drawn import (
    CUTS,
    MEASUREMENTS,
    SEEDS,
    TEMPERATURES,
    measured,
    stored_by,
    stored_draws,
    stored_suspects,
)
from chapters.decoding.real_texts import PROMPT, STEPS, distributions, traces
from chapters.laboratory.real_model import as_ids, open_model


def test_the_file_holds_five_texts_of_one_length_and_eight_draws():
    assert [*stored_suspects()] == [*"ABCDE"]
    assert {len(ids) for ids in stored_suspects().values()} == {STEPS}
    assert len(stored_draws()) == len(SEEDS)


def test_the_file_holds_a_text_of_each_way_temperature_and_cut():
    names = {"temperature": [*TEMPERATURES], "cut": [*CUTS]}
    names["way"] = ["greedy", "beam of 2", "penalty"]
    for field, wanted in names.items():
        texts = stored_by(field)
        assert [*texts] == wanted
        assert {len(ids) for ids in texts.values()} == {STEPS}


def test_greedy_decoding_is_the_riddles_text_of_rank_one():
    assert stored_by("way")["greedy"] == stored_suspects()["D"]


def test_two_stored_texts_keep_to_the_rules_that_drew_them():
    model, tokenizer = open_model("smollm2-135m")
    prompt, texts = as_ids(tokenizer, PROMPT), stored_suspects()
    for name, worst in (("C", 5), ("D", 1)):
        found = distributions(model, prompt, texts[name])
        assert traces(found, texts[name])["rank"] == worst


def test_the_model_draws_the_texts_of_the_file_again():
    for row, found in zip(
        MEASUREMENTS.read(), measured(open_model("smollm2-135m")), strict=True
    ):
        if "seed" in row:
            assert found["typical"] == pytest.approx(row["typical"], rel=1e-3)
        else:
            assert found == row
