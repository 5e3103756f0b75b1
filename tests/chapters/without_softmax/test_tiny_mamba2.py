"""The tiny Mamba-2 is the same each time, and no norm is where it starts."""

import torch

from chapters.without_softmax.tiny_mamba2 import TINY, logits_of, tiny_mamba2
from transformer.zoo import mamba2


def test_a_tiny_model_is_the_same_each_time():
    first, second = tiny_mamba2(), tiny_mamba2()
    pairs = zip(first.parameters(), second.parameters(), strict=True)
    assert all(torch.equal(one, other) for one, other in pairs)
    assert first.config.num_heads == TINY["num_heads"]


def test_each_parameter_has_moved_away_from_where_it_starts():
    for name, parameter in tiny_mamba2().named_parameters():
        if "norm" in name or name.endswith(".D"):
            assert not torch.any(parameter == 1.0), name


def test_its_logits_are_ours_and_nothing_is_said(capfd):
    theirs, tokens = tiny_mamba2(), torch.tensor([[5, 7, 3, 11, 2]])
    expected = logits_of(theirs, tokens)
    with torch.no_grad():
        found = mamba2.from_hugging_face(theirs)(tokens)
    # Some hundred sums in float32, of logits of order 1.
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)
    assert capfd.readouterr().err == ""
