"""Answers that follow a vector: the file, and the model of today."""

import pytest

from chapters.big_picture.followed_swaps import (
    COUNTRIES,
    DEPTHS,
    FRAMES,
    MEASUREMENTS,
    measured,
)
from chapters.laboratory.real_model import open_model


def test_the_file_holds_each_frame_after_each_layer():
    rows = MEASUREMENTS.read()
    found = [(row["frame"], row["depth"]) for row in rows]
    assert found == [(frame, depth) for frame in FRAMES for depth in DEPTHS]
    for row in rows:
        assert set(row) == {"frame", "depth", "follows"}
        assert len(row["follows"]) == len(FRAMES[row["frame"]])
        assert all(0 <= share <= 1 for share in row["follows"])


def test_texts_of_a_frame_have_as_many_tokens():
    _, tokenizer = open_model("smollm2-135m")
    for frame in FRAMES:
        assert len({len(tokenizer.encode(frame.format(x))) for x in COUNTRIES}) == 1


def test_a_stored_row_is_what_the_model_says():
    stored = MEASUREMENTS.read()[-2]
    found = measured(open_model("smollm2-135m"), stored["frame"], stored["depth"])
    assert found["follows"] == pytest.approx(stored["follows"], abs=1e-4)
