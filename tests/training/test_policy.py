"""Policy gradient: by hand, and by all that can be drawn, without any sampling."""

from itertools import combinations, product
from math import comb, exp

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.training import (
    clipped_gain,
    group_advantages,
    grpo_loss,
    kl_estimate,
    pass_at_k,
    policy_gradient_loss,
)

EXACT = {"rtol": 0, "atol": 1e-12}


def drawn(*shape):
    return torch.randn(*shape, dtype=torch.float64)


def gradient_of(loss, logits):
    return torch.autograd.grad(loss, logits)[0]


def expected_gradient(logits, loss_of, size=1):
    """The mean gradient of a loss over all ways to draw some answers."""
    chances, total = logits.softmax(-1).detach(), torch.zeros_like(logits)
    for answers in product(range(len(logits)), repeat=size):
        picked = logits.log_softmax(-1)[list(answers)]
        gradient = gradient_of(loss_of(picked, list(answers)), logits)
        total = total + chances[list(answers)].prod() * gradient
    return total


def test_a_group_of_four_by_hand():
    rewards = torch.tensor([[1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 1.0]])
    a, b = 3**0.5, -(3**-0.5)  # 0.75 and -0.25, divided by the root of 3 / 16
    wanted = torch.tensor([[a, b, b, b], [1.0, -1.0, -1.0, 1.0]])
    assert_close(group_advantages(rewards), wanted)
    plain = torch.tensor([[0.75, -0.25, -0.25, -0.25], [0.5, -0.5, -0.5, 0.5]])
    assert_close(group_advantages(rewards, divide=False), plain)


def test_tokens_by_hand():
    new, old = torch.tensor([1.5, 1.5, 0.5, 0.5, 1.1]).log(), torch.zeros(5)
    signs = torch.tensor([1.0, -1.0, 1.0, -1.0, 2.0])
    assert_close(
        clipped_gain(new, old, signs), torch.tensor([1.2, -1.5, 0.5, -0.8, 2.2])
    )
    found = kl_estimate(torch.tensor([0.0, -2.0]), torch.tensor([-1.0, -2.0]))
    assert_close(found, torch.tensor([exp(-1), 0.0]))


def test_the_loss_of_a_group_written_as_loops():
    new, old, reference = (0.5 * drawn(3, 4, 5)).requires_grad_().unbind()
    old, reference = old.detach(), reference.detach()
    advantages, lengths = drawn(4), [1, 5, 3, 2]
    counted = torch.arange(5) < torch.tensor(lengths)[:, None]
    wanted = 0.0
    for i, length in enumerate(lengths):
        gains = []
        for t in range(length):
            ratio = (new[i, t] - old[i, t]).exp()
            back = (reference[i, t] - new[i, t]).exp()
            gain = min(ratio * advantages[i], ratio.clip(0.8, 1.2) * advantages[i])
            gains.append(gain - 0.04 * (back - back.log() - 1))
        wanted = wanted - sum(gains) / length / 4
    others = {"old": old, "reference": reference, "advantages": advantages}
    found = grpo_loss(new, **others, counted=counted)
    assert_close(found, wanted, **EXACT)
    assert_close(gradient_of(found, new), gradient_of(wanted, new), **EXACT)


def test_where_nothing_has_moved_it_is_the_policy_gradient():
    new = drawn(6, 1).requires_grad_()
    old, advantages = new.detach(), group_advantages(drawn(2, 3)).flatten()
    counted = torch.ones(6, 1, dtype=torch.bool)
    given = {"old": old, "reference": old, "advantages": advantages}
    clipped = gradient_of(grpo_loss(new, **given, counted=counted), new)
    plain = gradient_of(policy_gradient_loss(new[:, 0], advantages), new)
    assert_close(clipped, plain, **EXACT)


def test_nothing_pulls_further_beyond_the_clip_and_all_pulls_back():
    ratios = torch.tensor([1.5, 1.5, 0.5, 0.5]).log().requires_grad_()
    signs = torch.tensor([1.0, -1.0, 1.0, -1.0])
    gains = clipped_gain(ratios, torch.zeros(4), signs).sum()
    assert_close(gradient_of(gains, ratios), torch.tensor([0.0, -1.5, 0.5, 0.0]))


@facts("baseline", [0.0, 3.7, -100.0])
def test_a_baseline_does_not_bias_the_gradient(baseline):
    logits, rewards = drawn(5).requires_grad_(), drawn(5)
    found = expected_gradient(
        logits,
        lambda p, i: policy_gradient_loss(p, rewards[i], baseline=baseline),
    )
    wanted = gradient_of((logits.softmax(-1) * rewards).sum(), logits)
    assert_close(found, -wanted, **EXACT)


@facts("group", [2, 3])
def test_the_mean_of_the_group_shortens_the_gradient_and_that_of_others_does_not(group):
    logits, rewards = drawn(3).requires_grad_(), drawn(3)

    def of_group(picked, answers):
        gains = group_advantages(rewards[answers][None], divide=False)
        return policy_gradient_loss(picked, gains[0])

    def of_others(picked, answers):
        got = rewards[answers]
        others = (got.sum() - got) / (group - 1)
        return policy_gradient_loss(picked, got, baseline=others)

    wanted = -gradient_of((logits.softmax(-1) * rewards).sum(), logits)
    assert_close(expected_gradient(logits, of_others, group), wanted, **EXACT)
    shorter = expected_gradient(logits, of_group, group)
    assert_close(shorter, wanted * (group - 1) / group, **EXACT)


@given(seed=st.integers(0, 99), scale=st.floats(0.01, 100), shift=st.floats(-50, 50))
def test_advantages_know_neither_the_unit_nor_the_zero_of_rewards(seed, scale, shift):
    torch.manual_seed(seed)
    rewards = drawn(3, 7)
    found = group_advantages(rewards)
    assert_close(found.mean(dim=1), torch.zeros(3).double(), **EXACT)
    assert_close(found.square().mean(dim=1), torch.ones(3).double())
    assert_close(group_advantages(scale * rewards + shift), found, rtol=0, atol=1e-7)


@facts("reward", [0.0, 0.1, -7.3])
@facts("divide", [True, False])
def test_a_group_in_which_all_are_equal_teaches_nothing(reward, divide):
    rewards = torch.full((2, 7), reward)  # whose mean is not the reward, by rounding
    assert group_advantages(rewards, divide=divide).tolist() == [[0.0] * 7] * 2


def test_the_estimate_of_the_divergence_is_unbiased_and_never_negative():
    logits, reference = drawn(7).requires_grad_(), drawn(7).log_softmax(-1)
    policy = logits.log_softmax(-1)
    estimates = kl_estimate(policy, reference)
    assert float(estimates.detach().min()) >= 0
    wanted = (policy.exp() * (policy - reference)).sum()
    assert_close((policy.exp() * estimates).sum(), wanted, **EXACT)
    # Tokens are drawn first: the gradient is that of each estimate, by its chance.
    found = gradient_of((policy.exp().detach() * estimates).sum(), logits)
    other = (reference.exp() * (reference - logits.log_softmax(-1))).sum()
    assert_close(found, gradient_of(other, logits), **EXACT)


@given(st.integers(1, 7), st.data())
def test_pass_at_k_is_the_share_of_choices_with_a_right_one(samples, data):
    right = data.draw(st.integers(0, samples))
    k = data.draw(st.integers(1, samples))
    chosen = [*combinations([n < right for n in range(samples)], k)]
    wanted = sum(map(any, chosen)) / len(chosen)
    assert pass_at_k(samples, right, k) == pytest.approx(wanted, abs=1e-12)


@facts("k", [1, 2, 5])
def test_pass_at_k_is_without_bias(k):
    n, p = 5, 0.3
    chances = [comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]
    mean = sum(chance * pass_at_k(n, c, k) for c, chance in enumerate(chances))
    assert mean == pytest.approx(1 - (1 - p) ** k, abs=1e-12)


def test_pass_at_k_of_many_samples_is_exact():
    assert pass_at_k(10_000, 1, 1000) == pytest.approx(0.1, abs=1e-15)


ZEROS, LEARNING = torch.zeros(3), torch.zeros(3).requires_grad_()
TOKENS = {name: torch.zeros(3, 2) for name in ("old", "reference")}
TOKENS |= {"advantages": ZEROS, "counted": torch.ones(3, 2, dtype=torch.bool)}


def grpo(**changes):
    return grpo_loss(torch.zeros(3, 2), **{**TOKENS, **changes})


@facts(
    "call, error, said",
    [
        (
            lambda: policy_gradient_loss(ZEROS, ZEROS[:, None]),
            ValueError,
            r"log_probabilities and rewards.*got \(3,\) and \(3, 1\)",
        ),
        (lambda: policy_gradient_loss(ZEROS, LEARNING), ValueError, "rewards must not"),
        (
            lambda: policy_gradient_loss(ZEROS, ZEROS, baseline=ZEROS[:1]),
            ValueError,
            "log_probabilities and rewards and baseline",
        ),
        (
            lambda: group_advantages(torch.zeros(3, 1)),
            ValueError,
            r"rewards.*got \(3, 1\); one alone",
        ),
        (lambda: group_advantages(ZEROS), ValueError, r"rewards.*got \(3,\)"),
        (
            lambda: group_advantages(torch.zeros(3, 2).long()),
            TypeError,
            "rewards.*got torch.int64",
        ),
        (
            lambda: group_advantages(torch.tensor([[0.0, torch.nan]])),
            ValueError,
            "rewards must be finite",
        ),
        (lambda: clipped_gain(ZEROS, LEARNING, ZEROS), ValueError, "old must not"),
        (lambda: clipped_gain(ZEROS, ZEROS, LEARNING), ValueError, "advantages must"),
        (lambda: kl_estimate(ZEROS, LEARNING), ValueError, "reference must not learn"),
        (lambda: kl_estimate(ZEROS, ZEROS[:1]), ValueError, "reference must have one"),
        (lambda: grpo(advantages=torch.zeros(3, 1)), ValueError, r"got .*\(3, 1\)"),
        (lambda: grpo(counted=torch.zeros(3, 2)), TypeError, "counted.*got torch.flo"),
        (
            lambda: grpo(counted=torch.zeros(3, 2, dtype=torch.bool)),
            ValueError,
            "counted.*got a row without",
        ),
        (lambda: grpo(old=torch.zeros(2)), ValueError, "old and reference must"),
        (lambda: grpo(beta=-0.1), ValueError, "beta.*got -0.1"),
        (lambda: pass_at_k(4, 5, 1), ValueError, "right.*got 5"),
        (lambda: pass_at_k(4, 1, 5), ValueError, "k must be at most 4, got 5"),
        (lambda: pass_at_k(4, 0.5, 1), TypeError, "right.*got 0.5"),
    ],
)
def test_what_would_be_wrong_in_silence_is_refused(call, error, said, refuses):
    refuses(call, error, said)
