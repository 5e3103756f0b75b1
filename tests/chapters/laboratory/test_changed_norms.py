"""Norms of a model that are watched or changed."""

import pytest
import torch
from torch.testing import assert_close

from chapters.laboratory.changed_norms import norms_become, size
from chapters.laboratory.language_model import language_model

IDS = torch.tensor([[3, 1, 4, 1, 5], [9, 2, 6, 5, 3]])


@pytest.fixture(scope="module")
def model():
    return language_model(seed=0, norm="rms").eval()


def test_the_size_is_the_root_mean_square():
    assert_close(size(torch.tensor([[3.0, 4.0]])), torch.tensor([[12.5**0.5]]))


def test_every_norm_is_asked_in_turn(model):
    asked = []
    with norms_become(model, lambda number, norm, x: asked.append((number, norm))):
        model(IDS)
    assert [number for number, _ in asked] == list(range(5))
    assert asked[0][1] is model.decoder.layers[0].self_attention_residual.norm
    assert asked[-1][1] is model.decoder.norm


def test_a_norm_becomes_what_it_is_told_and_is_restored(model):
    before = model(IDS)
    with norms_become(model, lambda number, norm, x: 0 * x):
        assert model.decoder.norm(torch.ones(1, 64)).abs().max() == 0
    assert torch.equal(model(IDS), before)


def test_a_norm_is_restored_after_an_error(model):
    with pytest.raises(RuntimeError), norms_become(model, lambda *given: 0 * given[2]):
        raise RuntimeError
    assert model.decoder.norm(torch.ones(1, 64)).abs().max() > 0
