"""What a model computes is kept, and units fall silent."""

from types import SimpleNamespace

import pytest
import torch
from torch.testing import assert_close

from chapters.inside.reading import (
    place_of,
    raised_by,
    read,
    short,
    units_off,
)
from chapters.laboratory.language_model import language_model

IDS = torch.tensor([[3, 1, 4, 1, 5, 2, 6], [5, 3, 1, 2, 5, 3, 1]])
LETTERS = SimpleNamespace(
    encode=lambda text: [1 + ord(letter) % 7 for letter in text],
    decode=lambda ids: "\ufffd" if ids[0] % 2 else f"t{ids[0]}",
)


@pytest.fixture(scope="module")
def model():
    return language_model(seed=0).eval()


def down_of(model, layer):
    return model.decoder.layers[layer - 1].feed_forward.down_projection


def test_a_reading_has_the_streams_the_weights_and_the_logits(model):
    found = read(model, IDS)
    layers = len(model.decoder.layers)
    assert found.streams.shape[:3] == (layers + 1, 2, 7)
    assert found.units.shape[:3] == (layers, 2, 7)
    assert_close(found.weights.sum(dim=-1), torch.ones(found.weights.shape[:-1]))
    assert_close(found.logits, model(IDS))
    assert_close(model.head(model.decoder.norm(found.streams[-1])), found.logits)


def test_one_text_of_a_batch_is_as_if_it_were_read_alone(model):
    for one, alone in zip(read(model, IDS).of(1), read(model, IDS[1:]), strict=True):
        assert_close(one, alone)


def test_units_are_what_the_network_adds_up(model):
    kept = []
    network = model.decoder.layers[1].feed_forward
    hook = network.register_forward_hook(lambda *given: kept.append(given[2]))
    units = read(model, IDS).units[1]
    hook.remove()
    assert_close(down_of(model, 2)(units), kept[0])


def test_a_silent_unit_leaves_out_its_row(model):
    kept = []
    network = model.decoder.layers[1].feed_forward
    hook = network.register_forward_hook(lambda *given: kept.append(given[2]))
    whole = read(model, IDS)
    with units_off(model, [(2, 12)]):
        model(IDS)
    hook.remove()
    row = down_of(model, 2).weight[:, 11]
    written = whole.units[1][..., 11, None] * row
    assert_close(kept[0] - kept[1], written, rtol=1e-4, atol=1e-6)
    assert_close(model(IDS), whole.logits)


def test_the_likeliest_token_has_the_first_place():
    chances = torch.tensor([[0.2, 0.5, 0.3], [0.6, 0.3, 0.1]])
    assert place_of(chances, 0).tolist() == [3, 1]


def test_raised_tokens_follow_the_row_and_are_letters(model):
    table = model.head.projection.weight * model.decoder.norm.weight
    scores = (table - table.mean(dim=0)) @ down_of(model, 2).weight[:, 11]
    order = [i for i in scores.argsort(descending=True).tolist() if i % 2 == 0]
    found = raised_by(model, LETTERS, (2, 12), count=2)
    assert found == [f"t{i}" for i in order if i in scores.topk(8).indices][:2]


def test_short_numbers_keep_their_first_digits():
    assert short(23738.1) == 23_700
    assert short(torch.tensor(28919), 2) == 29_000
    assert [short(-13699.6), short(0.4), short(46.6)] == [-13_700, 0, 47]
