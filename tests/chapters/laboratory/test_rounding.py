"""Rounded numbers stand on steps, and a model gets its own numbers back."""

import torch
from torch.testing import assert_close

from bookkit.checking.facts import facts
from chapters.laboratory.language_model import language_model
from chapters.laboratory.rounding import rounded, rounded_weights


def test_a_row_is_rounded_to_steps_of_its_own():
    numbers = torch.tensor([[3.0, -1.4, 0.6], [0.3, 0.14, 0.0], [0.0, 0.0, 0.0]])
    wanted = torch.tensor([[3.0, -1.0, 1.0], [0.3, 0.1, 0.0], [0.0, 0.0, 0.0]])
    assert_close(rounded(numbers, 3), wanted)


@facts("block", [None, 4])
def test_weights_are_rounded_while_the_block_runs(block):
    model = language_model(seed=0).eval()
    weight = model.decoder.layers[0].self_attention.query_projection.weight
    before = weight.clone()
    with rounded_weights(model, 3, block=block):
        blocks = weight.unflatten(1, (-1, block or weight.size(1))).flatten(end_dim=1)
        assert all(len(row.unique()) <= 8 for row in blocks)
        assert not torch.equal(weight, before)
    assert torch.equal(weight, before)
