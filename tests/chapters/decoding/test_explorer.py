"""The explorer of decoding shows the stored traces."""

import re
from itertools import pairwise, permutations, product
from math import exp

import pytest
import torch

from chapters.decoding import explorer as decoding
from chapters.decoding.beam_traces import ENDED, PENALTIES, SHOWN, WIDTHS
from chapters.decoding.explorer import find_searches, winner
from transformer.data import french
from transformer.decoding import length_divisor

DATA = decoding.show().data
CASES = [*product(map(str, SHOWN), WIDTHS, map(str, PENALTIES))]
LEFT, RIGHT, ROOT, FOOT = 44, 370, 24, 460  # of the drawing of the tree
LETTER, ENDS = 6.2, 5  # width of a letter, and texts that are listed
STATES = [
    (*case, step)
    for case in CASES
    for step in range(
        1, DATA["searches"][f"{case[0]} {case[1]}"]["ends"][case[2]][0] + 1
    )
]


@pytest.fixture(scope="module")
def look(ask):
    """Return what is told in each state."""
    return lambda *states: ask("decoding", *(["math.look", DATA, *s] for s in states))


@pytest.fixture(scope="module")
def grown(ask):
    """List each search with a penalty at each step, a candidate, and the tree."""
    given = []
    for number, width, penalty, step in STATES:
        search = find_searches()[f"{number} {width}"]
        place = len(search["steps"][step - 1]) // 2
        given.append((search, penalty, step, (step - 1, place)))
    trees = ask("decoding", *(["math.grow", s, p, n] for s, p, n, _ in given))
    return [(*state, tree) for state, tree in zip(given, trees, strict=True)]


def test_script_tells_the_stored_steps(look):
    for (number, width, penalty, step), told in zip(STATES, look(*STATES), strict=True):
        search = find_searches()[f"{number} {width}"]
        ended = sorted(
            (
                nats / length_divisor(n + 1, float(penalty))
                for n, nats in find_ends(search, step)
            ),
            reverse=True,
        )
        steps = search["ends"][penalty][0]
        assert (told["step"], told["steps"]) == (step, steps)
        shown = [
            float(line.split()[0].replace("\N{MINUS SIGN}", "-"))
            for line in told["done"]
        ]
        assert shown == pytest.approx(ended[:ENDS], abs=0.0051)
        assert told["readout"].startswith(f"Step {step} of {steps}: ")
        if step < steps:
            assert told["readout"].endswith(f"ended so far {len(ended)}.")


def find_ends(search, step):
    """List the step and the sum of each text that has ended after some steps."""
    return [
        (n, nats)
        for n, found in enumerate(search["steps"][:step])
        for _, _, nats, fate in found
        if fate == ENDED
    ]


def test_script_tells_of_a_candidate_its_sum_its_score_and_its_fate(ask, grown):
    asked = [
        ["math.tell", search, penalty, place] for search, penalty, _, place, _ in grown
    ]
    for (search, penalty, _, (n, place), _), told in zip(
        grown, ask("decoding", *asked), strict=True
    ):
        _, piece, nats, fate = search["steps"][n][place]
        text, log, score, end = re.fullmatch(
            r"“(.*)”: log P (\S+), score (\S+), (.*)\.", told
        ).groups()
        numbers = [float(x.replace("\N{MINUS SIGN}", "-")) for x in (log, score)]
        expected = [nats, nats / length_divisor(n + 1, float(penalty))]
        assert numbers == pytest.approx(expected, abs=0.0051)
        given_up = fate == "goes on" and n == search["ends"][penalty][0] - 1
        assert end == ("given up" if given_up else fate)
        assert text.endswith("[end]") == (piece == "end")


def test_tree_has_the_stored_candidates_and_fits_into_its_drawing(grown):
    for search, *_, tree in grown:
        for row, found in zip(tree, search["steps"], strict=False):
            for node, (parent, piece, nats, fate) in zip(row, found, strict=True):
                assert (node["parent"], node["nats"]) == (parent, nats)
                assert node["word"] == piece.removeprefix("##")
                assert node["ended"] == (fate == ENDED)
                assert LEFT < node["x"] < RIGHT - 5
                assert ROOT < node["y"] < FOOT - 20


def test_plate_covers_no_other_candidate_of_its_step(grown):
    for search, penalty, *_, tree in grown:
        rise = min(62, 400 / search["ends"][penalty][0])
        for node, other in permutations(tree[-1], 2):
            x, y = node["at"]
            assert x + node["wide"] / 2 <= RIGHT
            if y == node["y"]:
                letters = LETTER * len(other["word"]) / 2
                half = letters if other["named"] else 5 if other["ended"] else 2
                assert abs(x - other["x"]) > node["wide"] / 2 + half
            else:
                assert y - 16 > node["y"] + 4  # below the letters of its row
                assert y + 11 < node["y"] + rise - 5


def test_what_is_alive_leads_to_the_rim_or_to_an_end(grown):
    for search, penalty, step, _, rows in grown:
        over = step == search["ends"][penalty][0]
        for n, row in enumerate(rows):
            below = rows[n + 1] if n + 1 < len(rows) else []
            fates = (fate for *_, fate in search["steps"][n])
            for place, (node, fate) in enumerate(zip(row, fates, strict=True)):
                grew = [child for child in below if child["parent"] == place]
                at_rim = n == step - 1 and fate == "goes on" and not over
                expected = node["ended"] or at_rim
                assert node["alive"] == (expected or any(c["alive"] for c in grew))


@pytest.fixture
def draw(ask):
    """Return the tree of a search after some steps of seven."""

    def call(search, step, followed):
        asked = "(s, n, place) => math.draw(math.grow(s, '0.6', n), 7, place)"
        return ask("decoding", [asked, search, step, followed])[0]["paths"]

    return call


def find_branch(nats):
    """Return how wide the branch of a text is: as wide as the text is probable."""
    return max(26 * exp(nats), 1)


def test_branches_are_as_wide_as_their_texts_are_probable(draw):
    search = find_searches()["396 4"]
    followed = draw(search, 5, [4, 1])["followed"]
    ends = re.findall(r"M\S+ (\S+?)C.*? \S+ (\S+)V(\S+?)C", followed)
    wide = [float(low) - float(high) for _, high, low in ends]
    sums = [step[0][2] for step in search["steps"][:4]]
    sums = [search["steps"][4][1][2], *reversed(sums)]
    assert wide == pytest.approx([*map(find_branch, sums)], abs=0.011)


def test_children_leave_their_parent_side_by_side(draw):
    search = find_searches()["396 4"]
    paths = draw(search, 1, [0, 0])
    lefts = re.findall(r"M33.00 ([\d.]+)C", paths["live"] + paths["gone"])
    edges = sorted(map(float, lefts))
    assert edges[0] == 68 - 13
    wide = [find_branch(nats) for _, _, nats, _ in search["steps"][0]]
    between = [b - a for a, b in pairwise(edges)]
    assert between == pytest.approx(wide[:-1], abs=0.011)


def test_script_divides_by_the_length_as_the_package_does(ask):
    nats = (-10 * torch.rand(200, dtype=torch.float64)).tolist()
    given = [(x, n % 24 + 1, n % 11 / 10) for n, x in enumerate(nats)]
    scores = ask("decoding", *(["math.score", *each] for each in given))
    wanted = [x / length_divisor(length, penalty) for x, length, penalty in given]
    assert scores == pytest.approx(wanted, abs=1e-6)


def test_the_winner_is_the_best_of_all_that_ended(look):
    lasts = look(*([*case, 99] for case in CASES))
    for (number, width, penalty), last in zip(CASES, lasts, strict=True):
        score, best = last["done"][0].split(" ", 1)
        assert last["step"] == last["steps"]
        assert best == f"{winner(int(number), width, float(penalty))} [end]"
        assert f"“{best}” wins" in last["readout"]
        assert best.endswith("[end]")
        assert float(score.replace("\N{MINUS SIGN}", "-")) <= 0


def test_so_many_texts_go_on_as_the_beam_is_wide(look):
    for case, told in zip(CASES, look(*([*case, 2] for case in CASES)), strict=True):
        assert f"live {case[1]}," in told["readout"]


def test_what_the_chapter_asks_to_see(look):
    """Greedy misses 396, a wider beam 9,571, and the penalty decides about 5,000."""
    ends = look(*([*case, 99] for case in CASES))
    told = {case: end["readout"] for case, end in zip(CASES, ends, strict=True)}
    right = {
        case for case in CASES if f"“{french(int(case[0]))} [end]” wins" in told[case]
    }
    assert {width for number, width, _ in right if number == "396"} == {2, 3, 4, 5}
    assert {w for n, w, p in right if (n, p) == ("9571", "0.6")} == {1, 2}
    assert {w for n, w, p in right if (n, p) == ("9571", "1.0")} == {1, 2, 3, 4, 5}
    assert not [number for number, *_ in right if number == "5000"]
    assert "“cinq [end]” wins" in told["5000", 4, "0.0"]
    assert "“cinq mille cinq [end]” wins" in told["5000", 4, "0.6"]


def test_pieces_of_a_word_are_joined(ask):
    steps = [[[-1, "##-dix", 0, ""]], [[0, "quatre", 0, ""]], [[0, "##-vingt", 0, ""]]]
    steps.append([[0, "end", 0, ""]])
    [text] = ask("decoding", ["math.text", {"steps": steps}, 3, 0])
    assert text == "-dix quatre-vingt [end]"


def test_sums_keep_three_decimals():
    sums = [c[2] for s in find_searches().values() for step in s["steps"] for c in step]
    assert all(nats == round(nats, 3) for nats in sums)
