"""Preferences: by hand, against the formulas, and the laws behind DPO."""

from itertools import permutations
from math import exp, log

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.data import IGNORED
from transformer.training import (
    Preference,
    best_policy,
    bradley_terry,
    dpo_loss,
    implicit_reward,
    sequence_log_probabilities,
    token_log_probabilities,
)

EXACT = {"rtol": 0, "atol": 1e-12}


def numbers(*values):
    return torch.tensor(values, dtype=torch.float64)


def drawn(*shape):
    return torch.randn(*shape, dtype=torch.float64)


def test_two_answers_by_hand():
    policy = Preference(numbers(-1.0), numbers(-2.0))
    reference = Preference(numbers(-1.5), numbers(-1.2))
    found = dpo_loss(policy, reference, beta=0.5)
    assert found.rewards.chosen.tolist() == [0.25]
    assert found.rewards.rejected.tolist() == [-0.4]
    assert found.margin.tolist() == [0.65]
    assert float(found.loss) == pytest.approx(log(1 + exp(-0.65)))
    assert float(bradley_terry(numbers(2.0), numbers(1.0)).exp()) == pytest.approx(
        exp(2) / (exp(2) + exp(1))
    )


def test_the_log_probability_of_an_answer_is_a_sum_of_its_tokens():
    chances = numbers([0.5, 0.25, 0.25], [0.1, 0.2, 0.7], [0.3, 0.3, 0.4])
    labels = torch.tensor([[IGNORED, 2, 1], [0, 0, IGNORED]])
    logits = chances.log().expand(2, 3, 3) + 5.0  # scores need not be normalized
    assert_close(
        token_log_probabilities(logits, labels),
        numbers([0, log(0.7), log(0.3)], [log(0.5), log(0.1), 0]),
    )
    found = sequence_log_probabilities(logits, labels)
    assert_close(found, numbers(log(0.7 * 0.3), log(0.5 * 0.1)))


def test_prompt_and_padding_change_nothing():
    logits, labels = drawn(3, 5, 7).requires_grad_(), torch.randint(7, (3, 5))
    before = sequence_log_probabilities(logits, labels)
    wide = F.pad(logits, (0, 0, 2, 3), value=torch.nan)
    found = sequence_log_probabilities(wide, F.pad(labels, (2, 3), value=IGNORED))
    assert_close(found, before, **EXACT)
    gradients = (torch.autograd.grad(x.sum(), logits)[0] for x in (found, before))
    assert_close(*gradients, **EXACT)


def test_half_precision_is_summed_in_float32():
    logits, labels = drawn(2, 301, 5).bfloat16(), torch.randint(5, (2, 301))
    found = sequence_log_probabilities(logits, labels)
    assert found.dtype == torch.float32
    assert_close(found, sequence_log_probabilities(logits.float(), labels))


def test_the_gradient_is_that_of_the_formula():
    """Rafailov et al. (2023), section 4, "What does the DPO update do?"."""
    policy = Preference(*drawn(2, 11).requires_grad_().unbind())
    reference = Preference(*drawn(2, 11).unbind())
    found = dpo_loss(policy, reference, beta=0.3)
    gradients = torch.autograd.grad(found.loss, policy)
    weight = 0.3 * torch.sigmoid(-found.margin).detach() / 11
    assert_close(gradients, (-weight, weight), **EXACT)


def test_at_the_reference_the_loss_is_log_two_and_no_answer_is_rewarded():
    reference = Preference(drawn(5), drawn(5))
    found = dpo_loss(reference, reference)
    assert float(found.loss) == pytest.approx(log(2))
    assert found.margin.tolist() == [0.0] * 5


@given(seed=st.integers(0, 99), shift=st.floats(-50, 50))
def test_both_orders_of_a_pair_have_probabilities_that_add_up_to_one(seed, shift):
    torch.manual_seed(seed)
    one, two = drawn(2, 5)
    forward, back = bradley_terry(one + shift, two + shift), bradley_terry(two, one)
    assert_close(forward.exp() + back.exp(), torch.ones(5).double(), atol=1e-9, rtol=0)


def price(logits, reference, rewards, beta):
    """The expected reward less the price of leaving the reference."""
    policy = logits.log_softmax(-1)
    return (policy.exp() * (rewards - beta * (policy - reference))).sum(-1)


@given(seed=st.integers(0, 99), beta=st.floats(0.05, 20))
def test_no_policy_is_better_than_the_reference_tilted_by_the_reward(seed, beta):
    torch.manual_seed(seed)
    reference, rewards = drawn(3, 7).log_softmax(-1), drawn(3, 7)
    best = best_policy(reference, rewards, beta=beta).requires_grad_()
    value = price(best, reference, rewards, beta)
    (gradient,) = torch.autograd.grad(value.sum(), best)
    assert_close(gradient, torch.zeros_like(best), rtol=0, atol=1e-9)
    log_z = (reference + rewards / beta).logsumexp(-1)
    assert_close(value, beta * log_z, rtol=1e-9, atol=1e-9)
    other = drawn(3, 7).log_softmax(-1)  # which is worse by its divergence, as priced
    worse = beta * (other.exp() * (other - best)).sum(-1)
    assert_close(value - price(other, reference, rewards, beta), worse)
    assert bool((worse > 0).all())


def test_the_reward_is_read_off_the_best_policy_up_to_a_term_of_the_prompt():
    reference, rewards = drawn(7).log_softmax(-1), drawn(7)
    best = best_policy(reference, rewards, beta=0.3)
    found = implicit_reward(best, reference, beta=0.3)
    assert_close(found - found[0], rewards - rewards[0], **EXACT)


def test_dpo_on_all_preferences_has_its_optimum_at_the_best_policy():
    reference, rewards = drawn(5).log_softmax(-1), drawn(5)
    best = best_policy(reference, rewards, beta=0.3).requires_grad_()
    loss, policy = 0.0, best.log_softmax(-1)
    for better, worse in permutations(range(5), 2):
        pair, theirs = (
            Preference(x[better, None], x[worse, None]) for x in (policy, reference)
        )
        chance = (rewards[better] - rewards[worse]).sigmoid()
        loss = loss + chance * dpo_loss(pair, theirs, beta=0.3).loss
    (gradient,) = torch.autograd.grad(loss, best)
    assert_close(gradient, torch.zeros(5).double(), **EXACT)


PAIR = Preference(torch.zeros(3), torch.zeros(3))


@facts(
    "call, error, said",
    [
        (
            lambda: dpo_loss(PAIR, Preference(torch.zeros(3), torch.zeros(3, 1))),
            ValueError,
            r"policy.chosen and .* must have one shape, got .*\(3, 1\)",
        ),
        (
            lambda: dpo_loss(PAIR, Preference(*torch.zeros(2, 3).requires_grad_())),
            ValueError,
            "reference.chosen must not learn.*no_grad",
        ),
        (lambda: dpo_loss(PAIR, PAIR, beta=0.0), ValueError, "beta.*got 0"),
        (
            lambda: implicit_reward(torch.zeros(3), torch.zeros(3).requires_grad_()),
            ValueError,
            "reference must not learn",
        ),
        (
            lambda: bradley_terry(torch.zeros(3), torch.zeros(1)),
            ValueError,
            r"chosen and rejected.*got \(3,\) and \(1,\)",
        ),
        (
            lambda: best_policy(torch.zeros(3), torch.zeros(2, 3), beta=1.0),
            ValueError,
            "reference and rewards",
        ),
        (
            lambda: sequence_log_probabilities(
                torch.zeros(2, 3, 5), torch.tensor([[1, 1, 1], [IGNORED] * 3])
            ),
            ValueError,
            "labels.*got none in row 1",
        ),
    ],
)
def test_what_would_be_wrong_in_silence_is_refused(call, error, said, refuses):
    refuses(call, error, said)
