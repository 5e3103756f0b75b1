"""Masks say who may attend to whom: True means may attend."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from bookkit.checking.facts import facts, refusals
from transformer.layers import causal_mask, padding_mask, window_mask


def test_causal_mask_by_hand():
    expected = [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    assert torch.equal(causal_mask(3), torch.tensor(expected, dtype=torch.bool))


def test_the_last_query_sees_every_key_when_there_are_more_keys():
    expected = [[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]]
    assert torch.equal(causal_mask(2, 5), torch.tensor(expected, dtype=torch.bool))


@given(target=st.integers(1, 12), extra=st.integers(0, 12))
def test_query_t_sees_exactly_its_own_position_and_the_earlier_ones(target, extra):
    mask = causal_mask(target, target + extra)
    assert mask.shape == (target, target + extra)
    assert mask.sum(dim=1).tolist() == [extra + t + 1 for t in range(target)]
    assert all(mask[t, extra + t] for t in range(target))


def test_causal_mask_is_made_on_the_device_asked_for():
    assert causal_mask(3, device="meta").device.type == "meta"


def test_a_window_of_two_by_hand():
    expected = [[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]
    assert torch.equal(window_mask(4, window=2), torch.tensor(expected).bool())


def test_the_first_token_stays_in_sight_by_hand():
    expected = [[1, 0, 1, 1, 0], [1, 0, 0, 1, 1]]
    found = window_mask(2, 5, window=2, sink_tokens=1)
    assert torch.equal(found, torch.tensor(expected).bool())


@given(
    target=st.integers(1, 12),
    extra=st.integers(0, 12),
    window=st.integers(1, 30),
    sinks=st.integers(0, 30),
)
def test_a_window_shows_the_last_positions_and_the_first(target, extra, window, sinks):
    mask = window_mask(target, target + extra, window=window, sink_tokens=sinks)
    for t, row in enumerate(mask.tolist(), start=extra):
        seen = {s for s, allowed in enumerate(row) if allowed}
        assert seen == {s for s in range(t + 1) if s > t - window or s < sinks}


def test_a_window_as_wide_as_the_text_is_causal():
    assert torch.equal(window_mask(5, 7, window=7), causal_mask(5, 7))
    assert not torch.equal(window_mask(5, 7, window=6), causal_mask(5, 7))


def test_padding_mask_by_hand():
    tokens = torch.tensor([[7, 8, 0], [7, 0, 0]])
    expected = torch.tensor([[[[1, 1, 0]]], [[[1, 0, 0]]]], dtype=torch.bool)
    assert torch.equal(padding_mask(tokens, 0), expected)


@facts("pad_id", [256, -1])
def test_an_id_outside_a_narrow_type_is_no_padding(pad_id):
    tokens = torch.tensor([[0, 255]], dtype=torch.uint8)
    assert padding_mask(tokens, pad_id).all()


def test_the_least_id_of_64_bits_may_pad():
    tokens = torch.tensor([[5, -(2**63)]])
    expected = torch.tensor([[[[True, False]]]])
    assert torch.equal(padding_mask(tokens, -(2**63)), expected)


def test_masks_combine_by_broadcasting():
    tokens = torch.tensor([[7, 8, 9, 0, 0], [7, 8, 9, 5, 6]])
    both = causal_mask(5) & padding_mask(tokens, 0)
    assert both.shape == (2, 1, 5, 5)
    assert both[0, 0].sum(dim=1).tolist() == [1, 2, 3, 3, 3]
    assert both[1, 0].sum(dim=1).tolist() == [1, 2, 3, 4, 5]


BAD_INPUTS = {
    ValueError: {
        "target.*at least 1.*got 0": lambda: causal_mask(0),
        "source.*got source=3 and target=5; the": lambda: causal_mask(5, 3),
        "source.*got source=3 and target=7; the": lambda: window_mask(7, 3, window=2),
        "window.*at least 1.*got 0": lambda: window_mask(7, window=0),
        "sink_tokens.*at least 0.*got -1": lambda: window_mask(
            7, window=2, sink_tokens=-1
        ),
    },
    TypeError: {
        r"target.*got 2.0 \(float\)": lambda: causal_mask(2.0),
        r"source.*got 3.0 \(float\)": lambda: causal_mask(2, 3.0),
        r"window.*got None \(NoneType\)": lambda: window_mask(2, window=None),
        "tokens.*got torch.float32; convert": lambda: padding_mask(
            torch.zeros(2, 3), 0
        ),
    },
}


@refusals(BAD_INPUTS)
def test_bad_input_is_refused_with_what_to_do(error, words, call, refuses):
    refuses(call, error, words)
