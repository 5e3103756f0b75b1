"""The bytes that a backward pass needs, against a count by hand."""

import torch

from chapters.cost_and_scale.held_bytes import saved_bytes


def test_a_product_saves_what_its_gradient_needs():
    x, weight = torch.ones(3, 5), torch.nn.Parameter(torch.ones(5, 7))
    assert saved_bytes(lambda: (x @ weight).sum()) == 3 * 5 * 4
    twice = torch.ones(3, 5, requires_grad=True)
    assert saved_bytes(lambda: (twice * twice).sum()) == 3 * 5 * 4  # once, not twice
