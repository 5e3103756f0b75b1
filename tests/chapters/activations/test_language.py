"""The language model with several activations, and the study of them."""

import torch

from bookkit.checking.facts import facts
from chapters.activations.language import (
    COMPARED,
    hidden_features,
    look,
)
from chapters.laboratory.language_model import language_model
from chapters.laboratory.starting_size import match_sizes
from transformer.layers import get_activation


def test_each_layer_is_read_once_and_the_hooks_are_gone():
    model = language_model(seed=3, d_ff=29, activation="gelu")
    inputs, features = hidden_features(model)
    assert inputs.shape == features.shape == (128 * 64, 2 * 29)
    assert features.equal(get_activation("gelu")(inputs))
    assert hidden_features(model)[0].equal(inputs)


def test_units_far_on_the_left_are_silent_and_zero_with_relu_alone():
    for activation, zeros in (("relu", 1.0), ("silu", 0.0)):
        model = language_model(seed=3, activation=activation)
        for block in model.decoder.layers:
            torch.nn.init.constant_(block.feed_forward.up_projection.bias, -30)
        assert look(model) == {"zeros": zeros, "silent": 1.0}


@facts("activation", COMPARED)
def test_all_models_start_from_the_same_matrices_up_to_a_factor(activation):
    def fresh(name):
        return language_model(seed=3, activation=name, change=match_sizes)

    one, other = fresh("relu").state_dict(), fresh(activation).state_dict()
    for name, weight in one.items():
        ratio = (weight * other[name]).sum() / weight.square().sum()
        torch.testing.assert_close(other[name], ratio.nan_to_num() * weight)
