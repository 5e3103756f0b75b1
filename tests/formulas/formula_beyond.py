"""Bindings for the part on what lies beyond the model of 2017."""

import math
from collections.abc import Iterator

import torch
from formula_bindings import Draw, binds, on_arrays
from scipy.optimize import brentq
from scipy.stats import ttest_1samp

from bookkit.checking.formulas import Binding, Family
from transformer.config import TransformerConfig
from transformer.costs import forward_flops, training_bytes
from transformer.layers import (
    MultiHeadAttention,
    RMSNorm,
    RotaryEmbedding,
    interleaved_to_half,
    merge,
    partial_attention,
)

D, D_HEAD, TIME, BASE = 7, 10, 5, 97.0
PLACES = range(1, TIME + 1)
NONE = 1e-30  # in place of zero, which no norm of the package takes


def turns(layout: str) -> Family:
    """Return the matrices that turn columns, one for each position."""
    rotary = RotaryEmbedding(D_HEAD, base=BASE, layout=layout)
    unit = torch.eye(D_HEAD, dtype=torch.float64)
    return Family(lambda t: rotary(unit, torch.full((D_HEAD,), t)).T.numpy())


@binds("eq-zoo-reorder")
def reordered_features(draw: Draw) -> Binding:
    names = {
        "R": turns("interleaved"),
        "R'": turns("half"),
        "P": torch.eye(D_HEAD, dtype=torch.float64)[interleaved_to_half(D_HEAD)],
        "q": draw(D_HEAD, 1),
        "k": draw(D_HEAD, 1),
    }
    return Binding(names, {"m": PLACES, "n": PLACES})


@binds("eq-ablations-t")
def quotient_of_student(draw: Draw) -> Binding:
    differences, mu = 1 + draw(11).numpy(), 0.3
    names = {
        "T": ttest_1samp(differences, mu).statistic,
        "bar D": differences.mean(),
        "S": differences.std(ddof=1),
        "mu": mu,
        "n": 11,
    }
    return Binding(names)


LAW = {"E": 1.7, "A": 410.0, "B": 390.0, "alpha": 0.34, "beta": 0.28}


def loss(size: float, data: float) -> float:
    """Return the loss that the law of Hoffmann et al. (2022) predicts."""
    part = LAW["A"] * size ** -LAW["alpha"] + LAW["B"] * data ** -LAW["beta"]
    return LAW["E"] + part


@binds("eq-cost-loss")
def loss_by_size_and_data(draw: Draw) -> Binding:
    return Binding(LAW | {"L": loss, "N": 70.0, "D": 1400.0})


def best_size(flops: float) -> float:
    """Find where the slope of the loss along 6ND = C is zero."""

    def slope(log_size: float) -> float:
        size = math.exp(log_size)
        data = flops / (6 * size)
        lost = LAW["alpha"] * LAW["A"] * size ** -LAW["alpha"]
        return LAW["beta"] * LAW["B"] * data ** -LAW["beta"] - lost

    return math.exp(brentq(slope, -20, 40, xtol=1e-14, rtol=1e-14))


@binds("eq-cost-optimal")
def best_size_and_data(draw: Draw) -> Binding:
    flops = 5e7
    size = best_size(flops)
    names = {"C": flops, "N": size, "D": flops / (6 * size), "G": best_size(6)}
    return Binding(LAW | names)


def layer_config(**changes: int) -> TransformerConfig:
    """Return the configuration of a model with layers to be counted."""
    sizes = {"d_model": 12, "d_ff": 48, "num_heads": 2, "num_encoder_layers": 0}
    sizes |= {"vocab_size": 13, "num_decoder_layers": 1}
    return TransformerConfig(**(sizes | changes))


@binds("eq-cost-attention")
def work_of_attention(draw: Draw) -> Binding:
    asking, asked = 5, 7
    heads = {"num_heads": 6, "num_kv_heads": 3, "d_head": 11, "num_encoder_layers": 1}
    flops = forward_flops(layer_config(**heads), source=asked, target=asking)
    names = {"d": 12, "d_k": 11, "h": 6, "h_kv": 3, "m": asking, "n": asked}
    return Binding(names, values=[flops.cross_attention])


@binds("eq-cost-per-token")
def work_of_a_layer(draw: Draw) -> Binding:
    flops = forward_flops(layer_config(), target=TIME)
    layer = flops.projections + flops.scores + flops.feed_forward
    return Binding({"d": 12, "n": TIME}, values=[layer // TIME])


@binds("eq-cost-step")
def peak_of_a_step(draw: Draw) -> Binding:
    """Take from the bytes what stands before and after the layers."""
    layers, batch = 3, 2
    one, several = (
        training_bytes(
            layer_config(num_decoder_layers=count),
            batch=batch,
            target=TIME,
            dtype=torch.float64,
        )
        for count in (1, layers)
    )
    kept = (several.activations - one.activations) // (layers - 1)
    held = several.parameters + several.gradients + several.moments
    names = {
        "s": 8,
        "N": several.parameters // 8,
        "L": layers,
        "A": kept // 8,
        "T": several.passing // 8,
        "b": batch,
        "n": TIME,
        "d": 12,
        "h": 2,
    }
    return Binding(names, values=[held + layers * kept + several.passing])


@binds("eq-cost-writing")
def time_of_a_step(draw: Draw) -> Binding:
    """Bind a step of which arithmetic is the limit."""
    names = {"b": 11, "c": 3, "M": 5, "N": 7, "P": 13, "W": 14}
    return Binding(names | {"T": 33 / 5 + 154 / 13})


def head(draw: Draw) -> dict:
    """Return the names of one head, and what it makes of words."""
    layer = draw.module(MultiHeadAttention(D, 1, d_head=D_HEAD, bias=False))

    def message(x: torch.Tensor) -> torch.Tensor:
        one = x.view(1, 1, D)  # a word that sees itself alone
        return layer(one, one, one).values[0, 0]

    def score(asking: torch.Tensor, asked: torch.Tensor) -> torch.Tensor:
        return layer.query_projection(asking) @ layer.key_projection(asked).T

    x = draw(TIME, D)
    return {
        "x": x,
        "m": on_arrays(message),
        "messages": torch.stack([message(one) for one in x]),
        "score": lambda *of: score(*of) / math.sqrt(D_HEAD),
        "W^Q": layer.query_projection.weight.T,
        "W^K": layer.key_projection.weight.T,
        "W^V": layer.value_projection.weight.T,
        "W^O": layer.output_projection.weight.T,
        "d_k": D_HEAD,
    }


@binds("eq-inside-ov")
def message_of_a_head(draw: Draw) -> Binding:
    return Binding(head(draw), {"s": PLACES})


@binds("eq-inside-asked")
def score_of_a_message(draw: Draw) -> Binding:
    names = head(draw)
    names["e"] = names["score"](names["x"], names["messages"])
    return Binding(names, {"t": PLACES, "s": PLACES})


@binds("eq-inside-asks")
def score_that_a_message_asks(draw: Draw) -> Binding:
    names = head(draw)
    names["e"] = names["score"](names["messages"], names["x"])
    return Binding(names, {"s": PLACES, "r": PLACES})


@binds("eq-inside-writers")
def score_as_a_sum_over_writers(draw: Draw) -> Iterator[Binding]:
    """Let a rotary head ask, where three have written to each place."""
    written, norm = draw(3, TIME, D), draw.module(RMSNorm(D, eps=NONE))
    rotary = RotaryEmbedding(D_HEAD, base=BASE)
    layer = draw.module(MultiHeadAttention(D, 1, d_head=D_HEAD, bias=False))
    query = layer.query_projection(draw(TIME, D))
    key = layer.key_projection(norm(written.sum(0)))
    places = torch.arange(1, TIME + 1)
    names = {
        "e": rotary(query, places) @ rotary(key, places).T / math.sqrt(D_HEAD),
        "q": query,
        "r": written.sum(0).square().mean(-1).sqrt(),
        "g": norm.weight,
        "W^K": layer.key_projection.weight.T,
        "d_k": D_HEAD,
    }
    for t, s in ((4, 2), (1, 3)):
        of_both = {"R": turns("half").at(s - t), "b": written[:, s - 1]}
        yield Binding(names | of_both, {"t": (t,), "s": (s,), "j": range(1, 4)})


def tile(draw: Draw, count: int) -> tuple:
    """Return scores and values of some keys, and what the package knows of them."""
    scores, values = draw(count), draw(count, D)
    one = torch.ones(1, 1, dtype=torch.float64)
    found = partial_attention(one, scores[:, None], values, scale=1.0)
    return scores, values, found


@binds("eq-long-triple")
def what_a_tile_hands_over(draw: Draw) -> Binding:
    scores, values, found = tile(draw, TIME)
    names = {"S": scores, "v": values, "m": found.maximum.item()}
    return Binding(
        names | {"ell": found.total.item(), "o": found.mix[0]}, {"s": PLACES}
    )


@binds("eq-long-merge")
def two_tiles_together(draw: Draw) -> Binding:
    one, other = tile(draw, TIME)[2], tile(draw, TIME + 2)[2]
    names = {}
    for end, part in (("_1", one), ("_2", other), ("", merge(one, other))):
        names |= {f"m{end}": part.maximum.item(), f"ell{end}": part.total.item()}
        names |= {f"o{end}": part.mix[0]}
    return Binding(names)


@binds("eq-long-absorb")
def a_matrix_that_moves(draw: Draw) -> Binding:
    return Binding({"q": draw(D_HEAD, 1), "W": draw(D_HEAD, D), "c": draw(D, 1)})


@binds("eq-long-rotary")
def a_rotation_in_the_way(draw: Draw) -> Binding:
    names = {"q": draw(D_HEAD, 1), "W": draw(D_HEAD, D), "c": draw(D, 1)}
    return Binding(names | {"R": turns("half")}, {"t": PLACES, "s": PLACES})


@binds("long_texts: Tile by tile")
def output_of_four_scores(draw: Draw) -> Binding:
    return Binding({})


@binds("long_texts: Fewer numbers a key")
def a_matrix_by_hand(draw: Draw) -> Binding:
    matrix = torch.tensor([[2.0, 0], [1, 1], [0, 3]]).double()
    q, c = (
        torch.tensor([[1.0], [2], [-1]]).double(),
        torch.tensor([[3.0], [1]]).double(),
    )
    return Binding({"W": matrix, "q": q, "c": c})
