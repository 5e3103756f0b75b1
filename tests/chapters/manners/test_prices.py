"""Pairs say the same fact, DPO puts them in order, and every training is stored."""

import copy

import pytest
import torch

from chapters.manners import prices
from chapters.manners.polite import facts, is_right
from chapters.manners.prices import (
    BETA,
    MEASUREMENTS,
    OTHERS,
    RATES,
    SEEDS,
    STEPS,
    Pair,
    all_judged,
    answers,
    judged,
    learn,
    pending,
)
from transformer.data.answers import mark_answer
from transformer.models import DecoderOnlyTransformer
from transformer.training.preferences import Preference
from transformer.zoo import llama

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
        torch.testing.assert_close(found, wanted, atol=2e-2, rtol=0)  # bfloat16


def test_what_is_preferred_becomes_likelier_than_the_other(model, monkeypatch):
    before = all_judged(model, PAIRS)
    monkeypatch.setattr(prices, "reference", lambda: (before, None))
    options = {"beta": 0.1, "rate": 1e-2, "steps": 10, "seed": 3}
    other = copy.deepcopy(model)
    for one in (model, other):
        learn(one, PAIRS, **options)
    after = all_judged(model, PAIRS)
    won, lost = (x - y for x, y in zip(after, before, strict=True))
    assert (won > lost).all()
    assert torch.equal(after.chosen, all_judged(other, PAIRS).chosen)


def test_the_usual_price_chooses_the_rate_of_all():
    usual = {"beta": BETA, "steps": STEPS, "seed": SEEDS[0]}
    rows = [usual | {"rate": r, "validation": abs(r - 1e-3)} for r in RATES]
    assert [row["rate"] for row in pending(rows[:1])] == [*RATES[1:]]
    found = [(row["beta"], row["rate"]) for row in pending(rows)]
    assert found == [(beta, 1e-3) for beta in OTHERS]


def test_the_file_holds_every_training():
    rows = MEASUREMENTS.read()
    assert list(pending(rows)) == []
    assert {row["beta"] for row in rows} == {BETA, *OTHERS}
