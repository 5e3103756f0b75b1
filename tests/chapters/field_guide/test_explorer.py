"""What the explorer of six schemes computes is what the package computes."""

import re
from itertools import product

import pytest
import torch

from chapters.field_guide import explorer
from chapters.field_guide.explorer import BANK, RIVER, SCHEMES, TABLE
from transformer.layers import RotaryEmbedding, sinusoidal_table

DATA, HTML = explorer.show().data, explorer.show()._repr_html_()
PLACES = [*product(range(13), repeat=2)]  # of the query and of the key


@pytest.fixture(scope="module")
def scores(ask):
    """All scores, by scheme: (scheme, query, key)."""
    asked = [["math.score", DATA, *place] for place in PLACES]
    found = ask("field_guide", *asked)
    rows = [[float("nan") if x is None else x for x in row] for row in found]
    table = torch.tensor(rows, dtype=torch.float64).view(13, 13, 6)
    return dict(zip(SCHEMES, table.unbind(-1), strict=True))


def near(found, expected):
    """Compare scores that are defined at the same places."""
    torch.testing.assert_close(
        found, expected.double(), rtol=0, atol=1e-6, equal_nan=True
    )


def exact(row):
    return torch.tensor(row, dtype=torch.float64)


def test_sines_and_table_are_added_to_both_words(scores):
    hands = sinusoidal_table(13, 4).double()
    table = torch.full((13, 4), float("nan"), dtype=torch.float64)
    table[:10] = exact(TABLE)
    for name, rows in (("sines", hands), ("table", table)):
        near(scores[name], (exact(BANK) + rows) @ (exact(RIVER) + rows).T)


def test_rotary_turns_as_the_package_does(scores):
    turn = RotaryEmbedding(4, layout="interleaved")
    at = torch.arange(13)
    rows = (exact(word).expand(1, 13, 4) for word in (BANK, RIVER))
    query, key = (turn(row, at)[0] for row in rows)
    near(scores["rotary"], query @ key.T)


def test_biases_are_added_to_the_plain_score(scores):
    back = torch.arange(13)[:, None] - torch.arange(13)
    plain = exact(BANK) @ exact(RIVER)
    near(scores["none"], plain.expand(13, 13))
    near(scores["ALiBi"], plain - explorer.SLOPE * back.abs())
    for far, learned in ((3, 0.8), (4, 0.3), (-3, -1.0)):  # as in the chapter
        found = scores["T5"].diagonal(-far)
        near(found, (plain + learned).expand_as(found))


def test_only_sines_and_table_tell_where_two_words_stand(scores):
    moved = {
        name
        for name, table in scores.items()
        for far in range(-5, 6)
        if table.diagonal(far)[:5].std() > 1e-9
    }
    assert moved == {"sines", "table"}


def test_every_score_stands_on_the_scale(ask, scores):
    found = torch.stack([*scores.values()])
    found = found[~found.isnan()].tolist()
    places = ask(
        "field_guide", *(["math.place", end] for end in (min(found), max(found)))
    )
    assert 0 < places[0] < places[1] < 100


def test_first_picture_has_the_scores_of_the_chapter():
    shown = re.findall(r'data-part="score-\d">([^<]+)<', HTML)
    assert [x.replace("\N{MINUS SIGN}", "-") for x in shown] == [
        *("-1.00", "-3.03", "-2.00", "2.67", "-2.50", "-0.20")
    ]
