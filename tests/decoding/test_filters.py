"""Each filter, by hand, on ties and against the reference."""

import pytest
import torch
from torch.testing import assert_close
from transformers import (
    MinPLogitsWarper,
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from bookkit.checking.facts import facts
from transformer.decoding import (
    apply_temperature,
    keep_min_p,
    keep_top_k,
    keep_top_p,
    mark_seen,
    penalize_repetition,
)

LADDER = torch.tensor([[3.0, 2.0, 1.0, 0.0, -1.0]], dtype=torch.float64)
SAME = {"rtol": 0, "atol": 0}
WRITTEN = {"rtol": 0, "atol": 5e-5}  # numbers with four decimals
FILTERS = {
    "temperature": lambda logits: apply_temperature(logits, 0.3),
    "top_k": lambda logits: keep_top_k(logits, 2),
    "top_p": lambda logits: keep_top_p(logits, 0.5),
    "min_p": lambda logits: keep_min_p(logits, 0.5),
    "repetition": lambda logits: penalize_repetition(logits, logits == logits, 1.3),
}


@facts(
    "temperature, expected",
    [
        (0.5, [0.8647, 0.1170, 0.0158, 0.0021, 0.0003]),
        (1.0, [0.6364, 0.2341, 0.0861, 0.0317, 0.0117]),
        (2.0, [0.4287, 0.2600, 0.1577, 0.0956, 0.0580]),
    ],
)
def test_temperature_by_hand(temperature, expected):
    found = apply_temperature(LADDER, temperature).softmax(dim=-1)
    assert_close(found[0], torch.tensor(expected).double(), **WRITTEN)


def test_top_k_by_hand():
    found = keep_top_k(LADDER, 2).softmax(dim=-1)
    assert_close(found[0, :2], torch.tensor([0.7311, 0.2689]).double(), **WRITTEN)
    assert (found[0, 2:] == 0).all()


def test_a_nucleus_of_nine_tenths_holds_three_tokens():
    found = keep_top_p(LADDER, 0.9)
    assert torch.equal(found[:, :3], LADDER[:, :3])
    assert (found[:, 3:] == -torch.inf).all()


def test_of_equal_logits_exactly_k_remain_with_the_smallest_ids():
    logits = torch.tensor([[1.0, 5.0, 1.0, 1.0, 0.0], [2.0, 2.0, 2.0, 2.0, 2.0]])
    kept = keep_top_k(logits, 3).isfinite()
    assert kept.tolist() == [
        [True, True, True, False, False],
        [True, True, True, False, False],
    ]


def test_more_than_all_tokens_are_all():
    assert torch.equal(keep_top_k(LADDER, 7), LADDER)


@facts("p, kept", [(0.25, 1), (0.2500001, 2), (0.75, 3)])
def test_a_nucleus_is_the_smallest_set_that_is_enough(p, kept):
    logits = torch.zeros(1, 4)  # a quarter each: sums are exact
    found = keep_top_p(logits, p).isfinite()
    assert found.tolist() == [[True] * kept + [False] * (4 - kept)]


def test_of_equal_tokens_a_nucleus_holds_the_first():
    logits = torch.zeros(1, 64)  # an unstable sort would shuffle more than 16
    found = keep_top_p(logits, 0.5).isfinite()
    assert found.tolist() == [[True] * 32 + [False] * 32]


def test_a_nucleus_holds_the_most_probable_tokens_wherever_they_stand():
    logits = torch.tensor([[0.1, 0.5, 0.4], [0.5, 0.1, 0.4]]).log()
    found = keep_top_p(logits, 0.8).isfinite()
    assert found.tolist() == [[False, True, True], [True, False, True]]


def test_the_whole_probability_keeps_even_the_least_probable():
    logits = torch.tensor([[0.0, -90.0]], dtype=torch.float64)
    assert torch.equal(keep_top_p(logits, 1.0), logits)


def test_a_small_nucleus_keeps_the_most_probable_token():
    assert keep_top_p(LADDER, 1e-9).isfinite().tolist() == [[True] + 4 * [False]]


def test_min_p_by_hand():
    logits = torch.tensor([[0.5, 0.25, 0.125, 0.125], [0.2, 0.2, 0.3, 0.3]]).log()
    found = keep_min_p(logits, 0.4).isfinite()
    assert found.tolist() == [[True, True, False, False], [True] * 4]


def test_a_share_of_all_keeps_the_most_probable_tokens_alone():
    logits = torch.tensor([[1.0, 3.0, 3.0, 2.0]])
    assert keep_min_p(logits, 1.0).isfinite().tolist() == [[False, True, True, False]]


@facts(
    "p, said",
    [
        (0.0, "min_p.*got 0"),
        (1.5, "min_p.*got 1.5.*pass a probability"),
    ],
)
def test_a_share_that_is_none_is_refused(p, said):
    with pytest.raises(ValueError, match=said):
        keep_min_p(torch.zeros(1, 3), p)


@facts("change", FILTERS.values(), ids=[*FILTERS])
def test_a_filter_takes_one_row_of_logits_for_each_text(change, refuses):
    said = r"logits must have shape \(batch, vocab\), got \(2, 3, 7\); pass those"
    refuses(lambda: change(torch.zeros(2, 3, 7)), ValueError, said)


def test_what_was_seen_becomes_less_probable_whatever_its_sign():
    logits = torch.tensor([[3.0, -3.0, 0.0, 3.0, -3.0]])
    seen = torch.tensor([[True, True, True, False, False]])
    found = penalize_repetition(logits, seen, 1.5)
    assert found.tolist() == [[2.0, -4.5, 0.0, 3.0, -3.0]]


def test_tokens_are_marked_where_they_stand():
    seen = mark_seen(torch.tensor([[1, 3, 1], [0, 0, 0]]), 4)
    assert seen.int().tolist() == [[0, 1, 0, 1], [1, 0, 0, 0]]


@facts("change", FILTERS.values(), ids=[*FILTERS])
def test_no_filter_changes_its_input(change):
    logits = torch.randn(3, 7)
    before = logits.clone()
    assert not torch.equal(change(logits), before)
    assert torch.equal(logits, before)


@facts("change", FILTERS.values(), ids=[*FILTERS])
def test_a_batch_without_texts_has_no_logits(change):
    assert change(torch.zeros(0, 7)).shape == (0, 7)


@facts("value", [0.3, 1.0, 1.7])
def test_temperature_equals_the_reference(value, parity):
    logits = torch.randn(5, 101)
    expected = TemperatureLogitsWarper(value)(None, logits)
    compared = parity(apply_temperature, TemperatureLogitsWarper)
    compared.values(apply_temperature(logits, value), expected, **SAME)


@facts("k", [1, 7, 101, 103])
def test_top_k_equals_the_reference(k, parity):
    logits = torch.randn(5, 101)
    found, expected = keep_top_k(logits, k), TopKLogitsWarper(k)(None, logits)
    parity(keep_top_k, TopKLogitsWarper).values(found, expected, **SAME)


@facts("p", [0.03, 0.5, 0.9, 0.999])
def test_top_p_equals_the_reference(p, parity):
    logits = 3 * torch.randn(5, 101, dtype=torch.float64)
    found, expected = keep_top_p(logits, p), TopPLogitsWarper(p)(None, logits)
    parity(keep_top_p, TopPLogitsWarper).values(found, expected, **SAME)


@facts("p", [0.01, 0.1, 0.5, 1.0])
def test_min_p_equals_the_reference(p, parity):
    logits = 3 * torch.randn(5, 101, dtype=torch.float64)
    found, expected = keep_min_p(logits, p), MinPLogitsWarper(p)(None, logits)
    parity(keep_min_p, MinPLogitsWarper).values(found, expected, **SAME)


@facts("penalty", [0.8, 1.2])
def test_repetition_penalty_equals_the_reference(penalty, parity):
    logits, tokens = torch.randn(5, 101), torch.randint(101, (5, 31))
    found = penalize_repetition(logits, mark_seen(tokens, 101), penalty)
    theirs = RepetitionPenaltyLogitsProcessor(penalty)
    expected = theirs(tokens, logits.clone())
    parity(penalize_repetition, theirs).values(found, expected, rtol=0, atol=1e-6)


BAD_INPUTS = [
    (lambda: keep_top_k(LADDER, 0), ValueError, "top_k.*got 0"),
    (
        lambda: keep_top_k(torch.zeros(2, 3, 5), 2),
        ValueError,
        r"logits.*got \(2, 3, 5\).*pass those",
    ),
    (
        lambda: apply_temperature(torch.zeros(2, 0), 1.0),
        ValueError,
        r"logits.*got \(2, 0\)",
    ),
    (
        lambda: keep_top_p(torch.zeros(2, 3).long(), 0.5),
        TypeError,
        "logits.*got torch.int64",
    ),
    (
        lambda: penalize_repetition(LADDER, torch.zeros(1, 5).long(), 1.2),
        TypeError,
        "seen.*got torch.int64.*mark_seen",
    ),
    (lambda: penalize_repetition(LADDER, [1, 2], 1.2), TypeError, "seen.*got list"),
    (
        lambda: penalize_repetition(LADDER, torch.zeros(1, 4).bool(), 1.2),
        ValueError,
        r"seen.*got shape \(1, 4\) for logits of shape \(1, 5\).*mark_seen",
    ),
    (
        lambda: apply_temperature(LADDER, 0),
        ValueError,
        "temperature.*got 0.*greedy_decode",
    ),
]


@facts("call, error, message", BAD_INPUTS)
def test_bad_input_is_refused_with_what_to_do(call, error, message, refuses):
    refuses(call, error, message)
