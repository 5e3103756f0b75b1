"""The stream of a language model, changed behind one of its layers."""

import pytest
import torch
from torch.nn.functional import cross_entropy
from torch.testing import assert_close

from bookkit.checking.facts import facts
from chapters.laboratory.language_model import language_model
from chapters.laboratory.real_model import loss_of, open_model
from chapters.norm_placement.real_volume import (
    FACTORS,
    FACTS,
    LAYERS,
    STORY,
    loss_changed,
    losses_turned,
    mean_size,
    size,
    stored_losses,
)
from transformer.layers import causal_mask

IDS = torch.tensor([[3, 1, 4, 1, 5, 9, 2]])


@pytest.fixture(scope="module")
def model():
    return language_model(seed=0).eval()


def behind(model, layer):
    """The stream behind a layer, counted from 1, written out."""
    x = model.embedding(IDS)
    for one in model.decoder.layers[:layer]:
        x = one(x, mask=causal_mask(IDS.size(1)))
    return x


def test_the_size_is_the_root_mean_square():
    assert_close(size(torch.tensor([[3.0, 4.0]])), torch.tensor([[12.5**0.5]]))


@facts("layer", [1, 2])
@torch.no_grad()
def test_what_is_changed_is_the_stream_behind_that_layer(model, layer):
    seen = []
    loss_changed(model, IDS[0].tolist(), layer, lambda x: seen.append(x) or x)
    assert_close(seen[0], behind(model, layer)[:, 1:])


@torch.no_grad()
def test_all_tokens_but_the_first_are_changed(model):
    x = behind(model, 2)
    x[:, 1:] *= -1
    logits = model.head(model.decoder.norm(x))[0, :-1]
    found = loss_changed(model, IDS[0].tolist(), 2, lambda x: -x)
    assert found == pytest.approx(cross_entropy(logits, IDS[0, 1:]).item())


def test_behind_the_last_layer_the_volume_does_not_matter(model):
    ids = IDS[0].tolist()
    loud = loss_changed(model, ids, 2, lambda x: 7 * x)
    assert loud == pytest.approx(loss_of(model, ids), abs=1e-3)
    early = loss_changed(model, ids, 1, lambda x: 7 * x)
    assert abs(early - loss_of(model, ids)) > 1e-2


@torch.no_grad()
def test_the_mean_size_leaves_the_first_token_out(model):
    expected = size(behind(model, 1))[:, 1:].mean().item()
    assert mean_size(model, IDS[0].tolist(), 1) == pytest.approx(expected, rel=1e-5)


def test_a_text_is_as_it_was_at_the_factor_one(model):
    (losses,) = losses_turned(model, [IDS[0].tolist()], 1)
    whole = losses[FACTORS.index(1)]
    assert whole == pytest.approx(loss_of(model, IDS[0].tolist()), abs=1e-5)
    assert len(set(losses)) == len(FACTORS)


def test_the_file_holds_two_texts_at_every_factor_behind_each_layer():
    assert tuple(stored_losses()) == LAYERS
    for texts in stored_losses().values():
        assert [len(losses) for losses in texts] == 2 * [len(FACTORS)]
        for losses in texts:  # loudest and softest cost most
            assert min(losses) == pytest.approx(losses[FACTORS.index(1)], abs=0.2)


def test_losses_of_the_file_are_measured_again():
    model, tokenizer = open_model("smollm2-135m")
    for text, losses in zip((FACTS, STORY), stored_losses()[5], strict=True):
        ids = tokenizer.encode(text)
        for place in (1, -1):
            factor = FACTORS[place]
            again = loss_changed(model, ids, 5, lambda x, s=factor: s * x)
            assert again == pytest.approx(losses[place], abs=1e-2)
