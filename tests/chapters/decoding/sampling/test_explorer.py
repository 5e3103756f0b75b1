"""What the explorer of sampling computes is what the package computes."""

from bisect import bisect_right
from functools import cache
from itertools import accumulate, product
from math import log

import pytest
import torch

from chapters.decoding.next_words import LISTED, MEASUREMENTS, TEXTS, unpack
from chapters.decoding.sampling import explorer as sampling
from chapters.decoding.sampling.explorer import CHOSEN, SETTINGS
from transformer.decoding import (
    apply_temperature,
    keep_min_p,
    keep_top_k,
    keep_top_p,
)

FOLDER, DRAWS = "decoding/sampling", 100
DATA = sampling.show().data
RULES = {"top-k": keep_top_k, "top-p": keep_top_p, "min-p": keep_min_p}
STATES = [
    (text, rule, temperature, 1 + n % 7, setting)
    for text, rule, temperature in product(TEXTS, RULES, (1, 8, 15))
    for n, setting in enumerate(SETTINGS[rule][::4])
]


@pytest.fixture
def look(ask):
    """Return what the script shows: text, rule, tenths of a degree, seed, setting."""

    def call(*states):
        asked = ([DATA["texts"][text], *state] for text, *state in states)
        return ask(FOLDER, *(["math.look", *each] for each in asked))

    return call


@cache
def find_logits(text):
    """Return the stored logits after a beginning, the largest first."""
    [row] = (row for row in MEASUREMENTS.read() if row["text"] == text)
    return unpack(row)


def in_rows(shares):
    """Return the listed shares, and the sum of all others."""
    return [*shares[:LISTED].tolist(), float(shares[LISTED:].sum())]


def read_numbers(texts):
    """Read numbers as they are shown."""
    return [float(text.replace("\N{MINUS SIGN}", "-")) for text in texts]


def count_hits(shares, darts):
    """Return how many numbers hit each share; all lie side by side on a line."""
    ends = [*accumulate(shares[:LISTED])]
    hits = [bisect_right(ends, dart) for dart in darts]
    return [hits.count(place) for place in range(LISTED + 1)]


def test_script_shows_what_the_package_computes(ask, look):
    thrown = ask(FOLDER, *(["math.throw", seed] for seed in range(8)))
    for state, picture in zip(STATES, look(*STATES), strict=True):
        text, rule, tenths, seed, setting = state
        logits = find_logits(text)
        scaled = apply_temperature(logits[None], tenths / 10)
        left = RULES[rule](scaled, setting)
        shares, after = (x.softmax(dim=-1)[0] for x in (scaled, left))
        kept = int(left.isfinite().sum())
        assert picture["kept"] == kept
        for name, exact in (("before", shares), ("bars", after)):
            expected = [52 * share for share in in_rows(exact)]
            assert picture[name] == pytest.approx(expected, abs=1e-6), state
        columns, had = picture["columns"], float(shares[:kept].sum())
        assert columns["word"][:-1] == DATA["texts"][text]["words"]
        for name, exact in (("logit", logits), ("scaled", scaled[0])):
            found, expected = read_numbers(columns[name][:-1]), exact[:LISTED].tolist()
            assert found == pytest.approx(expected, abs=0.0501)
        for name, exact in (("share", shares), ("after", after)):
            found = read_numbers(columns[name])
            assert found == pytest.approx(in_rows(exact), abs=0.000501)
        assert columns["after"][kept:] == ["0"] * (LISTED + 1 - kept)
        assert read_numbers([picture["sum"].split()[1]]) == pytest.approx(
            [had], abs=0.00501
        )
        drawn = [*map(int, columns["drawn"])]
        assert drawn == count_hits(in_rows(after), thrown[seed])
        told = (
            f"{DRAWS} draws (seed {seed}), {drawn[0]} took it and {drawn[-1]} took one"
        )
        assert told in picture["readout"]


def test_counts_come_from_the_line_of_shares(ask):
    shares = torch.rand(30, LISTED + 1, dtype=torch.float64).softmax(dim=-1).tolist()
    found = ask(FOLDER, *(["math.count", row, seed] for seed, row in enumerate(shares)))
    thrown = ask(FOLDER, *(["math.throw", seed] for seed in range(len(shares))))
    for row, darts, counts in zip(shares, thrown, found, strict=True):
        assert counts == count_hits(row, darts)
        assert sum(counts) == DRAWS


def test_script_throws_the_same_numbers_for_a_seed(ask):
    """Those of mulberry32 by Tommy Ettinger."""
    thrown = ask(FOLDER, *(["math.throw", n] for n in range(40)))
    assert thrown[1][:3] == [
        0.6270739405881613,
        0.002735721180215478,
        0.5274470399599522,
    ]
    assert len({number for row in thrown for number in row}) == 40 * DRAWS


def test_draws_of_many_seeds_have_the_shares_of_the_words(ask):
    shares = in_rows(find_logits("unsure").softmax(dim=-1))
    drawn = ask(FOLDER, *(["math.count", shares, seed] for seed in range(300)))
    counts, expected = torch.tensor(drawn), torch.tensor(shares)
    found = counts.sum(dim=0) / counts.sum()
    spread = (expected * (1 - expected) / counts.sum()).sqrt()
    assert ((found - expected).abs() < 4 * spread).all()


def test_line_that_is_dragged_lands_on_the_nearest_setting(ask, look):
    choose = "(packed, T, ...rest) => math.choose(math.weigh(packed, T), ...rest)"
    for text, rule, temperature in product(TEXTS, RULES, (7,)):
        packed, settings = DATA["texts"][text], SETTINGS[rule]
        states = [(text, rule, temperature, 1, setting) for setting in settings]
        lines = [picture["line"] for picture in look(*states)]
        heights = [0, 79, 150.2, 230, 401, 420, 999]
        rest = packed, temperature / 10, rule, settings
        asked = [[choose, *rest, y, 7] for y in heights]
        for y, place in zip(heights, ask(FOLDER, *asked), strict=True):
            far = [abs(line - y) for line in lines]
            assert far[place] == pytest.approx(min(far), abs=1e-6)
            nearest = [i for i, x in enumerate(far) if x <= min(far) + 1e-6]
            assert place == min(nearest, key=lambda i: abs(i - 7))


def test_line_goes_down_with_the_words_that_stay(ask):
    size = len(find_logits("sure"))
    kept = (1, 5, LISTED, LISTED + 1, 1000, size)
    lines = ask(FOLDER, *(["math.line", n, size] for n in kept))
    assert lines == sorted({*lines})
    assert lines[:3] == [62 + 17 * n for n in (1, 5, LISTED)]
    assert lines[4] == pytest.approx(lines[2] + 40 * log(981) / log(size - 19))
    assert lines[-1] == lines[2] + 40
    assert lines[-1] + 26 < 484


def test_settings_go_from_the_narrowest_cut_to_the_widest(look):
    for rule, settings in SETTINGS.items():
        pictures = look(*(["unsure", rule, 10, 1, setting] for setting in settings))
        kept = [picture["kept"] for picture in pictures]
        assert kept == sorted(kept)
        assert kept[0] == 1
        assert CHOSEN[rule] in settings
    widest = look(["unsure", "top-p", 10, 1, 1.0], ["unsure", "top-k", 10, 1, 49_152])
    assert [picture["kept"] for picture in widest] == [49_152] * 2


@pytest.fixture
def count_kept(look):
    """Return how many words stay after each beginning, as a rule is set at first."""

    def call(rule, temperature):
        states = ([text, rule, temperature, 1, CHOSEN[rule]] for text in TEXTS)
        return [picture["kept"] for picture in look(*states)]

    return call


def test_no_number_of_words_suits_both_beginnings(look):
    """What the line above the drawing asks to see with top-k."""
    assert CHOSEN["top-k"] == 5
    sure, unsure = look(*([text, "top-k", 10, 1, 5] for text in TEXTS))
    assert sure["columns"]["word"][:5] == ["Paris", "the", "London", "Le", "New"]
    assert "of" not in unsure["columns"]["word"][:5]
    assert "of" in unsure["columns"]["word"]
    assert float(sure["columns"]["share"][0]) > 0.75
    assert float(unsure["columns"]["share"][0]) < 0.25


def test_top_p_sinks_into_the_thousands_in_the_heat_and_min_p_stays(count_kept):
    assert count_kept("top-p", 10) == [10, 26]
    assert count_kept("top-p", 15) == [3285, 1442]
    assert count_kept("min-p", 10) == [1, 6]
    assert count_kept("min-p", 15) == [2, 13]


def test_a_readout_says_one_word_and_many_words(look):
    one, many = look(["sure", "min-p", 10, 1, 0.1], ["sure", "top-p", 15, 1, 0.9])
    assert "min-p 0.1 keeps 1 word, which had 0.77" in one["readout"]
    assert "top-p 0.90 keeps 3,285 words" in many["readout"]


def test_others_are_named_by_how_many_of_them_stay(look):
    settings = (5, 1000, 49_152)
    pictures = look(*(["sure", "top-k", 10, 1, setting] for setting in settings))
    assert [picture["columns"]["word"][-1] for picture in pictures] == [
        "49,132 others",
        "980 of 49,132 others",
        "49,132 others",
    ]
