"""What the feed-forward network is worth, and the file of the results."""

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.feed_forward.widths import (
    D_MODEL,
    VARIANTS,
    remove_feed_forward,
)
from chapters.laboratory.language_model import DEFAULTS, language_model
from chapters.laboratory.starting_size import SIZE, output_size
from transformer.models import count_parameters


def test_widths_are_multiples_of_the_models():
    for name, choices in VARIANTS.items():
        if "d_ff" in choices:
            d_model = choices.get("d_model", D_MODEL)
            assert choices["d_ff"] == int(name.partition("x")[0]) * d_model
    assert DEFAULTS["d_model"] == D_MODEL
    assert DEFAULTS["d_ff"] == 4 * D_MODEL


def test_a_model_without_networks_has_none_of_their_parameters():
    with_networks, without = (
        language_model(seed=1, change=change) for change in (None, remove_feed_forward)
    )
    d, d_ff, norm = 64, 256, 2 * 64
    gone = 2 * (2 * d * d_ff + d_ff + d + norm)
    assert count_parameters(with_networks) - count_parameters(without) == gone
    assert without(torch.ones(2, 7, dtype=torch.long)).shape == (2, 7, 22)


@facts("name", [name for name in VARIANTS if name != "none"])
def test_networks_of_all_widths_start_at_one_size(name):
    model = language_model(seed=3, **VARIANTS[name])
    d_model = model.decoder.config.d_model
    for block in model.decoder.layers:
        assert output_size(block.feed_forward, d_model) == pytest.approx(SIZE)
