"""The head that looks at the word whose turn it is: the file and the model of today."""

import pytest

from chapters.laboratory.real_model import open_model
from chapters.one_sentence.one_head import HEAD, LAYER, PAIRS, asked, chosen, said


def test_one_head_leads_for_all_pairs():
    assert [row["pairs"] for row in chosen()] == [*PAIRS]
    assert all(row["heads"][0] == [LAYER, HEAD] for row in chosen())


def test_a_row_of_the_file_is_measured_again():
    row = asked()[-1]
    found = said(open_model("smollm2-135m"), turned=row["turned"], place=row["place"])
    for name in ("looks", "right", "without"):
        assert found[name] == pytest.approx(row[name], abs=1e-3)
