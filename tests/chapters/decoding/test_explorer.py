"""The explorer of decoding shows the stored traces, in Python and in script."""

import re
from itertools import pairwise, permutations, product
from math import exp

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.decoding import explorer as decoding
from chapters.decoding.beam_traces import ENDED, PENALTIES, SHOWN, WIDTHS
from chapters.decoding.explorer import draw, find_rise, find_searches, grow, look, tell
from transformer.data import french
from transformer.decoding import length_divisor

DATA = decoding.show().data
CASES = [*product(map(str, SHOWN), WIDTHS, map(str, PENALTIES))]
STATES = [(*case, n) for case in CASES for n in range(1, look(*case, 1)["steps"] + 1)]


def test_script_shows_every_step_as_python_does(ask):
    pictures = ask("decoding", *(["math.look", DATA, *state] for state in STATES))
    for state, picture in zip(STATES, pictures, strict=True):
        assert picture == look(*state)


def grown():
    """List each search with a penalty at each step, and a candidate to follow."""
    for number, width, penalty, step in STATES:
        search = find_searches()[f"{number} {width}"]
        place = len(search["steps"][step - 1]) // 2
        yield search, penalty, step, (step - 1, place)


def test_script_grows_and_draws_the_tree_as_python_does(ask):
    given = [*grown()][::3]
    rows = ask("decoding", *(["math.grow", s, p, n] for s, p, n, _ in given))
    trees = [grow(search, penalty, step) for search, penalty, step, _ in given]
    for found, tree in zip(rows, trees, strict=True):
        for node in (node for row in tree for node in row):
            node["ended"] = node.pop("fate") == "ended"
        assert found == tree
    trees = [grow(search, penalty, step) for search, penalty, step, _ in given]
    steps = [search["ends"][penalty][0] for search, penalty, *_ in given]
    asked = [
        ["math.draw", found, n, place]
        for found, n, (*_, place) in zip(rows, steps, given, strict=True)
    ]
    for found, tree, n, (*_, place) in zip(
        ask("decoding", *asked), trees, steps, given, strict=True
    ):
        assert found == draw(tree, n, place)


def test_script_tells_of_a_candidate_as_python_does(ask):
    given = [(search, penalty, place) for search, penalty, _, place in grown()]
    asked = [["math.tell", *each] for each in given]
    assert ask("decoding", *asked) == [tell(*each) for each in given]


def test_tree_fits_into_its_drawing():
    for search, penalty, step, _ in grown():
        for node in (n for row in grow(search, penalty, step) for n in row):
            assert decoding.LEFT < node["x"] < decoding.WIDTH - 5
            assert decoding.ROOT < node["y"] < decoding.HEIGHT - 20


def test_plate_covers_no_other_candidate_of_its_step():
    for search, penalty, step, _ in grown():
        row = grow(search, penalty, step)[-1]
        for node, other in permutations(row, 2):
            x, y = node["at"]
            assert x + node["wide"] / 2 <= decoding.WIDTH
            if y == node["y"]:
                letters = decoding.LETTER * len(other["word"]) / 2
                half = letters if other["named"] else 5 if other["fate"] == ENDED else 2
                assert abs(x - other["x"]) > node["wide"] / 2 + half
            else:
                assert y - 16 > node["y"] + 4  # below the letters of its row
                assert y + 11 < node["y"] + find_rise(search["ends"][penalty][0]) - 5


def test_what_is_alive_leads_to_the_rim_or_to_an_end():
    for search, penalty, step, _ in grown():
        rows = grow(search, penalty, step)
        over = step == search["ends"][penalty][0]
        for n, row in enumerate(rows):
            below = rows[n + 1] if n + 1 < len(rows) else []
            for place, node in enumerate(row):
                grew = [child for child in below if child["parent"] == place]
                at_rim = n == step - 1 and node["fate"] == "goes on" and not over
                expected = node["fate"] == "ended" or at_rim
                assert node["alive"] == (expected or any(c["alive"] for c in grew))


def test_branches_are_as_wide_as_their_texts_are_probable():
    search = find_searches()["396 4"]
    tree = draw(grow(search, "0.6", 5), 7, decoding.FOLLOWED)
    ends = re.findall(r"M\S+ (\S+?)C.*? \S+ (\S+)V(\S+?)C", tree["paths"]["followed"])
    wide = [float(low) - float(high) for _, high, low in ends]
    sums = [step[0][2] for step in search["steps"][:4]]
    sums = [search["steps"][4][1][2], *reversed(sums)]
    expected = [max(26 * exp(nats), 1) for nats in sums]
    assert wide == pytest.approx(expected, abs=0.011)


def test_children_leave_their_parent_side_by_side():
    search = find_searches()["396 4"]
    [row] = grow(search, "0.6", 1)
    paths = draw([row], 7, (0, 0))["paths"]
    lefts = re.findall(r"M33.00 ([\d.]+)C", paths["live"] + paths["gone"])
    edges = sorted(map(float, lefts))
    assert edges[0] == decoding.TRUNK - 13
    wide = [decoding.find_branch(node["nats"]) for node in row]
    between = [b - a for a, b in pairwise(edges)]
    assert between == pytest.approx(wide[:-1], abs=0.011)


def test_script_divides_by_the_length_as_the_package_does(ask):
    nats = (-10 * torch.rand(200, dtype=torch.float64)).tolist()
    given = [(x, n % 24 + 1, n % 11 / 10) for n, x in enumerate(nats)]
    scores = ask("decoding", *(["math.score", *each] for each in given))
    wanted = [x / length_divisor(length, penalty) for x, length, penalty in given]
    assert scores == pytest.approx(wanted, abs=1e-6)


@facts("case", CASES, ids=str)
def test_the_winner_is_the_best_of_all_that_ended(case):
    last = look(*case, 99)
    score, best = last["done"][0].split(" ", 1)
    assert last["step"] == last["steps"]
    assert f"“{best}” wins" in last["readout"]
    assert best.endswith("[end]")
    assert float(score.replace("\N{MINUS SIGN}", "-")) <= 0


def test_so_many_texts_go_on_as_the_beam_is_wide():
    for number, width, penalty in CASES:
        readout = look(number, width, penalty, 2)["readout"]
        assert f"live {width}," in readout


def test_what_the_chapter_asks_to_see():
    """Greedy misses 396, a wider beam 9,571, and the penalty decides about 5,000."""
    told = {case: look(*case, 99)["readout"] for case in CASES}
    right = {
        case for case in CASES if f"“{french(int(case[0]))} [end]” wins" in told[case]
    }
    assert {width for number, width, _ in right if number == "396"} == {2, 3, 4, 5}
    assert {w for n, w, p in right if (n, p) == ("9571", "0.6")} == {1, 2}
    assert {w for n, w, p in right if (n, p) == ("9571", "1.0")} == {1, 2, 3, 4, 5}
    assert not [number for number, *_ in right if number == "5000"]
    assert "“cinq [end]” wins" in told["5000", 4, "0.0"]
    assert "“cinq mille cinq [end]” wins" in told["5000", 4, "0.6"]


def test_pieces_of_a_word_are_joined():
    steps = [[[-1, "##-dix", 0, ""]], [[0, "quatre", 0, ""]], [[0, "##-vingt", 0, ""]]]
    steps.append([[0, "end", 0, ""]])
    assert decoding.write_text({"steps": steps}, 3, 0) == "-dix quatre-vingt [end]"


def test_sums_keep_three_decimals():
    sums = [c[2] for s in find_searches().values() for step in s["steps"] for c in step]
    assert all(nats == round(nats, 3) for nats in sums)
