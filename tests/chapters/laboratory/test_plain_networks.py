"""Plain networks: their sizes, their starts, and norms that are shaken."""

import pytest
import torch
from torch import nn

from bookkit.checking.facts import facts
from chapters.laboratory.plain_networks import (
    CLASSES,
    INPUTS,
    KINDS,
    Shaken,
    plain_network,
)

MIDDLE = 5  # a layer, counted from 1


def linear_maps(kind):
    torch.manual_seed(7)
    return [part for part in plain_network(kind) if isinstance(part, nn.Linear)]


def test_shaking_is_for_training_alone():
    x, norm = torch.ones(5, 7), Shaken(nn.Identity())
    assert not torch.equal(norm(x), norm(x))
    assert torch.equal(norm.eval()(x), x)


@facts("kind", KINDS)
def test_every_plain_network_gives_a_score_for_each_class(kind):
    assert plain_network(kind)(torch.zeros(3, INPUTS)).shape == (3, CLASSES)


def test_with_wide_weights_a_signal_keeps_its_size():
    torch.manual_seed(7)
    x = torch.randn(500, INPUTS)
    sizes = {}
    for kind in ("none", "none, small start"):
        network = plain_network(kind)
        depth = network[: 3 * (MIDDLE - 1) + 2]
        sizes[kind] = depth(x).square().mean().sqrt().item()
    assert sizes["none"] == pytest.approx(2**0.5, rel=0.3)  # ReLU has yet to halve it
    assert sizes["none, small start"] < 0.2


def test_a_small_start_is_the_default_of_pytorch():
    first, *_ = linear_maps("batch, shaken, small start")
    assert first.weight.abs().max() <= INPUTS**-0.5
    assert linear_maps("none")[0].weight.abs().max() > INPUTS**-0.5
