"""What the explorer of projections computes is what PyTorch's layer computes."""

import re
from itertools import product

import pytest
import torch
from torch import nn

from bookkit.checking.facts import facts
from chapters.multi_head_attention import explorer
from chapters.multi_head_attention.explorer import NUMBERS, PERSONS, THINGS

DATA, HTML = explorer.show().data, explorer.show()._repr_html_()
W_O = ((1, 1), (1, -1))  # the rows of the output projection
PHRASES = [(thing, person) for thing in THINGS for person in PERSONS]
# Vectors of the plane, all around and of all lengths.
PLACES = [
    [length * x, length * y]
    for length in (0.3, 1.3, 2.2)
    for x, y in ((1, 0), (0.6, 0.8), (0, 1), (-0.8, 0.6), (-0.6, -0.8), (0, -1))
]
GRID = [
    [x / 5, y / 5]
    for x in range(-11, 12)
    for y in range(-11, 12)
    if x * x + y * y <= 121
]
NEAR = {"rtol": 0, "atol": 1e-6}


def vectors(phrase, lost):
    """Return the three vectors of a phrase."""
    return [*(DATA["places"][word] for word in phrase), lost]


def exact(numbers):
    """Read numbers of Python or of the script in float64."""
    return torch.tensor(numbers, dtype=torch.float64)


def layer(*, cut):
    """Give the matrices of the explorer to PyTorch's layer of two heads."""
    made = nn.MultiheadAttention(2, 2, bias=False, dtype=torch.float64)
    lines = exact(DATA["lines"][cut])  # (heads, roles, features)
    with torch.no_grad():
        made.in_proj_weight.copy_(lines.transpose(0, 1).flatten(0, 1))
        made.out_proj.weight.copy_(torch.tensor(W_O).T)
    return made


@facts("cut", [False, True])
def test_script_attends_as_pytorchs_layer_does(ask, cut):
    states = [(phrase, lost) for phrase in PHRASES for lost in PLACES]
    questions = [["math.read", DATA["lines"][cut], vectors(*state)] for state in states]
    theirs = layer(cut=cut)
    for state, answer in zip(
        states, ask("multi_head_attention", *questions), strict=True
    ):
        x = exact(vectors(*state))
        values, weights = theirs(x, x, x, average_attn_weights=False)
        found = [head["weights"] for head in answer["heads"]]
        torch.testing.assert_close(exact(found), weights[:, -1], **NEAR)
        torch.testing.assert_close(exact(answer["mixed"]), values[-1], **NEAR)
        for head, lines in zip(answer["heads"], DATA["lines"][cut], strict=True):
            query, key, value = (x @ exact(lines).T).T
            shown = {"keys": key, "values": value, "scores": query[-1] * key}
            for name, numbers in shown.items():
                torch.testing.assert_close(exact(head[name]), numbers, **NEAR)


def test_right_answers_are_those_of_pytorchs_layer(ask):
    for cut, lost in product((False, True), PLACES[::3]):
        right = 0
        for phrase in PHRASES:
            x = exact(vectors(phrase, lost))
            mixed = layer(cut=cut)(x, x, x)[0][-1]
            # The first head brings half of the sum, the second half of the difference.
            outputs = torch.stack((mixed.sum(), mixed[0] - mixed[1])) / 2
            for word, output in zip(phrase, outputs.tolist(), strict=True):
                said = "many" if output > 0 else "one"
                right += abs(output) >= 0.2 and said == NUMBERS[word]
        asked = ["math.count", DATA, DATA["lines"][cut], lost]
        assert ask("multi_head_attention", asked) == [right]


def test_numbers_and_keys_are_where_the_heads_read_them():
    for word, head in (*((w, 0) for w in THINGS), *((w, 1) for w in PERSONS)):
        _, key, value = DATA["lines"][0][head]
        x, y = DATA["places"][word]
        number = 1 if NUMBERS[word] == "many" else -1
        assert x * value[0] + y * value[1] == pytest.approx(number, abs=0.002)
        assert x * key[0] + y * key[1] == pytest.approx(explorer.KEY, abs=0.002)


def test_each_head_reads_the_whole_vector_unless_it_is_cut():
    first, second = DATA["lines"][0]
    assert all(side != 0 for line in first + second for side in line)
    assert all(line != other for line, other in zip(first, second, strict=True))
    assert DATA["lines"][1] == [[[1, 0]] * 3, [[0, 1]] * 3]


def test_cut_vectors_give_at_most_four_right_answers(ask):
    asked = [["math.count", DATA, DATA["lines"][1], lost] for lost in GRID]
    assert max(ask("multi_head_attention", *asked)) == 4


def test_projections_give_eight_right_answers_to_a_lost_that_points_up(ask):
    up = [lost for lost in GRID if lost[1] >= 1 and abs(lost[0]) <= 1]
    asked = [["math.count", DATA, DATA["lines"][0], lost] for lost in up]
    assert set(ask("multi_head_attention", *asked)) == {8}
    assert "8 of 8 answers are right" in HTML


def test_answers_near_zero_say_nothing(ask):
    numbers = [-1.0, -0.21, -0.19, 0.0, 0.19, 0.21, 1.0]
    expected = ["one", "one", "neither", "neither", "neither", "many", "many"]
    asked = [["math.answer", number] for number in numbers]
    assert ask("multi_head_attention", *asked) == expected


def test_vector_keeps_its_direction_and_stays_in_the_plane(ask):
    pulled = [[9, 0], [-3, 4], [0.03, -0.04], [0, 0]]
    expected = [[2.2, 0], [-1.32, 1.76], [0.03, -0.04], [0, 0]]
    asked = [["math.clamp", vector] for vector in pulled]
    for found, wanted in zip(
        ask("multi_head_attention", *asked), expected, strict=True
    ):
        assert found == pytest.approx(wanted)


def test_words_tell_the_numbers_of_the_tables():
    told = re.findall(r"at (\w+) with (\d+) %", HTML)
    for head, (word, percent) in enumerate(told):
        row = ["pens", "she", "lost"].index(word)
        part = rf'data-part="weight-{head}-{row}">([\d.]+)<'
        [weight] = re.findall(part, HTML)
        assert float(weight) == pytest.approx(int(percent) / 100)
