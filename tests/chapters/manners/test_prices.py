"""Pairs say the same fact, DPO puts them in order, and every training is stored."""

import copy

import pytest
import torch

from chapters.manners import prices
from chapters.manners.polite import facts, is_right
from chapters.manners.prices import (
    BETA,
    FIRST,
    MEASUREMENTS,
    OTHERS,
    RATES,
    SEEDS,
    STEPS,
    Pair,
    all_judged,
    answers,
    at_best,
    in_a_row,
    judged,
    learn,
    pending,
)
from transformer.data.answers import mark_answer
from transformer.models import DecoderOnlyTransformer
from transformer.training.preferences import Preference, dpo_loss
from transformer.zoo import llama

OPTIONS = {"beta": 0.1, "rate": 1e-2, "steps": 10, "seed": 3}
PAIRS = [
    Pair(mark_answer([5, 6, n], [3, 2]), mark_answer([5, 6, n], [7, 8, 9, 2]))
    for n in (4, 10, 11, 12, 1)
]


@pytest.fixture
def model():
    torch.manual_seed(0)
    sizes = {"vocab_size": 13, "d_model": 16, "d_ff": 24, "num_heads": 2}
    return DecoderOnlyTransformer(llama.preset(**sizes, num_decoder_layers=2)).eval()


def test_both_answers_to_each_question_are_right():
    for example in facts():
        short, whole = answers(example)
        assert is_right(short, example)
        assert is_right(whole, example)
        assert len(short.split()) == 1 < 4 <= len(whole.split())


def test_answers_are_written_as_they_are_said():
    known = {example.question: answers(example) for example in facts()}
    assert known["What is a young dog called?"][1] == "A young dog is called a puppy."
    assert known["How much is one plus one?"][1] == "One plus one is two."
    asked = "Which day comes after Sunday?"
    assert known[asked] == ("Monday.", "The day after Sunday is Monday.")


def test_pairs_are_judged_each_for_itself(model):
    with torch.no_grad():
        each = [judged(model, [pair]) for pair in PAIRS]
    together = all_judged(model, PAIRS)
    alone = Preference(*map(torch.cat, zip(*each, strict=True)))
    for found, wanted in zip(together, alone, strict=True):
        torch.testing.assert_close(found, wanted)


def test_what_is_preferred_becomes_likelier_than_the_other(model):
    before = all_judged(model, PAIRS)
    other = copy.deepcopy(model)
    for one in (model, other):
        learn(one, PAIRS, first=0, **OPTIONS)
        torch.rand(7)
    after = all_judged(model, PAIRS)
    won, lost = (x - y for x, y in zip(after, before, strict=True))
    assert (won > lost).all()
    assert torch.equal(after.chosen, all_judged(other, PAIRS).chosen)


def test_before_the_preferences_it_learns_to_write_what_is_chosen(model):
    before = all_judged(model, PAIRS)
    learn(model, PAIRS, first=40, **OPTIONS | {"steps": 0})
    change = all_judged(model, PAIRS).chosen - before.chosen
    assert (change > 0).all()


@pytest.mark.parametrize("first", [0, 40])
def test_what_was_learned_first_is_the_reference(first, model, monkeypatch):
    seen = []
    monkeypatch.setattr(
        prices, "dpo_loss", lambda *both, beta: seen.append(both) or dpo_loss(*both)
    )
    learn(model, PAIRS, first=first, **OPTIONS)
    assert torch.equal(seen[0][0].chosen, seen[0][1].chosen)
    assert not torch.equal(seen[-1][0].chosen, seen[-1][1].chosen)


def test_the_usual_price_chooses_the_rate_of_the_others():
    rows = []
    while setting := next(pending(rows), None):
        rows.append(setting | {"validation": abs(setting["rate"] - 1e-3)})
    plain = [row for row in rows if row["steps"] and not row["first"]]
    written = [row for row in rows if row["steps"] and row["first"]]
    usual = [(BETA, rate, 0) for rate in RATES] + [(BETA, 1e-3, n) for n in SEEDS[1:]]
    others = [(beta, 1e-3, n) for beta in OTHERS for n in SEEDS[1:]]
    for found, wanted in ((plain, usual + others), (written, usual)):
        assert [(x["beta"], x["rate"], x["seed"]) for x in found] == wanted


def test_the_control_writes_for_as_many_steps_as_preferences_are_added_to():
    rows = [row for row in MEASUREMENTS.read() if not row["steps"]]
    control = [row["seed"] for row in rows if row["first"] == FIRST + STEPS]
    assert control == [row["seed"] for row in at_best(FIRST, BETA)]


def test_what_counts_was_trained_at_the_rate_that_another_seed_chose():
    for first, beta in ((0, BETA), (0, OTHERS[0]), (0, OTHERS[1]), (FIRST, BETA)):
        rows = [row for row in MEASUREMENTS.read() if row["first"] == first]
        tried = [row for row in rows if (row["beta"], row["seed"]) == (BETA, SEEDS[0])]
        best = min(tried, key=lambda row: row["validation"])
        assert {row["rate"] for row in at_best(first, beta)} == {best["rate"]}
        assert [row["seed"] for row in at_best(first, beta)] == [*SEEDS[1:]]


def test_a_row_of_the_table_has_means_and_ranges():
    one = {"chosen": 4.06, "rejected": -9.7, "brief": 0.25, "right": 0.5}
    other = {"chosen": 4.24, "rejected": -18.1, "brief": 0.5, "right": 0.75}
    assert in_a_row("a", [one]) == ["a", "4.1", "-10", "25", "50"]
    assert in_a_row("b", [one, other]) == [
        "b",
        "4.2 (4.1 to 4.2)",
        "-14 (-18 to -10)",
        "38 (25 to 50)",
        "62 (50 to 75)",
    ]


def test_the_file_holds_every_training():
    rows = MEASUREMENTS.read()
    assert list(pending(rows)) == []
    assert {row["beta"] for row in rows if row["steps"]} == {BETA, *OTHERS}
