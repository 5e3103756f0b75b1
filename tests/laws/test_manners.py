"""The laws of the chapter on manners, for random sizes and numbers."""

import math
from itertools import product

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.testing import assert_close

from transformer.training import (
    LoRALinear,
    best_policy,
    group_advantages,
    grpo_loss,
    pass_at_k,
    policy_gradient_loss,
)

# Sums of a few products in float64, in another order.
EXACT = {"rtol": 1e-9, "atol": 1e-9}
SEEDS, SIZES = st.integers(0, 99), st.integers(2, 7)


def draw(seed, *shape):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


@given(seed=SEEDS, d_in=SIZES, d_out=SIZES, data=st.data())
@settings(max_examples=25)
def test_narrow_matrices_have_their_rank_and_merge(seed, d_in, d_out, data):
    rank = data.draw(st.integers(1, min(d_in, d_out)))
    plain = nn.Linear(d_in, d_out).double()
    adapted = LoRALinear(plain, rank=rank, alpha=3.0)
    x = draw(seed, 5, d_in)
    assert_close(adapted(x), plain(x))  # nothing is added at first
    adapted(x).square().sum().backward()
    assert torch.all(adapted.down.grad == 0)
    assert torch.any(adapted.up.grad != 0)
    adapted.up.data = draw(seed + 1, d_out, rank)
    assert torch.linalg.matrix_rank(adapted.change.detach()) <= rank
    assert_close(adapted.merged()(x), adapted(x), **EXACT)


@given(seed=SEEDS, d_in=SIZES, d_out=SIZES, data=st.data())
@settings(max_examples=25)
def test_each_matrix_of_the_rank_is_such_a_change(seed, d_in, d_out, data):
    rank = data.draw(st.integers(1, min(d_in, d_out)))
    wanted = draw(seed, d_out, rank) @ draw(seed + 1, rank, d_in)
    parts = torch.linalg.svd(wanted, full_matrices=False)
    adapted = LoRALinear(nn.Linear(d_in, d_out).double(), rank=rank, alpha=3.0)
    adapted.up.data = (parts.U * parts.S)[:, :rank]
    adapted.down.data = parts.Vh[:rank] * rank / 3.0
    assert_close(adapted.change.detach(), wanted, **EXACT)


def worth(policy, reference, rewards, beta):
    """The mean reward of a policy, less the price of leaving the reference."""
    drift = (policy.exp() * (policy - reference)).sum()
    return (policy.exp() * rewards).sum() - beta * drift


@given(seed=SEEDS, count=SIZES, beta=st.floats(0.05, 5.0))
@settings(max_examples=50)
def test_no_policy_is_worth_more_at_its_price(seed, count, beta):
    reference = draw(seed, count).log_softmax(dim=-1)
    rewards = draw(seed + 1, count)
    best = best_policy(reference, rewards, beta=beta)
    most = worth(best, reference, rewards, beta)
    log_z = (reference + rewards / beta).logsumexp(dim=-1)
    assert_close(most, beta * log_z, **EXACT)
    for number in range(5):
        other = (best + draw(seed + number, count)).log_softmax(dim=-1)
        left = worth(other, reference, rewards, beta)
        apart = (other.exp() * (other - best)).sum()
        assert_close(left, most - beta * apart, **EXACT)
        assert left <= most + 1e-14  # rounding, where the two are almost one


@given(seed=SEEDS, count=SIZES, baseline=st.floats(-9, 9))
@settings(max_examples=50)
def test_a_baseline_does_not_change_the_mean_gradient(seed, count, baseline):
    scores, rewards = draw(seed, count).requires_grad_(), draw(seed + 1, count)
    (scores.softmax(dim=-1) * rewards).sum().backward()
    wanted, scores.grad = scores.grad, None
    logs = scores.log_softmax(dim=-1)
    for one in range(count):  # each answer, as often as it is drawn
        share = logs[one].exp().detach()
        loss = policy_gradient_loss(logs[[one]], rewards[[one]], baseline=baseline)
        (share * loss).backward(retain_graph=True)
    assert_close(-scores.grad, wanted, **EXACT)


@pytest.mark.parametrize(("group", "chance"), [(2, 0.5), (4, 0.1), (3, 0.9)])
def test_a_silent_group_is_as_likely_as_said_and_teaches_nothing(group, chance):
    silent = 0.0
    for rewards in product((0.0, 1.0), repeat=group):
        right = int(sum(rewards))
        advantages = group_advantages(torch.tensor([rewards])).flatten()
        if right in (0, group):
            assert torch.all(advantages == 0)
            logs = torch.full((group, 2), -1.0, requires_grad=True)
            loss = grpo_loss(
                logs,
                old=logs.detach(),
                reference=logs.detach(),
                advantages=advantages,
                counted=torch.ones(group, 2, dtype=torch.bool),
            )
            loss.backward()
            assert torch.all(logs.grad == 0)
            silent += chance**right * (1 - chance) ** (group - right)
        else:
            assert torch.all(advantages != 0)
    assert silent == pytest.approx(chance**group + (1 - chance) ** group)


@pytest.mark.parametrize(("n", "k", "p"), [(4, 2, 0.5), (7, 3, 0.2), (9, 9, 0.1)])
def test_pass_at_k_has_no_bias_and_the_plain_guess_has_some(n, k, p):
    chances = [math.comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]
    mean = sum(x * pass_at_k(n, c, k) for c, x in enumerate(chances))
    assert mean == pytest.approx(1 - (1 - p) ** k)
    plain = sum(x * (1 - (1 - c / n) ** k) for c, x in enumerate(chances))
    assert plain < mean - 1e-3
