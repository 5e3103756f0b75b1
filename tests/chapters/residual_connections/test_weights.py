"""Which weights get a gradient if every sublayer ends in a matrix of zeros."""

import torch

from bookkit.checking.facts import facts
from chapters.start import gaussian


def gradients(*, skip, count=3):
    lower = [gaussian(7, 5, seed=n).requires_grad_() for n in range(count)]
    upper = [torch.zeros_like(one.T, requires_grad=True) for one in lower]
    x = gaussian(5, seed=11)
    for first, second in zip(lower, upper, strict=True):
        change = second @ (first @ x).relu()
        x = x + change if skip else change
    (x @ gaussian(5, seed=12)).backward()
    return [[one.grad.norm().item() for one in kind] for kind in (lower, upper)]


def test_with_skips_every_last_matrix_starts_to_learn():
    lower, upper = gradients(skip=True)
    assert lower == [0.0] * 3
    assert min(upper) > 0


@facts("count", [2, 3])
def test_without_skips_nothing_starts(count):
    assert gradients(skip=False, count=count) == [[0.0] * count] * 2
