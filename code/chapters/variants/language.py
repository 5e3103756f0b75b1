"""Variants of the feed-forward layer: what a language model learns with each."""

from collections.abc import Callable
from functools import partial

import torch
from jaxtyping import Float
from torch import Tensor, nn

from chapters.laboratory.language import held_out_windows
from chapters.laboratory.language_model import (
    LENGTH,
    language_model,
    nats_by_position,
    train_and_measure,
)
from chapters.laboratory.starting_size import match_sizes
from chapters.laboratory.study import Study
from transformer.layers import (
    ConvFeedForward,
    MixtureOfExperts,
    gated_width,
    load_balancing_loss,
)
from transformer.layers.mixture_of_experts import Routing

WIDTH = 256  # of the ungated layer
EXPERTS, ASKED = 8, 2
CONV_WIDTH = 248  # with kernels of size 3 the layer costs what the others cost


class Balanced(MixtureOfExperts):
    """A mixture whose router also follows the load-balancing loss while it trains.

    The gradient of the loss, times `factor`, is added where the router's logits get
    theirs: the training loop does not have to know of it.
    """

    factor = 0.01

    def route(self, x: Float[Tensor, "*batch time d_model"]) -> Routing:
        """Choose the experts, and let the balance pull at the choice."""
        routing = super().route(x)
        if routing.logits.requires_grad:
            logits = routing.logits.detach().requires_grad_()
            loss = load_balancing_loss(logits, experts_per_token=self.experts_per_token)
            (pull,) = torch.autograd.grad(self.factor * loss, logits)
            routing.logits.register_hook(lambda gradient: gradient + pull)
        return routing


def put_in(build: Callable[[int], nn.Module]) -> Callable[[nn.Module], None]:
    """Return what puts another layer into each block of a fresh model.

    Args:
        build: Returns the layer for a number of features, `d_model`.
    """

    def change(model: nn.Module) -> None:
        for block in model.decoder.layers:
            d_model = block.feed_forward.up_projection.in_features
            block.feed_forward = build(d_model)

    return change


def gated(activation: str, width: int = gated_width(WIDTH)) -> dict:
    """Return the choices of a model with a gated layer."""
    return {"gated": True, "activation": activation, "d_ff": width}


def experts(kind: type[MixtureOfExperts]) -> dict:
    """Return the choice of mixtures, of which a token computes one gated layer."""
    build = partial(
        kind,
        d_ff=gated_width(WIDTH) // ASKED,
        num_experts=EXPERTS,
        experts_per_token=ASKED,
    )
    return {"change": put_in(build)}


def convolved(*, causal: bool) -> dict:
    """Return the choice of layers with a convolution over three positions."""
    build = partial(ConvFeedForward, d_ff=CONV_WIDTH, kernel_size=3, causal=causal)
    return {"change": put_in(build)}


VARIANTS = {
    "ReLU": {},
    "ReLU squared": {"activation": "squared_relu"},
    "GLU": gated("sigmoid"),
    "bilinear": gated("identity"),
    "ReGLU": gated("relu"),
    "GEGLU": gated("gelu"),
    "SwiGLU": gated("silu"),
    "experts": experts(MixtureOfExperts),
    "balanced experts": experts(Balanced),
    "wide SwiGLU": gated("silu", EXPERTS // ASKED * gated_width(WIDTH)),
    "convolution": convolved(causal=True),
    "convolution, no positions": convolved(causal=True) | {"position": "none"},
    "ReLU, no positions": {"position": "none"},
}


def choices(variant: str) -> dict:
    """Return the choices of a model whose layers start at sizes that match."""
    found = dict(VARIANTS[variant])
    put = found.pop("change", lambda model: None)

    def change(model: nn.Module) -> None:
        put(model)
        match_sizes(model)

    return found | {"change": change}


def feed_forward_parameters(name: str) -> int:
    """Return the number of parameters of one feed-forward layer of a variant."""
    block = language_model(seed=0, **choices(name)).decoder.layers[0]
    return sum(p.numel() for p in block.feed_forward.parameters())


@torch.no_grad()
def loads(model: nn.Module) -> list[list[float]]:
    """Return the share of the held-out tokens that asks each expert, in each layer.

    Args:
        model: A language model; without mixtures of experts the list is empty.
    """
    read: list[list[float]] = []

    def note(layer: MixtureOfExperts, inputs: tuple[Tensor]) -> None:
        asked = layer.route(inputs[0]).experts.flatten()
        counts = asked.bincount(minlength=len(layer.experts))
        read.append((counts * layer.experts_per_token / len(asked)).tolist())

    layers = [m for m in model.modules() if isinstance(m, MixtureOfExperts)]
    hooks = [layer.register_forward_pre_hook(note) for layer in layers]
    model(held_out_windows(128, LENGTH).to(torch.get_default_device()))
    for hook in hooks:
        hook.remove()
    return read


def look(model: nn.Module) -> dict[str, object]:
    """Return what else to measure of a trained model.

    Returns:
        "last", the nats of the last letter of each window, which nothing follows;
        "loads", what `loads` returns.
    """
    return {"last": nats_by_position(model)[-1].item(), "loads": loads(model)}


def measured(variant: str, learning_rate: float, steps: int, seed: int) -> dict:
    """Train the language model with a variant of its feed-forward layers."""
    return train_and_measure(
        look, steps=steps, learning_rate=learning_rate, seed=seed, **choices(variant)
    )


STUDY = Study(
    "variants",
    "language",
    train=measured,
    variants=tuple(VARIANTS),
    rates=(3e-3, 1e-2, 3e-2),
    seeds=(0, 1, 2, 3, 4),
)


if __name__ == "__main__":
    STUDY.run()
