"""Bindings for the part on feed-forward networks."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from formula_bindings import Draw, binds, on_arrays, slope
from torch import nn

from bookkit.checking.formulas import Binding, Family
from transformer.config import TransformerConfig
from transformer.costs import forward_flops
from transformer.layers import (
    ConvFeedForward,
    GatedFeedForward,
    MixtureOfExperts,
    PositionwiseFeedForward,
    gelu,
    gelu_tanh,
    load_balancing_loss,
    relu,
    sigmoid,
    silu,
    swish,
)
from transformer.models import count_parameters

D, D_FF, TIME = 7, 11, 5
NUMBERS = (-2.3, -0.7, 0.4, 1.9)  # on both sides of zero


@dataclass(frozen=True)
class Normal:
    """A normal number, of which one can ask whether it is at most `x`."""

    mean: float
    variance: float

    def __le__(self, x: float) -> tuple["Normal", float]:
        return self, x


def probability(event: tuple[Normal, float]) -> float:
    """Return how probable it is that a normal number is at most another."""
    number, x = event
    return (1 + math.erf((x - number.mean) / math.sqrt(2 * number.variance))) / 2


def height(x: float) -> float:
    """Return the height of the bell curve."""
    return math.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)


def at_numbers(**names: object) -> Iterator[Binding]:
    """Bind functions, at numbers on both sides of zero."""
    return (Binding(names | {"x": x}) for x in NUMBERS)


def swish_of(beta: float) -> Callable:
    """Return Swish with its number."""
    return on_arrays(lambda x: swish(x, beta=beta))


@binds("eq-activations-relu")
def the_relu(draw: Draw) -> Iterator[Binding]:
    return at_numbers(ReLU=on_arrays(relu))


@binds("eq-activations-gelu")
def the_gelu(draw: Draw) -> Iterator[Binding]:
    names = {"cal N": Normal, "N": Normal(0, 1), "P": probability}
    names |= {"GELU": on_arrays(gelu), "Phi": on_arrays(torch.special.ndtr)}
    return at_numbers(**names)


@binds("eq-activations-silu")
def the_silu(draw: Draw) -> Iterator[Binding]:
    return at_numbers(SiLU=on_arrays(silu), sigma=on_arrays(sigmoid))


@binds("eq-activations-swish")
def the_swish(draw: Draw) -> Iterator[Binding]:
    return at_numbers(
        Swish=Family(swish_of, functions=True), sigma=on_arrays(sigmoid), beta=1.7
    )


@binds("eq-activations-slopes")
def slopes(draw: Draw) -> Iterator[Binding]:
    names = {"GELU'": slope(gelu), "SiLU'": slope(silu), "sigma": on_arrays(sigmoid)}
    return at_numbers(**names, Phi=on_arrays(torch.special.ndtr), varphi=height)


@binds("eq-activations-split")
def splits_of_the_identity(draw: Draw) -> Iterator[Binding]:
    activations = map(on_arrays, (relu, gelu, gelu_tanh, silu))
    for f in (*activations, swish_of(1.7)):
        yield from at_numbers(f=f, e=lambda x, f=f: (f(x) + f(-x)) / 2)


@binds("eq-activations-factor")
def homogeneous_function(draw: Draw) -> Iterator[Binding]:
    leaky = on_arrays(lambda x: 2.5 * nn.functional.leaky_relu(x, 0.3))
    return at_numbers(f=leaky, a=leaky(1), b=leaky(-1))


@binds("eq-activations-tails")
def tails(draw: Draw) -> Iterator[Binding]:
    names = {"GELU'": slope(gelu), "SiLU'": slope(silu), "varphi": height}
    return (Binding(names | {"x": x}) for x in (-1.05, -1.7, -3.1, -4.4))


@binds("eq-activations-tanh")
def gelu_by_tanh(draw: Draw) -> Iterator[Binding]:
    return at_numbers(GELU=on_arrays(gelu_tanh))


def network(draw: Draw) -> dict:
    """Return the names of a feed-forward network."""
    layer = draw.module(PositionwiseFeedForward(D, D_FF))
    return {
        "FFN": on_arrays(lambda x: layer(x[None])[0]),
        "f": on_arrays(relu),
        "W_up": layer.up_projection.weight.T,
        "b_up": layer.up_projection.bias,
        "W_down": layer.down_projection.weight.T,
        "b_down": layer.down_projection.bias,
    }


@binds("eq-ffn")
def feed_forward(draw: Draw) -> Iterator[Binding]:
    names = network(draw) | {"x": draw(TIME, D)}
    return (Binding(names | {"z": z}, {"t": range(1, TIME + 1)}) for z in NUMBERS)


@binds("eq-ffn-parameters")
def parameters(draw: Draw) -> Binding:
    names = {"d_model": D, "d_ff": D_FF}
    return Binding(names, values=[count_parameters(PositionwiseFeedForward(D, D_FF))])


@binds("eq-ffn-memory")
def sum_over_units(draw: Draw) -> Iterator[Binding]:
    names = network(draw)
    names |= {"k": names["W_up"].T, "b": names["b_up"], "v": names["W_down"]}
    return (Binding(names | {"x": draw(D), "d_ff": D_FF}) for _ in range(5))


@binds("eq-ffn-welch")
def least_mean_squared_cosine(draw: Draw) -> Binding:
    """Take three frames of right angles, which have the least there is."""
    frames = [torch.linalg.qr(draw(D, D)).Q for _ in range(3)]
    cosines = torch.cat(frames) @ torch.cat(frames).T
    others = ~torch.eye(3 * D, dtype=torch.bool)
    return Binding({"n": 3 * D, "d": D}, values=[cosines[others].square().mean()])


@binds("eq-ffn-work")
def work(draw: Draw) -> Binding:
    config = TransformerConfig(
        vocab_size=13,
        num_encoder_layers=1,
        num_decoder_layers=0,
        d_model=14,
        d_ff=D_FF,
        num_heads=2,
    )
    flops = forward_flops(config, source=TIME)
    names = {"n": TIME, "d_model": 14, "d_ff": D_FF}
    return Binding(names, values=[flops.feed_forward, flops.projections + flops.scores])


@binds("eq-variants-gated")
def gated(draw: Draw) -> Binding:
    layer = draw.module(GatedFeedForward(D, D_FF, activation="silu"))
    names = {
        "FFN_f": on_arrays(lambda x: layer(x[None])[0]),
        "f": on_arrays(silu),
        "W_gate": layer.gate_projection.weight.T,
        "W_up": layer.up_projection.weight.T,
        "W_down": layer.down_projection.weight.T,
    }
    return Binding(names | {"x": draw(D)})


@binds("eq-variants-moe")
def mixture(draw: Draw) -> Binding:
    layer = draw.module(MixtureOfExperts(D, D_FF, num_experts=5, experts_per_token=3))
    x = draw(D)
    weights, chosen, logits = (found[0] for found in layer.route(x[None]))
    shares = torch.zeros(5, dtype=torch.float64).scatter(0, chosen, weights)
    names = {
        "MoE": on_arrays(lambda x: layer(x[None])[0]),
        "FFN": Family(
            lambda i: on_arrays(lambda x: layer.experts[i](x[None])[0]), functions=True
        ),
        "T": chosen.tolist(),
        "g": shares,
        "ell": logits,
        "W_router": layer.router.weight.T,
    }
    return Binding(names | {"x": x}, {"i": chosen.tolist()}, first=0)


@binds("eq-variants-balance")
def balance(draw: Draw) -> Binding:
    experts, asked = 5, 2
    logits = draw(29, experts)
    chosen = logits.topk(asked).indices.flatten()
    names = {
        "cal L_balance": load_balancing_loss(logits, experts_per_token=asked),
        "N": experts,
        "s": chosen.bincount(minlength=experts).double() / 29,
        "P": logits.softmax(-1).mean(0),
    }
    return Binding(names)


@binds("eq-variants-conv")
def convolution(draw: Draw) -> Iterator[Binding]:
    size = 3
    for causal in (True, False):
        layer = draw.module(ConvFeedForward(D, D_FF, kernel_size=size, causal=causal))
        x = draw(TIME, D)
        hidden = layer.up_projection(x).numpy()
        names = {
            "ConvFFN": on_arrays(layer),
            "f": on_arrays(relu),
            "b": layer.convolution.bias,
            "c": layer.convolution.weight[:, 0, 0].T,
            "h": Family(zero_outside(hidden)),
            "W_up": layer.up_projection.weight.T,
            "b_up": layer.up_projection.bias,
            "W_down": layer.down_projection.weight.T,
            "b_down": layer.down_projection.bias,
            "K": size,
            "p": size - 1 if causal else (size - 1) // 2,
        }
        letters = {"t": range(TIME), "s": range(TIME)}
        yield Binding(names | {"X": x}, letters, first=0)


def zero_outside(rows: np.ndarray) -> Callable[[int], np.ndarray]:
    """Return a row by its number, and zeros where there is none."""
    return lambda t: rows[t] if 0 <= t < len(rows) else np.zeros_like(rows[0])
