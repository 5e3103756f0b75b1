"""The explorer of norm placement draws what was measured."""

import re
from itertools import product
from math import log10

import pytest

from bookkit.checking.facts import facts
from chapters.norm_placement import explorer as norm_placement
from chapters.norm_placement.explorer import AXES, MEASURES, ORDERS
from chapters.norm_placement.stack_depths import DEPTHS

DATA = norm_placement.show().data
BOTTOM, BRANCH = 320, 11  # of the lowest layer, and from a stream to its branches
STATES = [*product(range(len(DEPTHS)), MEASURES, (False, True))]


@pytest.fixture
def draw(ask):
    """Return what the drawing shows at a depth, of a measure, without norms or not."""

    def call(layers, measure, *, none):
        asked = ["math.draw", DATA, DEPTHS.index(layers), measure, none]
        return ask("norm_placement", asked)[0]

    return call


def test_script_writes_numbers_of_three_digits(ask):
    numbers = [0.0, -0.041, 0.194, 1.93, 56.8, 249.0, 999.0, 1e3, 7710.0, 6.47e9]
    written = ask("norm_placement", *(["math.say", number] for number in numbers))
    assert written == [
        *("0.000", "\N{MINUS SIGN}0.041", "0.194", "1.93", "56.8", "249.0", "999.0"),
        *("1.0 · 10³", "7.7 · 10³", "6.5 · 10⁹"),
    ]


def test_every_stack_has_its_ends_in_the_readout(ask):
    asked = [["math.draw", DATA, *state] for state in STATES]
    pictures = ask("norm_placement", *asked)
    ends = {
        (measure, stack): [lines[0][0], lines[0][-1]]
        for measure, found in DATA["found"].items()
        for stack, lines in found.items()
    }
    tell = "(ends) => ends.map(math.say).join(' to ')"
    told = ask("norm_placement", *([tell, pair] for pair in ends.values()))
    told = dict(zip(ends, told, strict=True))
    for (depth, measure, none), picture in zip(STATES, pictures, strict=True):
        assert picture["layers"] == DEPTHS[depth]
        shown = [order for order in ORDERS if order != "none" or none]
        assert [*picture["stacks"]] == shown
        for order in shown:
            both = told.get((measure, f"{order} {DEPTHS[depth]}"), "not measured")
            assert f"{ORDERS[order]} {both}" in picture["readout"]


def test_data_are_the_stored_ones_and_those_of_the_chapter(draw):
    assert draw(48, "gradient", none=False)["readout"] == (
        "48 layers, norm of the gradient, first to last layer: post-norm 1.26 to 1.45, "
        "pre-norm 1.93 to 0.232."
    )
    assert "no norm not measured" in draw(48, "cosine", none=True)["readout"]


@facts("measure", MEASURES)
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


def read_bars(path):
    """Read where the bars of a stack begin and end, and where they stand."""
    number = r"(-?[\d.]+)"
    bars = re.findall(f"M{number} {number}V{number}H{number}V{number}Z", path)
    return [[float(side) for side in bar] for bar in bars]


def test_a_stack_has_a_bar_for_each_layer_and_one_for_the_input(draw):
    gradients = draw(4, "gradient", none=True)["stacks"]
    variances = draw(4, "variance", none=False)["stacks"]
    assert [len(read_bars(gradients[order]["bars"])) for order in ORDERS] == [4, 4, 4]
    assert [len(read_bars(stack["bars"])) for stack in variances.values()] == [5, 5]
    assert list(variances) == ["post", "pre"]


@facts("measure", ["gradient", "likeness"])
def test_bars_stand_in_their_layers_from_the_bottom_up(draw, measure):
    picture = draw(12, measure, none=False)
    for stack in picture["stacks"].values():
        bars = read_bars(stack["bars"])
        of_layers = bars[-12:]
        for layer, (_, lower, upper, _, _) in enumerate(of_layers):
            middle = BOTTOM - (BOTTOM - picture["top"]) * (layer + 0.5) / 12
            assert (lower + upper) / 2 == pytest.approx(middle, abs=0.02)
        assert all(upper > BOTTOM for _, _, upper, _, _ in bars[:-12])


def test_length_of_a_bar_is_read_on_its_axis(draw):
    stack = draw(24, "gradient", none=False)["stacks"]["pre"]
    tenth, one, ten = map(float, stack["ticks"])
    ends = [bar[3] for bar in read_bars(stack["bars"])]
    read = [10 ** ((end - one) / (ten - one)) for end in ends]
    assert one - tenth == pytest.approx(ten - one, abs=0.02)
    expected = DATA["found"]["gradient"]["pre 24"][0]
    assert read == pytest.approx(expected, rel=0.002)


def test_norms_lie_on_the_stream_in_post_norm_and_beside_it_in_pre_norm(draw):
    stacks = draw(6, "gradient", none=True)["stacks"]
    beads, streams = {}, {}
    for order, stack in stacks.items():
        streams[order] = float(re.match(r"M([\d.]+)", stack["stream"])[1])
        beads[order] = [float(x) for x in re.findall(r"M([\d.]+)", stack["beads"])]
    assert beads["post"] == 6 * [streams["post"]]
    assert beads["pre"][:6] == 6 * [streams["pre"] + BRANCH]
    assert beads["pre"][6:] == [streams["pre"]]  # the final norm
    assert beads["none"] == []


def test_top_follows_the_finger_to_the_nearest_depth(ask):
    last = len(DEPTHS) - 1
    tops = [y - 14 for y in ask("norm_placement", *(["math.top", n] for n in range(8)))]
    places = [y + by for y in tops for by in (-15, 0, 15)] + [-500, 999]
    found = ask("norm_placement", *(["math.depth", y, last] for y in places))
    assert found == [depth for depth in range(8) for _ in range(3)] + [7, 0]


def test_beads_fit_into_their_layers(ask):
    questions = [["math.bead", depth, layers] for depth, layers in enumerate(DEPTHS)]
    sizes = ask("norm_placement", *questions)
    assert sizes == sorted(sizes, reverse=True)
    assert 3 < sizes[-1] < sizes[0] == 7


def test_what_the_chapter_says_of_the_ends_of_the_gradients():
    found = DATA["found"]["gradient"]
    pre, post = ([found[f"{o} {d}"][0][-1] for d in DEPTHS] for o in ("pre", "post"))
    assert pre == sorted(pre, reverse=True)
    assert 1 < min(post) <= max(post) < 2


def test_what_the_chapter_says_of_words_that_become_one():
    found = DATA["found"]["likeness"]
    tall = [depth for depth in DEPTHS if depth >= 12]
    post = [x for depth in tall for x in found[f"post {depth}"][0][10:]]
    pre = [x for depth in DEPTHS for x in found[f"pre {depth}"][0]]
    assert min(post) > 0.98
    assert max(pre) < 0.95


def test_the_axis_is_named_as_it_is_drawn(draw):
    html = norm_placement.show()._repr_html_()
    named = re.search(r'data-part="axis"[^>]*>([^<]*)<', html)
    assert named[1] == "cosine between two tokens"
    assert not draw(24, "likeness", none=False)["logs"]
