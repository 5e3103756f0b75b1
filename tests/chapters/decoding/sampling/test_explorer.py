"""What the explorer of sampling computes is what the package computes."""

from itertools import product

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.decoding.next_words import LISTED, TEXTS
from chapters.decoding.sampling import explorer as sampling
from chapters.decoding.sampling.explorer import (
    CHOSEN,
    FIRST,
    RULES,
    SETTINGS,
    count_draws,
    find_line,
    find_logits,
    find_words,
    look,
    throw,
)
from transformer.decoding import apply_temperature

FOLDER = "decoding/sampling"
DATA = sampling.show().data
STATES = [
    (text, rule, temperature, 1 + n % 7, setting)
    for text, rule, temperature in product(TEXTS, RULES, (1, 8, 15))
    for n, setting in enumerate(SETTINGS[rule][::4])
]


def ask_looks(ask, states):
    """Ask the script what it shows in each state."""
    told = (
        ["math.look", DATA["texts"][text], rule, temperature, seed, setting]
        for text, rule, temperature, seed, setting in states
    )
    return ask(FOLDER, *told)


def test_script_shows_what_the_package_computes(ask):
    for state, picture in zip(STATES, ask_looks(ask, STATES), strict=True):
        *given, setting = state
        expected = look(*given, setting=setting)
        for name in ("before", "bars"):
            near = pytest.approx(expected.pop(name), abs=1e-6)
            assert picture.pop(name) == near, state
        assert picture.pop("line") == pytest.approx(expected.pop("line"), abs=1e-6)
        assert picture == expected


@facts("text", TEXTS)
def test_shares_of_the_script_are_those_of_the_package(ask, text):
    """Shares before and after the cut, without the words around them."""
    states = [state for state in STATES if state[0] == text]
    logits = find_logits(text)[None]
    for state, picture in zip(states, ask_looks(ask, states), strict=True):
        _, rule, temperature, _, setting = state
        left = RULES[rule](apply_temperature(logits, temperature / 10), setting)
        after = left.softmax(dim=-1)[0]
        listed = torch.tensor(picture["bars"][:LISTED]) / sampling.LONGEST
        near = {"rtol": 0, "atol": 1e-6}
        torch.testing.assert_close(listed.double(), after[:LISTED], **near)
        assert picture["kept"] == int(left.isfinite().sum())


def test_counts_come_from_the_line_of_shares(ask):
    shares = torch.rand(30, LISTED + 1, dtype=torch.float64).softmax(dim=-1)
    asked = [["math.count", row, seed] for seed, row in enumerate(shares.tolist())]
    for seed, (row, found) in enumerate(zip(shares, ask(FOLDER, *asked), strict=True)):
        assert found == count_draws(row, seed)
        assert sum(found) == sampling.DRAWS


def test_script_throws_the_same_numbers_for_a_seed(ask):
    for seed, found in enumerate(ask(FOLDER, *(["math.throw", n] for n in range(40)))):
        assert found == throw(seed)
        assert len(set(found)) == sampling.DRAWS


def test_draws_of_many_seeds_have_the_shares_of_the_words():
    shares = find_logits("unsure").softmax(dim=-1)
    counts = torch.tensor([count_draws(shares, seed) for seed in range(300)])
    expected = torch.cat((shares[:LISTED], shares[LISTED:].sum()[None]))
    found = counts.sum(dim=0) / counts.sum()
    spread = (expected * (1 - expected) / counts.sum()).sqrt()
    assert ((found - expected).abs() < 4 * spread).all()


def test_line_that_is_dragged_lands_on_the_nearest_setting(ask):
    choose = "(packed, T, ...rest) => math.choose(math.weigh(packed, T), ...rest)"
    for text, rule, temperature in product(TEXTS, RULES, (7,)):
        packed, settings = DATA["texts"][text], SETTINGS[rule]
        lines = [
            look(text, rule, temperature, 1, setting=setting)["line"]
            for setting in settings
        ]
        heights = [0, 79, 150.2, 230, 401, 420, 999]
        rest = packed, temperature / 10, rule, settings
        asked = [[choose, *rest, y, 7] for y in heights]
        for y, place in zip(heights, ask(FOLDER, *asked), strict=True):
            far = [abs(line - y) for line in lines]
            assert far[place] == pytest.approx(min(far), abs=1e-6)
            nearest = [i for i, x in enumerate(far) if x <= min(far) + 1e-6]
            assert place == min(nearest, key=lambda i: abs(i - 7))


def test_line_goes_down_with_the_words_that_stay():
    size = len(find_logits("sure"))
    lines = [find_line(kept, size) for kept in (1, 5, LISTED, LISTED + 1, 1000, size)]
    assert lines == sorted({*lines})
    assert lines[-1] == sampling.TOP + sampling.ROW * LISTED + sampling.TAIL
    assert lines[-1] + 26 < sampling.HEIGHT


def test_settings_go_from_the_narrowest_cut_to_the_widest():
    for rule, settings in SETTINGS.items():
        kept = [look("unsure", rule, 10, 1, setting=x)["kept"] for x in settings]
        assert kept == sorted(kept)
        assert kept[0] == 1
        assert CHOSEN[rule] in settings
    assert look("unsure", "top-p", 10, 1, setting=1.0)["kept"] == 49_152
    assert look("unsure", "top-k", 10, 1, setting=49_152)["kept"] == 49_152


def find_kept(text, rule, temperature=10, setting=None):
    """Return the listed words that stay, and how many stay in all."""
    setting = setting or CHOSEN[rule]
    kept = look(text, rule, temperature, 1, setting=setting)["kept"]
    return find_words(text)[:kept], kept


def test_no_number_of_words_suits_both_beginnings():
    """What the line above the drawing asks to see with top-k."""
    assert (FIRST["text"], FIRST["rule"], CHOSEN["top-k"]) == ("sure", "top-k", 5)
    sure, _ = find_kept("sure", "top-k")
    unsure, _ = find_kept("unsure", "top-k")
    assert sure == ["Paris", "the", "London", "Le", "New"]
    assert "of" not in unsure
    assert "of" in find_words("unsure")
    leader = {text: look(text, "top-k", 10, 1, setting=5) for text in TEXTS}
    assert float(leader["sure"]["columns"]["share"][0]) > 0.75
    assert float(leader["unsure"]["columns"]["share"][0]) < 0.25


def test_top_p_sinks_into_the_thousands_in_the_heat_and_min_p_stays():
    assert [find_kept(text, "top-p", 10)[1] for text in TEXTS] == [10, 26]
    assert [find_kept(text, "top-p", 15)[1] for text in TEXTS] == [3285, 1442]
    assert [find_kept(text, "min-p", 10)[1] for text in TEXTS] == [1, 6]
    assert [find_kept(text, "min-p", 15)[1] for text in TEXTS] == [2, 13]


def test_a_readout_says_one_word_and_many_words():
    assert (
        "min-p 0.1 keeps 1 word, which had 0.77"
        in (look("sure", "min-p", 10, 1, setting=0.1)["readout"])
    )
    assert (
        "top-p 0.90 keeps 3,285 words"
        in (look("sure", "top-p", 15, 1, setting=0.9)["readout"])
    )


def test_others_are_named_by_how_many_of_them_stay():
    assert sampling.name_others(5, 120) == "100 others"
    assert sampling.name_others(25, 120) == "5 of 100 others"
    assert sampling.name_others(120, 120) == "100 others"
