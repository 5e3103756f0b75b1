"""Parameters of our layers in the places where PyTorch keeps its own."""

from copy import deepcopy
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from transformer.config import TransformerConfig

CONFIG = TransformerConfig(
    vocab_size=7,
    num_encoder_layers=2,
    num_decoder_layers=2,
    d_model=30,
    d_ff=17,
    num_heads=5,
    attention_bias=True,
)
KINDS = {
    "post, relu": {},
    "pre, gelu": {"norm_placement": "pre", "activation": "gelu"},
}


@pytest.fixture(params=KINDS.values(), ids=KINDS)
def config(request):
    return replace(CONFIG, **request.param)


def reference(kind, config):
    """A layer of PyTorch of the same sizes and choices, in float64."""
    return kind(
        config.d_model,
        config.num_heads,
        config.d_ff,
        dropout=0.0,
        activation=config.activation,
        layer_norm_eps=config.norm_eps,
        batch_first=True,
        norm_first=config.norm_placement == "pre",
    ).double()


def paired(ours, theirs):
    """Yield pairs of parameters that mean the same; theirs as views."""
    norms = [ours.self_attention_residual, ours.feed_forward_residual]
    attentions = [(ours.self_attention, theirs.self_attn)]
    if getattr(ours, "cross_attention", None) is not None:
        attentions.append((ours.cross_attention, theirs.multihead_attn))
        norms.insert(1, ours.cross_attention_residual)
    for mine, other in attentions:
        weights, biases = other.in_proj_weight.chunk(3), other.in_proj_bias.chunk(3)
        names = ("query_projection", "key_projection", "value_projection")
        for name, weight, bias in zip(names, weights, biases, strict=True):
            projection = getattr(mine, name)
            yield from ((projection.weight, weight), (projection.bias, bias))
        yield mine.output_projection.weight, other.out_proj.weight
        yield mine.output_projection.bias, other.out_proj.bias
    for mine, other in (
        (ours.feed_forward.up_projection, theirs.linear1),
        (ours.feed_forward.down_projection, theirs.linear2),
        *(
            (residual.norm, getattr(theirs, f"norm{number}"))
            for number, residual in enumerate(norms, start=1)
        ),
    ):
        yield from ((mine.weight, other.weight), (mine.bias, other.bias))


def copy_from(ours, theirs):
    """Draw PyTorch's parameters anew and copy them into ours."""
    with torch.no_grad():
        for mine, other in paired(ours, theirs):
            other.normal_(std=0.2)
            mine.copy_(other)


def check_gradients(compared, ours, theirs, close):
    """Check that each parameter of ours got the gradient of its twin."""
    gradients = deepcopy(theirs)
    for place, parameter in zip(
        gradients.parameters(), theirs.parameters(), strict=True
    ):
        place.data = parameter.grad
    for mine, gradient in paired(ours, gradients):
        compared.gradients(mine.grad, gradient, **close)


@pytest.fixture
def twin():
    """The tools to compare a layer of ours with one of PyTorch."""
    return SimpleNamespace(
        reference=reference,
        copy_from=copy_from,
        check_gradients=check_gradients,
        close={
            torch.float64: {"rtol": 0, "atol": 1e-12},
            torch.float32: {"rtol": 1e-5, "atol": 1e-5},
        },
    )


@pytest.fixture
def randomize():
    """Draw every parameter of a module anew, in float64."""

    def draw(module):
        with torch.no_grad():
            for parameter in module.double().parameters():
                parameter.normal_(std=0.5)
        return module

    return draw
