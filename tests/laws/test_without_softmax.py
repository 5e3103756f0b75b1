"""The laws of the chapter without softmax, for random sizes and numbers."""

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from transformer.layers import (
    chunked_linear_attention,
    decay_mask,
    masked_linear_attention,
    recurrent_linear_attention,
    state_space,
)

# Sums of some hundred products in float64, in another order.
EXACT = {"rtol": 1e-9, "atol": 1e-9}
SEEDS, SIZES, TIMES = st.integers(0, 99), st.integers(1, 7), st.integers(2, 23)


def draw(seed, *shape):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def sequence(seed, time, d):
    """Queries, keys and values of one head, and the logarithms of decays."""
    query, key, value = draw(seed, 3, 1, 1, time, d)
    return query, key, value, F.logsigmoid(draw(seed + 100, 1, 1, time))


@given(seed=SEEDS, time=TIMES, d=SIZES, size=st.integers(1, 9))
@settings(max_examples=25)
def test_three_forms_are_one(seed, time, d, size):
    *read, log_decay = sequence(seed, time, d)
    expected = recurrent_linear_attention(*read, log_decay=log_decay)
    masked = masked_linear_attention(*read, log_decay=log_decay)
    chunked = chunked_linear_attention(*read, log_decay=log_decay, chunk_size=size)
    query, key, value = (x[0, 0] for x in read)
    by_hand = (query @ key.T * decay_mask(log_decay[0, 0])) @ value
    for found in (masked.values, chunked.values):
        assert_close(found, expected.values, **EXACT)
    assert_close(by_hand, expected.values[0, 0], **EXACT)
    assert_close(masked.state, expected.state, **EXACT)


@given(seed=SEEDS, time=TIMES, d=SIZES, data=st.data())
@settings(max_examples=25)
def test_behind_a_cut_the_state_adds_what_is_left_of_it(seed, time, d, data):
    *read, log_decay = sequence(seed, time, d)
    cut = data.draw(st.integers(1, time - 1))
    first, second = ([x[:, :, part] for x in read] for part in
                     (slice(None, cut), slice(cut, None)))  # fmt: skip
    decays = log_decay[..., :cut], log_decay[..., cut:]
    state = recurrent_linear_attention(*first, log_decay=decays[0]).state
    alone = recurrent_linear_attention(*second, log_decay=decays[1]).values
    left = decays[1].cumsum(dim=-1).exp()[..., None]
    whole = recurrent_linear_attention(*read, log_decay=log_decay).values
    assert_close(alone + left * (second[0] @ state), whole[:, :, cut:], **EXACT)


@given(seed=SEEDS, d=SIZES, data=st.data())
@settings(max_examples=25)
def test_orthonormal_keys_read_back_and_no_more_than_d_do(seed, d, data):
    key, _ = torch.linalg.qr(draw(seed, d, d))
    count = data.draw(st.integers(1, d))
    value = draw(seed + 1, count, 3)
    assert_close(key[:count] @ (key[:count].T @ value), value, **EXACT)
    crowd = draw(seed + 2, d + 1, d)
    unseen = torch.linalg.svd(crowd.T, full_matrices=True).Vh[-1]
    assert unseen.norm() == pytest.approx(1.0)
    assert_close(crowd.T @ unseen, torch.zeros(d, dtype=torch.float64), **EXACT)


def test_random_keys_disturb_by_the_number_of_pairs_over_the_features():
    d, count, squares = 7, 12, []
    value = F.normalize(draw(0, count, 5), dim=-1)
    for seed in range(3000):
        key = F.normalize(draw(seed, count, d), dim=-1)
        squares.append((key[0] @ (key.T @ value) - value[0]).square().sum())
    found = torch.stack(squares)
    # The bound is four times the error of a mean of 3,000.
    bound = 4 * float(found.std()) / len(found) ** 0.5
    assert float(found.mean()) == pytest.approx((count - 1) / d, abs=bound)


@given(seed=SEEDS, d=SIZES, rate=st.floats(0.0, 1.5), length=st.floats(0.2, 3.0))
@settings(max_examples=40)
def test_the_delta_rule_multiplies_the_error_and_spares_the_rest(seed, d, rate, length):
    state, value = draw(seed, d, 3), draw(seed + 1, 3)
    key = length * F.normalize(draw(seed + 2, d), dim=0)
    other = draw(seed + 3, d)
    other = other - (other @ key) / length**2 * key
    read = (x[None, None, None] for x in (other, key, value))
    rates = torch.full((1, 1, 1), rate, dtype=torch.float64)
    found = recurrent_linear_attention(*read, rate=rates, state=state[None, None])
    after, left = found.state[0, 0], 1 - rate * length**2
    assert_close(value - key @ after, left * (value - key @ state), **EXACT)
    assert_close(found.values[0, 0, 0], other @ state, **EXACT)


@given(seed=SEEDS, time=TIMES, d=SIZES)
@settings(max_examples=25)
def test_what_a_chunk_writes_needs_no_state_but_its_first(seed, time, d):
    query, key, value = draw(seed, 3, time, d)
    rate, state = draw(seed + 9, time).sigmoid(), draw(seed + 10, d, d)
    written = []
    for t in range(time):
        before = sum((key[s] @ key[t] * written[s] for s in range(t)), key.new_zeros(d))
        written.append(rate[t] * (value[t] - key[t] @ state - before))
    read = (x[None, None] for x in (query, key, value))
    given = {"rate": rate[None, None], "state": state[None, None]}
    expected = recurrent_linear_attention(*read, **given)
    added = torch.stack(written)
    found = query @ state + (query @ key.T).tril() @ added
    assert_close(found, expected.values[0, 0], **EXACT)
    assert_close(state + key.T @ added, expected.state[0, 0], **EXACT)


@given(seed=SEEDS, d=SIZES, repeats=st.integers(1, 9), shared=st.floats(0.0, 1.0))
@settings(max_examples=25)
def test_only_a_rate_above_one_changes_a_sign(seed, d, repeats, shared):
    key, state = F.normalize(draw(seed, d), dim=0), draw(seed + 1, d, 1)
    for rate, sign in ((2.0, (-1) ** repeats), (shared, (1 - shared) ** repeats)):
        read = (
            x.expand(1, 1, repeats, -1) for x in (key, key, torch.zeros_like(key[:1]))
        )
        rates = torch.full((1, 1, repeats), rate, dtype=torch.float64)
        found = recurrent_linear_attention(*read, rate=rates, state=state[None, None])
        assert_close(found.values[0, 0, -1], sign * (key @ state), **EXACT)


@given(seed=SEEDS, time=TIMES, d=SIZES)
@settings(max_examples=25)
def test_a_state_space_is_attention_with_a_mask_of_decays(seed, time, d):
    read, write, x, _ = sequence(seed, time, d)
    step = draw(seed + 7, 1, 1, time).exp()
    rate = draw(seed + 8, 1).exp()
    expected = state_space(x, step, rate, write, read, form="recurrent").values
    mask = decay_mask(-rate * step)
    found = (read @ write.mT * mask) @ (step[..., None] * x)
    assert_close(found, expected, **EXACT)


@given(seed=SEEDS, time=st.integers(4, 23), data=st.data())
@settings(max_examples=25)
def test_blocks_below_the_diagonal_have_rank_one(seed, time, data):
    mask = decay_mask(F.logsigmoid(draw(seed, time)))
    cut = data.draw(st.integers(2, time - 2))
    assert torch.linalg.matrix_rank(mask[cut:, :cut]) == 1
