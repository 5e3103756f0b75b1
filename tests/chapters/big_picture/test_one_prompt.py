"""One prompt in a language model: what is read, exchanged and silenced."""

import pytest
import torch
from torch.testing import assert_close

from chapters.big_picture.one_prompt import (
    after_exchanges,
    follow_the_swap,
    guesses,
    read_through,
    silence_each,
    swap_everywhere,
)
from chapters.laboratory.language_model import language_model
from chapters.laboratory.real_model import as_ids


class Letters:
    """A tokenizer with a token for each letter."""

    def encode(self, text):
        return [ord(letter) % 7 for letter in text]

    def decode(self, ids):
        return f" {ids[0]}"


@pytest.fixture(scope="module")
def model():
    return language_model(seed=0).eval()


def answer_of(model, text):
    """What the model says after a text: probabilities."""
    return model(as_ids(Letters(), text))[0, -1].softmax(dim=-1)


def test_the_last_guess_is_the_answer_of_the_model(model):
    streams = read_through(model, Letters(), "river")
    assert streams.shape == (len(model.decoder.layers) + 1, 5, model.config.d_model)
    assert_close(guesses(model, streams[-1])[-1], answer_of(model, "river"))


def test_an_exchange_at_the_last_place_after_the_last_layer_decides(model):
    shares = swap_everywhere(model, Letters(), "river", "liver", "a")
    (wanted,) = Letters().encode("a")
    assert shares.shape == (5, len(model.decoder.layers) + 1)
    assert_close(shares[-1, -1], answer_of(model, "liver")[wanted])


def test_an_exchange_of_the_only_token_that_differs_is_another_text(model):
    shares = swap_everywhere(model, Letters(), "river", "rover", "a")
    (wanted,) = Letters().encode("a")
    assert_close(shares[1, 0], answer_of(model, "rover")[wanted])


def test_an_exchange_before_the_difference_changes_nothing(model):
    shares = swap_everywhere(model, Letters(), "river", "rover", "a")
    (wanted,) = Letters().encode("a")
    same = answer_of(model, "river")[wanted].expand(shares.size(1))
    assert_close(shares[0], same)


def test_all_answers_follow_the_embedding_of_the_name(model):
    names = ["a", "b", "c"]
    answers = {name: answer_of(model, f"o{name}u").argmax() for name in names}
    pairs = [(a, b) for a in names for b in names if a != b]
    alike = sum((answers[a] == answers[b]).item() for a, b in pairs)
    found = follow_the_swap(model, Letters(), "o{}u", names, depth=0, place=1)
    assert found == (len(pairs), alike)


def test_after_the_last_layer_no_answer_follows_a_name_before_the_end(model):
    names, depth = ["a", "b", "c"], len(model.decoder.layers)
    follow, stay = follow_the_swap(
        model, Letters(), "o{}u", names, depth=depth, place=1
    )
    assert stay == 6
    assert follow <= stay


def test_a_silenced_head_is_one_whose_columns_of_the_last_matrix_are_zero(model):
    size = model.config.d_model // model.config.num_heads
    matrix = model.decoder.layers[1].self_attention.output_projection.weight
    kept = matrix.detach().clone()
    with torch.no_grad():
        matrix[:, size : 2 * size] = 0
        zeroed = answer_of(model, "river")
        matrix.copy_(kept)
    found = silence_each(model, Letters(), "river")
    assert found.shape[:2] == (len(model.decoder.layers), model.config.num_heads)
    assert_close(found[1, 1], zeroed)
    assert_close(silence_each(model, Letters(), "river", layers=[2]), found[1:2])
    for row in found.flatten(0, 1):
        assert not torch.allclose(row, answer_of(model, "river"))


def test_one_exchange_is_one_of_all(model):
    shares = swap_everywhere(model, Letters(), "river", "rover", "a")
    (wanted,) = Letters().encode("a")
    for place, depth in ((1, 0), (3, 2), (4, 1)):
        found = after_exchanges(model, Letters(), "river", [("rover", place, depth)])
        assert_close(found[wanted], shares[place, depth])


def test_what_is_put_back_at_once_was_never_exchanged(model):
    there_and_back = [("rover", 1, 1), ("river", 1, 1)]
    found = after_exchanges(model, Letters(), "river", there_and_back)
    assert_close(found, answer_of(model, "river"))


def test_no_hook_stays_in_the_model(model):
    swap_everywhere(model, Letters(), "river", "liver", "a")
    follow_the_swap(model, Letters(), "o{}u", ["a", "b"], depth=0, place=1)
    silence_each(model, Letters(), "river")
    after_exchanges(model, Letters(), "river", [("liver", 0, 1)])
    assert not any(part._forward_hooks for part in model.modules())
    assert not any(part._forward_pre_hooks for part in model.modules())
