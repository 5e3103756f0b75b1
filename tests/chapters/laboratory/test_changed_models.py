"""The language model with other norms, without norms and without skips."""

import torch
from torch.testing import assert_close

from bookkit.checking.facts import facts
from chapters.laboratory.changed_models import (
    CHANGES,
    AnnotatedNorm,
    TokenBatchNorm,
    fresh_run,
    token_difference,
)
from chapters.laboratory.language_model import language_model
from transformer.layers import LayerNorm, ResidualConnection


def kinds_in(part):
    model = language_model(seed=0, change=CHANGES[part])
    return [type(module) for module in model.modules()]


def test_each_change_exchanges_every_part_of_its_kind():
    assert kinds_in("all").count(LayerNorm) == 5  # two a layer, and the final one
    for part in ("no norms", "batch norms", "annotated norms"):
        assert LayerNorm not in kinds_in(part)
    assert kinds_in("batch norms").count(TokenBatchNorm) == 5
    assert kinds_in("annotated norms").count(AnnotatedNorm) == 5


def test_without_a_skip_the_change_alone_is_left():
    model = language_model(seed=0, change=CHANGES["no skips"])
    wrapped = model.decoder.layers[0].feed_forward_residual
    x = torch.randn(2, 3, 64, generator=torch.Generator().manual_seed(0))
    assert isinstance(wrapped.residual, ResidualConnection)
    assert torch.equal(wrapped(x, torch.sin), torch.sin(wrapped.residual.norm(x)))


def test_the_token_batch_norm_normalizes_each_feature_over_all_tokens():
    x = torch.randn(3, 5, 7, generator=torch.Generator().manual_seed(0))
    y = TokenBatchNorm(7)(x)
    assert y.shape == x.shape
    assert_close(y.mean(dim=(0, 1)), torch.zeros(7), rtol=0, atol=1e-6)


@facts("part", ["all", "no skips"])
def test_a_fresh_run_tells_of_every_layer(part):
    letters = torch.arange(22).view(2, 11)
    stream, lengths = fresh_run(part, letters, layers=3, seed=1)
    assert stream.shape == (3, 2, 10, 64)
    assert set(lengths) == {"feed-forward", "query", "value"}
    assert all(
        (of_kind > 0).all() and of_kind.shape == (3,) for of_kind in lengths.values()
    )


def test_the_token_difference_is_zero_for_equal_and_one_for_orthogonal_tokens():
    equal, apart = torch.ones(1, 2, 3, 3), torch.eye(3).expand(1, 2, 3, 3)
    difference = token_difference(torch.cat([2 * equal, apart]))
    assert_close(difference, torch.tensor([0.0, 1.0]))
