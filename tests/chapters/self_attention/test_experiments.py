"""The trainings of the chapter on self-attention, and the file of their results."""

import pytest

from chapters.laboratory.language_model import language_model
from chapters.self_attention.experiments import MEASUREMENTS, drop_scale, grid, train
from transformer.layers import MultiHeadAttention


def scales(model):
    return [m.scale for m in model.modules() if isinstance(m, MultiHeadAttention)]


@pytest.mark.parametrize(("heads", "scale"), [(1, 64**-0.5), (4, 16**-0.5)])
def test_the_scale_goes_from_every_layer(heads, scale):
    assert scales(language_model(seed=3, num_heads=heads)) == [scale] * 2
    model = language_model(seed=3, num_heads=heads, change=drop_scale)
    assert scales(model) == [1.0, 1.0]


def test_a_training_without_the_scale_is_another_training():
    options = {"num_heads": 1, "seed": 3, "steps": 2, "warm_up": 1}
    with_it, without_it = (train(scaled=scaled, **options) for scaled in (True, False))
    assert with_it["nats"] != without_it["nats"]


def test_the_file_holds_each_training_of_the_grid_once():
    rows = MEASUREMENTS.read()
    assert [{k: row[k] for k in row if k != "nats"} for row in rows] == grid()
