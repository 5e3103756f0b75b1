"""A rounded stream stands on steps."""

import pytest
import torch
from torch.testing import assert_close

from bookkit.checking.facts import facts
from chapters.inside.rounding import rounded_stream, rounded_streams
from chapters.laboratory.language_model import language_model

IDS = torch.tensor([[3, 1, 4, 1, 5, 2, 6]])


@pytest.fixture(scope="module")
def model():
    return language_model(seed=0).eval()


@facts("each", ["text", "token", "text but the first token"])
def test_a_stream_has_a_step_for_each(model, each):
    kept = []
    layer = model.decoder.layers[0]
    with rounded_streams(model, [1], each=each, bits=5):
        hook = layer.register_forward_hook(lambda *given: kept.append(given[2][0]))
        model(IDS)
    hook.remove()
    layer.register_forward_hook(lambda *given: kept.append(given[2][0])).remove()
    first = {"text": kept[0][None], "token": kept[0], "text but the first token": None}
    rows = first[each] if first[each] is not None else kept[0][1:][None]
    for row in rows:
        steps = row / (row.abs().max() / 15)
        assert_close(steps, steps.round(), rtol=0, atol=1e-4)


def test_the_first_token_is_left_as_it_is(model):
    kept = []
    layer = model.decoder.layers[0]
    hook = layer.register_forward_hook(lambda *given: kept.append(given[2][0]))
    model(IDS)
    hook.remove()
    with rounded_streams(model, [1], each="text but the first token", bits=3):
        hook = layer.register_forward_hook(lambda *given: kept.append(given[2][0]))
        model(IDS)
    hook.remove()
    assert torch.equal(kept[0][0], kept[1][0])
    assert not torch.equal(kept[0][1:], kept[1][1:])


def test_a_giant_comes_through_and_the_others_pay():
    giant = torch.tensor([[[1270.0, 3.0], [4.0, -6.0], [0.5, 2.0]]])
    text = rounded_stream(giant, each="text", bits=8)
    assert_close(text, torch.tensor([[[1270.0, 0.0], [0.0, -10.0], [0.0, 0.0]]]))
    first = rounded_stream(giant, each="first token", bits=8)
    assert_close(first[0, 0], torch.tensor([1270.0, 0.0]))
    assert torch.equal(first[0, 1:], giant[0, 1:])
    rest = rounded_stream(giant, each="text but the first token", bits=2)
    assert_close(rest, torch.tensor([[[1270.0, 3.0], [6.0, -6.0], [0.0, 0.0]]]))
    token = rounded_stream(giant, each="token", bits=2)
    assert_close(token, torch.tensor([[[1270.0, 0.0], [6.0, -6.0], [0.0, 2.0]]]))
