"""The losses of a rounded model: the file and the model of today."""

import pytest

from chapters.cost_and_scale.roundings import ROUNDINGS, TEXTS, rounded_loss, stored
from chapters.laboratory.real_model import open_model


def test_the_file_holds_the_loss_after_each_rounding():
    losses = stored()
    assert tuple(losses) == ROUNDINGS
    assert losses[8, None] < losses[4, 32] < losses[4, None] < losses[2, 32]


def test_a_row_of_the_file_is_measured_again():
    model, tokenizer = open_model("smollm2-135m")
    texts = [tokenizer.encode(text) for text in TEXTS]
    weight = model.decoder.layers[0].feed_forward.down_projection.weight.clone()
    again = rounded_loss(model, texts, bits=3, block=32)
    assert again == pytest.approx(stored()[3, 32], abs=0.02)
    assert (model.decoder.layers[0].feed_forward.down_projection.weight == weight).all()
