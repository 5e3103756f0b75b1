"""How far a token is felt, and the largest tensor of a computation."""

import torch

from bookkit.checking.facts import facts
from chapters.long_texts.largest import largest_made
from chapters.long_texts.reach import felt_back, windowed_model


@facts("layers, window", [(1, 1), (1, 5), (3, 3)])
def test_a_token_is_felt_as_far_as_the_windows_reach(layers, window):
    model = windowed_model(layers=layers, window=window)
    assert felt_back(model, time=17) == layers * (window - 1)


def test_the_largest_tensor_is_found_wherever_it_is_made():
    x = torch.randn(7, 3)
    assert largest_made(lambda: (x @ x.T).sum()) == 49
    assert largest_made(lambda: x.sum()) == 1
    assert largest_made(lambda: x.max(dim=0)) == 3
