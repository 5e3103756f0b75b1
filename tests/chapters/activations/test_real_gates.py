"""The gates of a language model: what is read, and that the model is given back."""

import math

import pytest
import torch

from chapters.activations.real_gates import (
    ANOTHER_TEXT,
    MEASUREMENTS,
    MORE,
    SWAPS,
    TEXT,
    bent_by,
    continuation,
    feed_forward_layers,
    gate_inputs,
    joined,
    measured,
    nats,
    output_shifts,
    stored,
)
from chapters.laboratory.language_model import language_model
from chapters.laboratory.real_model import open_model


class Letters:
    """A tokenizer with a token for each of seven letters."""

    def encode(self, text):
        return [ord(letter) % 7 for letter in text[:23]]

    def decode(self, ids):
        return " ".join(map(str, ids))


@pytest.fixture(scope="module")
def model():
    return language_model(seed=0, gated=True, activation="silu").eval()


def test_a_row_of_inputs_for_each_layer_and_each_token_but_the_first(model):
    layers = feed_forward_layers(model)
    read = gate_inputs(model, Letters())
    units = layers[0].gate_projection.out_features
    assert read.shape == (len(layers), len(Letters().encode(TEXT)) - 1, units)
    assert not any(layer.gate_projection._forward_hooks for layer in layers)


def test_the_inputs_are_what_the_activation_is_given(model):
    given = []

    def note(x):
        given.append(x[0, 1:])
        return torch.nn.functional.silu(x)

    with bent_by(model, note):
        read = gate_inputs(model, Letters())
    assert torch.equal(torch.stack(given), read)


def test_another_bend_is_measured_and_the_model_given_back(model):
    before, loss = feed_forward_layers(model)[0].activation, nats(model, Letters())
    with bent_by(model, torch.zeros_like):
        assert nats(model, Letters()) != loss
    assert feed_forward_layers(model)[0].activation is before
    assert nats(model, Letters()) == loss


def test_two_functions_are_joined_at_zero():
    bend = joined(lambda x: 0 * x - 7, lambda x: 2 * x)
    x = torch.tensor([-3.0, -0.5, 0.0, 0.5, 5.0])
    assert bend(x).tolist() == [-7, -7, 0, 1, 10]


def test_the_two_pages_share_no_line_and_each_has_its_own_nats(model):
    lines = [set(text.split("\n")) - {""} for text in (TEXT, ANOTHER_TEXT)]
    assert not lines[0] & lines[1]
    assert nats(model, Letters()) == nats(model, Letters(), TEXT)
    assert nats(model, Letters(), TEXT) != nats(model, Letters(), ANOTHER_TEXT)


def test_nats_are_those_of_guessing_where_all_tokens_are_alike():
    model = language_model(seed=0, gated=True, activation="silu").eval()
    torch.nn.init.zeros_(model.head.projection.weight)
    vocabulary = model.head.projection.out_features
    assert nats(model, Letters()) == pytest.approx(math.log(vocabulary))


def test_a_text_goes_on_with_the_likeliest_tokens(model):
    text = continuation(model, Letters(), "abc", 2)
    ids = Letters().encode("abc") + [int(word) for word in text.split()]
    with torch.no_grad():
        for end in (3, 4):
            assert ids[end] == model(torch.tensor([ids[:end]]))[0, -1].argmax()


def test_an_output_lacks_what_the_other_bend_leaves_out(model):
    layers, means = feed_forward_layers(model), []
    hooks = [
        layer.register_forward_hook(
            lambda _, __, output: means.append(output[0, 1:].mean(dim=0))
        )
        for layer in layers
    ]
    with torch.no_grad():
        shifts = output_shifts(model, Letters(), torch.zeros_like)
    for hook in hooks:
        hook.remove()
    biases = [layer.down_projection.bias for layer in layers]
    for shift, mean, bias in zip(shifts, means, biases, strict=True):
        left = mean if bias is None else mean - bias
        assert torch.allclose(shift, left, atol=1e-6)


def test_the_same_bend_lacks_nothing_and_no_hook_stays(model):
    own = feed_forward_layers(model)[0].activation
    shifts = output_shifts(model, Letters(), own)
    assert not any(shift.any() for shift in shifts)
    assert not any(layer._forward_hooks for layer in feed_forward_layers(model))


def test_shifts_are_added_to_the_outputs_and_taken_away_again(model):
    loss = nats(model, Letters())
    layers = feed_forward_layers(model)
    own, width = layers[0].activation, layers[0].down_projection.out_features
    shifts = [torch.arange(float(width)) for _ in layers]
    with bent_by(model, own, shifts):
        assert nats(model, Letters()) != loss
    assert nats(model, Letters()) == loss
    with pytest.raises(ValueError, match="shorter"), bent_by(model, own, shifts[1:]):
        pass


def test_the_file_holds_every_swap_with_its_fields():
    assert [row["swap"] for row in MEASUREMENTS.read()] == list(SWAPS)
    assert all({*row} == {"swap", "shift", "nats", "end"} for row in stored(SWAPS))
    assert [row["swap"] for row in stored(MORE)] == list(MORE)


def test_the_file_holds_what_the_model_says():
    rows = {row["swap"]: row for row in MEASUREMENTS.read()}
    opened = open_model("smollm2-135m")
    if opened is None:
        pytest.skip("the model is not installed")
    for found in measured(*opened, ["SiLU | x", "GELU"]):
        stored = rows[found["swap"]]
        # a float32 model of 30 layers, on another machine
        assert found["nats"] == pytest.approx(stored["nats"], abs=0.02)
        assert found["shift"] == pytest.approx(stored["shift"], abs=1e-3)
        assert found["end"] == stored["end"]
