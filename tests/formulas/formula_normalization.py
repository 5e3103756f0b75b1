"""Bindings for the part on residual connections and norms."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import torch
from formula_bindings import Draw, binds, on_arrays
from torch import Tensor, nn

from bookkit.checking.formulas import Binding, Family
from transformer.layers import (
    LayerNorm,
    ResidualConnection,
    RMSNorm,
    layer_norm,
    rms_norm,
)

D, LAYERS, EPS = 7, 5, 0.3
NEXT = {"n": range(1, LAYERS + 1)}
NONE = 1e-30  # in place of zero, which no norm of the package takes


def sublayers(draw: Draw) -> list[nn.Module]:
    """Return sublayers, which are linear maps followed by a bend."""
    linear = (draw.module(nn.Linear(D, D)) for _ in range(LAYERS))
    return [nn.Sequential(one, nn.Tanh()) for one in linear]


def functions(modules: list[nn.Module]) -> Family:
    """Return modules as functions that are counted from 1."""
    return Family(lambda n: on_arrays(modules[n - 1]), functions=True)


def rows(vectors: list[Tensor]) -> Family:
    """Return vectors that are counted from 0."""
    return Family(lambda n: vectors[n].numpy())


def stacked(draw: Draw, norm: nn.Module, placement: str) -> dict:
    """Return the names of a stack of residual connections."""
    layers, x = sublayers(draw), [draw(D)]
    connection = ResidualConnection(norm, placement=placement)
    for layer in layers:
        x.append(connection(x[-1], layer))
    return {"F": functions(layers), "x": rows(x), "Norm": on_arrays(norm), "N": LAYERS}


@binds("eq-residual-sum")
def residual_sum(draw: Draw) -> Binding:
    return Binding(stacked(draw, nn.Identity(), "pre"), NEXT)


@binds("eq-residual-paths")
def paths(draw: Draw) -> Binding:
    """Let the dots stand for the paths through three of four sublayers."""
    slopes = draw(4, D, D).numpy()
    names = {
        "I": np.eye(D),
        "J": slopes,
        "N": 4,
        "dots": sum(
            slopes[c] @ slopes[b] @ slopes[a] for a, b, c in combinations(range(4), 3)
        ),
    }
    return Binding(names, {"n": range(1, 5), "m": range(1, 5)})


def moments(draw: Draw) -> dict:
    """Return a vector, what its norms are made of, and both norms of the package."""
    x, gain, bias = 1.0 + draw(D), draw(D), draw(D)
    return {
        "x": x,
        "d": D,
        "mu": x.mean(),
        "sigma": x.std(correction=0),
        "m": x.square().mean(),
        "epsilon": EPS,
        "g": gain,
        "b": bias,
        "1": torch.ones(D, dtype=torch.float64),
        "LayerNorm": on_arrays(lambda x: layer_norm(x, gain, bias, eps=EPS)),
        "RMSNorm": on_arrays(lambda x: rms_norm(x, gain, eps=EPS)),
    }


def norm_of_a_vector(draw: Draw) -> Binding:
    return Binding(moments(draw))


binds("eq-layer-norm")(norm_of_a_vector)
binds("eq-rms-norm")(norm_of_a_vector)
binds("eq-rms-layer-norm")(norm_of_a_vector)
binds("eq-rms-moment")(norm_of_a_vector)
binds("eq-rms-center")(norm_of_a_vector)


@binds("eq-layer-norm-invariance")
def forgotten_shift(draw: Draw) -> Iterator[Binding]:
    ones, none = torch.ones(D).double(), torch.zeros(D).double()

    def norm(eps: float) -> object:
        return on_arrays(lambda x: layer_norm(x, ones, none, eps=float(eps)))

    names = {"LN": Family(norm, functions=True), "sign": np.sign, "1": ones}
    names |= {"x": draw(D), "c": 0.7, "epsilon": EPS}
    return (Binding(names | {"a": a}) for a in (-1.3, 0.6))


@binds("eq-layer-norm-jacobian")
def slope_of_a_layer_norm(draw: Draw) -> Binding:
    names, norm = moments(draw), LayerNorm(D, eps=EPS).double()
    x, ones = names["x"], names["1"]
    s = (x.var(correction=0) + EPS).sqrt()
    names |= {
        "J": torch.autograd.functional.jacobian(norm, x),
        "I": torch.eye(D).double(),
        "1": ones[:, None],
        "y": ((x - x.mean()) / s)[:, None],
        "s": s,
    }
    return Binding(names)


def backward(draw: Draw, norm: nn.Module, x: Tensor) -> tuple[Tensor, Tensor]:
    """Send a gradient back through a norm: what meets the gain, and what arrives."""
    arriving, x = draw(D), x.clone().requires_grad_()
    norm = draw.module(norm)
    norm(x).backward(arriving)
    return arriving * norm.weight, x.grad


@binds("eq-layer-norm-backward")
def gradient_of_layer_norm(draw: Draw) -> Binding:
    names = moments(draw)
    u, gradient = backward(draw, LayerNorm(D, eps=EPS), names["x"])
    s = (names["x"].var(correction=0) + EPS).sqrt()
    names |= {"s": s, "y": (names["x"] - names["mu"]) / s, "u": u}
    return Binding(names, values=[gradient])


@binds("eq-layer-norm-batch")
def batch_norm(draw: Draw) -> Binding:
    batch = 11
    x, gain, bias = draw(batch, D), draw(D), draw(D)
    names = {
        "x": x,
        "y": nn.functional.batch_norm(
            x, None, None, gain, bias, training=True, eps=EPS
        ),
        "mu": x.mean(0),
        "sigma": x.std(0, correction=0),
        "g": gain,
        "b": bias,
        "B": batch,
        "epsilon": EPS,
    }
    return Binding(names, {"r": range(1, batch + 1), "j": range(1, D + 1)})


@binds("eq-rms-gradient")
def gradient_of_rms_norm(draw: Draw) -> Binding:
    names = moments(draw)
    u, gradient = backward(draw, RMSNorm(D, eps=EPS), names["x"])
    r = (names["m"] + EPS).sqrt()
    names |= {"r": r, "y": names["x"] / r, "u": u}
    return Binding(names, values=[gradient])


@binds("eq-rms-stream")
def stream_that_ends_in_a_map(draw: Draw) -> Binding:
    norms = [draw.module(LayerNorm(D, eps=EPS)) for _ in range(LAYERS)]
    inner = sublayers(draw)
    last = [draw.module(nn.Linear(D, D)) for _ in range(LAYERS)]
    x = [draw(D)]
    for layers in zip(norms, inner, last, strict=True):
        connection = ResidualConnection(layers[0], placement="pre")
        x.append(connection(x[-1], nn.Sequential(*layers[1:])))
    names = {
        "x": rows(x),
        "H": functions(inner),
        "LayerNorm": functions(norms),
        "W": Family(lambda n: last[n - 1].weight.T.numpy()),
        "c": Family(lambda n: last[n - 1].bias.numpy()),
    }
    return Binding(names, NEXT)


@binds("eq-post-norm")
def post_norm(draw: Draw) -> Binding:
    return Binding(stacked(draw, draw.module(LayerNorm(D)), "post"), NEXT)


@binds("eq-pre-norm")
def pre_norm(draw: Draw) -> Binding:
    return Binding(stacked(draw, draw.module(LayerNorm(D)), "pre"), NEXT)


@binds("eq-stream")
def stream_as_a_sum(draw: Draw) -> Binding:
    names = stacked(draw, draw.module(LayerNorm(D)), "pre")
    change, norm, x = names["F"].at, names["Norm"], names["x"].at
    return Binding(names | {"c": Family(lambda n: change(n)(norm(x(n - 1))))})


def uncorrelated(draw: Draw, count: int, size: int = 13) -> Tensor:
    """Return vectors of mean 0 and variance 1, each orthogonal to each."""
    drawn = torch.cat((torch.ones(size, 1).double(), draw(size, count)), dim=1)
    return torch.linalg.qr(drawn).Q.T[1:] * size**0.5


@binds("eq-cosines")
def forgotten_input(draw: Draw) -> Iterator[Binding]:
    v = 0.6
    start, *changes = uncorrelated(draw, LAYERS + 1)
    for placement in ("pre", "post"):
        connection = ResidualConnection(
            LayerNorm(13, eps=NONE).double(), placement=placement
        )
        x = [start]
        for change in changes:
            x.append(connection(x[-1], lambda _, change=change: v**0.5 * change))
        names = {
            "cos": lambda a, b: a @ b / np.linalg.norm(a) / np.linalg.norm(b),
            "x": rows([one.detach() for one in x]),
            "N": LAYERS,
            "v": v,
            "pre-norm": placement == "pre",
            "post-norm": placement == "post",
        }
        yield Binding(names)


@binds("eq-growth")
def growth_of_the_variance(draw: Draw) -> Binding:
    v, sigma = 0.6, 1.7
    stream, change = uncorrelated(draw, 2)
    stream, norm = sigma * stream, LayerNorm(13, eps=NONE).double()

    def sublayer(x: Tensor) -> Tensor:
        return (v * x.var(correction=0)).sqrt() * change

    grown = [
        ResidualConnection(one, placement="pre")(stream, sublayer).var(correction=0)
        for one in (nn.Identity(), norm)
    ]
    return Binding({"v": v, "sigma": sigma}, values=grown)
