"""The tiny ViT is the same each time, and no norm is where it starts."""

import torch

from chapters.beyond_words.tiny_vit import logits_of, tiny_vit
from transformer.zoo import vit


def test_a_tiny_model_is_the_same_each_time():
    first, second = tiny_vit(), tiny_vit()
    pairs = zip(first.parameters(), second.parameters(), strict=True)
    assert all(torch.equal(one, other) for one, other in pairs)


def test_each_parameter_has_moved_away_from_where_it_starts():
    for name, parameter in tiny_vit().named_parameters():
        if "norm" in name:
            assert not torch.any(parameter == 1.0), name


def test_its_logits_are_ours():
    theirs, images = tiny_vit(), torch.randn(2, 3, 10, 10, dtype=torch.float64)
    with torch.no_grad():
        found = vit.from_hugging_face(theirs)(images)
    torch.testing.assert_close(found, logits_of(theirs, images))
