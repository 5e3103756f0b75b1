"""The explorer of norm placement draws what was measured, in Python and in script."""

from itertools import product
from math import log10

import pytest

from chapters.norm_placement import explorer as norm_placement
from chapters.norm_placement.explorer import AXES, MEASURES, ORDERS, draw, say
from chapters.norm_placement.stack_depths import DEPTHS

DATA = norm_placement.show().data
STATES = [*product(range(len(DEPTHS)), MEASURES, (False, True))]


def test_script_draws_every_state_as_python_does(ask):
    questions = [["math.draw", DATA, *state] for state in STATES]
    pictures = ask("norm_placement", *questions)
    for (depth, measure, none), picture in zip(STATES, pictures, strict=True):
        assert picture == draw(depth, measure, none=none)


def test_script_writes_numbers_as_python_does(ask):
    numbers = [0.0, -0.041, 0.194, 1.93, 56.8, 249.0, 999.0, 1e3, 7710.0, 6.47e9]
    written = ask("norm_placement", *(["math.say", number] for number in numbers))
    assert written == [say(number) for number in numbers]
    assert written[-1] == "6.5 · 10⁹"


def test_data_are_the_stored_ones_and_those_of_the_chapter():
    assert draw(DEPTHS.index(48), "gradient", none=False)["readout"] == (
        "48 layers, norm of the gradient, first to last layer: pre-norm 1.93 to 0.232, "
        "post-norm 1.26 to 1.45."
    )
    assert (
        "no norm not measured" in draw(DEPTHS.index(48), "cosine", none=True)["readout"]
    )


@pytest.mark.parametrize("measure", MEASURES)
def test_every_number_lies_within_its_axis(measure):
    for key, lines in DATA["found"][measure].items():
        axis = AXES[measure]
        if key.startswith("none"):
            axis = AXES.get(f"{measure} none", axis)
        numbers = [log10(x) if axis[0] else x for line in lines for x in line]
        assert axis[1] <= min(numbers) <= max(numbers) <= axis[2]


def test_ticks_stand_where_their_words_say():
    logarithms = AXES["gradient"][3:], AXES["variance"][3:]
    for ticks, words in logarithms:
        for tick, word in zip(ticks, words, strict=True):
            assert tick == pytest.approx(log10(float(word)), abs=0.03)


def test_a_line_has_a_point_for_each_layer():
    picture = draw(DEPTHS.index(4), "gradient", none=True)
    assert [picture[order].count("L") for order in ORDERS] == [3, 3, 3]
    assert draw(DEPTHS.index(4), "variance", none=False)["none"] == ""


def test_what_the_chapter_says_of_the_ends_of_the_gradients():
    found = DATA["found"]["gradient"]
    pre, post = ([found[f"{o} {d}"][0][-1] for d in DEPTHS] for o in ("pre", "post"))
    assert pre == sorted(pre, reverse=True)
    assert 1 < min(post) <= max(post) < 2
