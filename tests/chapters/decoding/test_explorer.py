"""The explorer of decoding shows the stored traces, in Python and in script."""

from itertools import product

import pytest
import torch

from chapters.decoding import explorer as decoding
from chapters.decoding.beam_traces import PENALTIES, SHOWN, WIDTHS
from chapters.decoding.explorer import ENDS, ROWS, find_searches, look
from transformer.data import french
from transformer.decoding import length_divisor

DATA = decoding.show().data
CASES = [*product(map(str, SHOWN), WIDTHS, map(str, PENALTIES))]
STATES = [(*case, n) for case in CASES for n in range(1, look(*case, 1)["steps"] + 1)]


def test_script_shows_every_step_as_python_does(ask):
    pictures = ask("decoding", *(["math.look", DATA, *state] for state in STATES))
    for state, picture in zip(STATES, pictures, strict=True):
        assert picture == look(*state)


def test_script_divides_by_the_length_as_the_package_does(ask):
    nats = (-10 * torch.rand(200, dtype=torch.float64)).tolist()
    given = [(x, n % 24 + 1, n % 11 / 10) for n, x in enumerate(nats)]
    scores = ask("decoding", *(["math.score", *each] for each in given))
    wanted = [x / length_divisor(length, penalty) for x, length, penalty in given]
    assert scores == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_winner_is_the_best_of_all_that_ended(case):
    last = look(*case, 99)
    best, score = last["done"][0]
    assert last["step"] == last["steps"]
    assert f"“{best}” wins" in last["readout"]
    assert best.endswith("[end]")
    assert float(score.replace("\N{MINUS SIGN}", "-")) <= 0


def test_tables_have_room_for_every_step():
    pictures = [look(*state) for state in STATES]
    assert max(len(picture["rows"]) for picture in pictures) == ROWS
    assert max(len(picture["done"]) for picture in pictures) == ENDS


def test_so_many_texts_go_on_as_the_beam_is_wide():
    for number, width, penalty in CASES:
        rows = look(number, width, penalty, 2)["rows"]
        assert sum(row[3] == "goes on" for row in rows) == width


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
