"""Two words in two orders: what is read, what is said, and where a head looks."""

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.laboratory.language_model import language_model
from chapters.laboratory.real_model import switched_off, weights_of_head
from chapters.one_sentence.real_order import (
    CHOSEN_BY,
    EXAMPLES,
    OTHERS,
    leads,
    looks_at_pairs,
    mean_probability,
    probabilities,
    prompt,
    texts_and_answers,
    without_each_head,
)

PAIRS = (("one", "two"), ("five", "six"))
TURNED = "old man -> man old\nblack cat -> cat black\ngreen apple -> apple green\n"


class Words:
    """A tokenizer with a token for each word; the line ends with its last word."""

    def encode(self, text):
        return [sum(map(ord, word)) % 23 for word in text.split()]


@pytest.fixture(scope="module")
def model():
    return language_model(seed=0).eval()


def test_the_prompt_shows_the_order_and_waits():
    assert prompt("red", "house", turned=True) == f"{TURNED}red house ->"
    in_order = prompt("red", "house", turned=False)
    assert "black cat -> black cat\n" in in_order
    assert in_order.endswith("\nred house ->")


@facts(
    "turned, place, end, answers",
    [
        (True, 0, " ->", ["two", "six"]),
        (True, 1, " -> two", ["one", "five"]),
        (False, 0, " ->", ["one", "five"]),
        (False, 1, " -> one", ["two", "six"]),
    ],
)
def test_the_first_word_stands_before_the_second_is_said(turned, place, end, answers):
    texts, found = texts_and_answers(PAIRS, turned=turned, place=place)
    assert found == answers
    assert texts[0] == prompt(*PAIRS[0], turned=turned) + end.removeprefix(" ->")


def test_words_that_chose_the_head_do_not_judge_it():
    assert not {*CHOSEN_BY} & {*OTHERS}
    assert not {*EXAMPLES} & {*CHOSEN_BY, *OTHERS}
    assert len(CHOSEN_BY) == len(OTHERS) == 6


@torch.no_grad()
def test_each_text_is_asked_for_its_own_word(model):
    found = probabilities(model, Words(), ["a b", "c d"], ["x", "y"])
    for text, word, share in zip(("a b", "c d"), "xy", found, strict=True):
        ids = torch.tensor([Words().encode(text)])
        wanted = model(ids)[0, -1].softmax(dim=-1)[Words().encode(word)[0]]
        torch.testing.assert_close(share, wanted)


def test_the_mean_is_over_the_pairs(model):
    texts, answers = texts_and_answers(PAIRS, turned=True, place=1)
    alone = probabilities(model, Words(), texts, answers)
    mean = mean_probability(model, Words(), PAIRS, turned=True, place=1)
    assert mean == pytest.approx(alone.mean().item())


def test_each_head_of_a_layer_is_silent_once(model):
    asked = {"turned": True, "place": 1}
    found = without_each_head(model, Words(), PAIRS, layer=2, **asked)
    for head, share in enumerate(found, start=1):
        with switched_off(model, [(2, head)]):
            wanted = mean_probability(model, Words(), PAIRS, **asked)
        assert share == pytest.approx(wanted, rel=1e-5)
    assert len(found) == model.config.num_heads


@facts("turned", [True, False])
def test_the_looks_are_those_at_the_two_words(model, turned):
    found = looks_at_pairs(model, Words(), PAIRS, turned=turned, layer=2, head=1)
    assert found.shape == (2, 2, 2)
    for place in (0, 1):
        text = texts_and_answers(PAIRS, turned=turned, place=place)[0][1]
        words = text.split()
        ids = torch.tensor([Words().encode(text)])
        weights = weights_of_head(model, ids, layer=2, head=1)[0, -1]
        at = [words.index("five"), words.index("six")]
        torch.testing.assert_close(found[1, place], weights[at])


def test_a_lead_is_the_weight_at_the_right_word_minus_the_other(model):
    found = leads(model, Words(), PAIRS)
    for layer, head in ((1, 1), (2, 1)):
        which = {"layer": layer, "head": head}
        turned, in_order = (
            looks_at_pairs(model, Words(), PAIRS, turned=turned, **which).mean(dim=0)
            for turned in (True, False)
        )
        wanted = turned[0, 1] - turned[0, 0] + turned[1, 0] - turned[1, 1]
        wanted += in_order[0, 0] - in_order[0, 1] + in_order[1, 1] - in_order[1, 0]
        torch.testing.assert_close(found[layer - 1, head - 1], wanted / 4)
