"""The stream of a model, and layers that are left out, swapped or cut off."""

from copy import deepcopy

import pytest
import torch
from torch.testing import assert_close

from bookkit.checking.facts import facts
from chapters.laboratory.language_model import language_model
from chapters.laboratory.real_model import loss_of, open_model
from chapters.residual_connections.real_stream import (
    CHANGES,
    changed,
    finish,
    measured,
    read,
    read_costs,
    shares,
    two_texts,
)

IDS = torch.tensor([[3, 1, 4, 1, 5], [9, 2, 6, 5, 3]])


class Letters:
    """A tokenizer with a token for each letter."""

    def encode(self, text):
        return [ord(letter) % 7 for letter in text]


@pytest.fixture(scope="module")
def model():
    return language_model(seed=0, num_decoder_layers=3).eval()


def test_both_texts_have_one_length():
    ids = two_texts(Letters())
    assert ids.shape[0] == 2
    assert ids[1, 0] == ord("W") % 7


def test_the_stream_ends_where_the_model_does(model):
    stream = read(model, IDS)
    assert stream.shape == (4, 2, 5, 64)
    with torch.no_grad():
        assert_close(model.decoder.norm(stream[-1]), model.hidden_states(IDS))


@facts("start", range(4))
def test_to_finish_from_anywhere_gives_the_loss_of_the_model(model, start):
    losses = finish(model, read(model, IDS)[start], range(start + 1, 4), IDS)
    assert_close(losses, torch.tensor([loss_of(model, ids) for ids in IDS.tolist()]))


def test_layers_are_applied_in_the_order_of_their_numbers(model):
    stream = read(model, IDS)
    there, back = (finish(model, stream[1], order, IDS) for order in ((2, 3), (3, 2)))
    assert not torch.equal(there, back)
    assert torch.equal(finish(model, stream[2], [3], IDS), there)


def test_the_shares_of_a_token_add_up_to_one():
    stream = torch.tensor([[1.0, 0.0], [1.0, 3.0], [4.0, 3.0]])[:, None, None]
    assert_close(shares(stream)[:, 0, 0], torch.tensor([4.0, 9.0, 12.0]) / 25)


def test_the_share_of_an_entry_that_points_against_the_end_is_negative():
    stream = torch.tensor([[-1.0, 1.0], [3.0, 1.0], [3.0, 0.0]])[:, None, None]
    assert_close(shares(stream)[:, 0, 0], torch.tensor([-1.0, 4.0, 0.0]) / 3)


def test_the_example_of_the_page():
    stream = torch.tensor([[3.0, 0.0], [3.0, 2.0], [2.0, 4.0]])[:, None, None]
    assert_close(shares(stream)[:, 0, 0], torch.tensor([6.0, 8.0, 6.0]) / 20)


def test_what_is_done_to_a_layer_by_hand():
    stream = torch.tensor([[1.0, 0.0], [1.0, 2.0], [4.0, 6.0], [0.0, 1.0]])[:, None]
    assert_close(changed(stream, "left out", 2), (stream[1], [3]))
    assert_close(changed(stream, "swapped", 2), (stream[1], [3, 2]))
    assert_close(changed(stream, "swapped 2 apart", 1), (stream[0], [3, 2, 1]))
    assert_close(changed(stream, "stream cut", 2), (torch.tensor([[3.0, 4.0]]), [3]))
    x, rest = changed(stream, "cut, stretched", 2)
    assert rest == [3]
    assert_close(x, torch.tensor([[3.0, 4.0]]) * 52**0.5 / 5)


def test_a_rise_is_that_of_a_model_without_the_layer(model):
    exact = deepcopy(model).double()  # float32 leaves few digits to a difference
    (rises,) = measured(exact, IDS, "left out", [2])["rises"]
    before = [loss_of(exact, ids) for ids in IDS.tolist()]
    after = finish(exact, read(exact, IDS)[0], [1, 3], IDS).tolist()
    assert rises == pytest.approx([a - b for a, b in zip(after, before, strict=True)])


def test_the_file_holds_what_the_model_says():
    costs = read_costs()
    assert {change: len(rises) for change, rises in costs.items()} == {
        change: len(layers) for change, layers in CHANGES.items()
    }
    opened = open_model("smollm2-135m")
    if opened is None:
        pytest.skip("the model is not installed")
    model, tokenizer = opened
    for change, layers in CHANGES.items():
        found = measured(model, two_texts(tokenizer), change, layers[-1:])["rises"]
        # a float32 model of 30 layers, on another machine
        assert_close(torch.tensor(found), costs[change][-1:], rtol=0, atol=0.02)
