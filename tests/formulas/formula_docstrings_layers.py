"""Bindings for the docstrings of layers that `formula_docstrings` does not hold."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from unittest.mock import patch

import numpy as np
import torch
from formula_bindings import Draw, StandIn, binds, of_docstring, on_arrays
from formula_docstrings import as_on_the_page
from torch import nn

from bookkit.checking.formulas import Binding, Family
from transformer.layers import (
    Int8Linear,
    LayerNorm,
    LearnedPositionalEmbedding,
    MultiHeadAttention,
    PositionalEncoding,
    PositionwiseFeedForward,
    RelativeKeys,
    RelativePositionBias,
    ResidualConnection,
    TokenEmbedding,
    interleaved_to_half,
    llama3_scaling,
    padding_mask,
    relative_buckets,
    rotary_frequencies,
    rotate_phases,
    sinusoidal_table,
    unscaled,
    yarn_scaling,
)
from transformer.layers.attention import share_heads, split_heads
from transformer.layers.cache import KVCache
from transformer.layers.initialization import (
    initialize_depth_scaled,
    initialize_normal,
    initialize_t5,
)

D, TIME, SOURCE, VOCAB = 10, 5, 7, 11

as_on_the_page(
    "layers.conv_feed_forward:ConvFeedForward",
    "eq-variants-conv",
    **{"k": "K", "ell": "p", "x": "X"},
)


@binds("layers.attention:split_heads")
def features_of_heads(draw: Draw) -> Binding:
    x = draw(2, 3, 10)
    letters = {"b": range(2), "i": range(2), "t": range(3), "j": range(5)}
    return of_docstring({"H": split_heads(x, 2), "x": x, "d_head": 5}, letters)


@binds("layers.attention:share_heads")
def heads_that_are_shared(draw: Draw) -> Binding:
    x = draw(2, 2, 3, 5)
    names = {"H": share_heads(x, 6), "x": x, "g": lambda i: i // 3, "h_kv": 2, "h": 6}
    letters = {"b": range(2), "i": range(6), "t": range(3), "j": range(5)}
    return of_docstring(names, letters)


@binds("layers.cache:KVCache")
def cache_that_grows(draw: Draw) -> Binding:
    n, m, cache = 3, 2, KVCache(1, 1, 7, D, dtype=torch.float64)
    keys, values = draw(n + m, D), draw(n + m, D)
    for part in (slice(0, n), slice(n, n + m)):
        held = cache.update(keys[None, None, part], values[None, None, part])

    def parts(given: torch.Tensor, found: torch.Tensor) -> Family:
        """Return what is held where all is asked for, else what was given."""
        of = {(0, n + m): found[0, 0], (0, n): given[:n], (n, n + m): given[n:]}
        return Family(lambda *ends: of[ends].numpy())

    names = {"K": parts(keys, held[0]), "V": parts(values, held[1]), "n": n, "m": m}
    return of_docstring(names | {"Concat": lambda *of: np.concatenate(of)})


@binds("layers.embeddings:TokenEmbedding")
def scaled_rows(draw: Draw) -> Binding:
    layer, ids = draw.module(TokenEmbedding(VOCAB, D, scale=True)), [3, 0, 3, 10]
    names = {"x": layer(torch.tensor(ids)), "U": layer.embedding.weight, "V": VOCAB}
    names |= {"s": layer.scale, "id": np.array(ids), "d_model": D}
    return of_docstring(names, {"t": range(len(ids))})


@dataclass(frozen=True)
class Normal:
    """A normal distribution."""

    mean: float
    variance: float

    def __eq__(self, other: object) -> bool:
        """Say whether another one is the same, but for rounding."""
        if not isinstance(other, Normal):
            return False
        return math.isclose(self.variance, other.variance) and self.mean == other.mean


def started(initialize: object) -> tuple[nn.Sequential, dict]:
    """Start two branches; return them, and the deviation of each parameter."""
    attention = MultiHeadAttention(6, 2, d_head=5, bias=False)
    model = nn.Sequential(attention, PositionwiseFeedForward(6, 13))
    deviations = {}

    def note(weight: nn.Parameter, *, std: float) -> None:
        deviations[weight] = std

    with patch.object(nn.init, "normal_", note):
        initialize(model, d_model=6, std=0.3)
    return model, deviations


@binds("layers.initialization:initialize_normal")
def normal_weights(draw: Draw) -> Iterator[Binding]:
    model, deviations = started(initialize_normal)
    for linear in (one for one in model.modules() if isinstance(one, nn.Linear)):
        normal = Normal(0, deviations[linear.weight] ** 2)
        names = {"W": Family(lambda i, j, normal=normal: normal), "sigma": 0.3}
        names |= {
            "b": 0 if linear.bias is None else float(linear.bias.detach().abs().max())
        }
        yield of_docstring(names | {"cal N": Normal}, {"i": (0,), "j": (0,)})


@binds("layers.initialization:initialize_depth_scaled")
def smaller_steps(draw: Draw) -> Iterator[Binding]:
    (attention, network), deviations = started(initialize_depth_scaled)
    for linear in (attention.output_projection, network.down_projection):
        names = {"sigma_out": deviations[linear.weight], "sigma": 0.3, "N": 2}
        yield of_docstring(names)


@binds("layers.initialization:initialize_t5")
def weights_of_t5(draw: Draw) -> Iterator[Binding]:
    (attention, network), deviations = started(initialize_t5)
    for linear in (attention.output_projection, network.down_projection):
        read = {"features that the matrix reads": linear.in_features}
        yield of_docstring({"sigma": deviations[linear.weight]} | read)


@binds("layers.int8:Int8Linear")
def whole_weights(draw: Draw) -> Binding:
    linear, x = draw.module(nn.Linear(D, TIME)), draw(D)
    layer = Int8Linear(linear)
    names = {"y": layer(x[None])[0], "s": layer.row_scale[:, 0], "x": x}
    names |= {"Q": layer.values.double(), "W": linear.weight, "b": linear.bias}
    letters = {"i": range(TIME), "j": range(D)}
    return of_docstring(names | {"round": np.round}, letters)


@binds("layers.masks:padding_mask")
def mask_of_padding(draw: Draw) -> Binding:
    ids = torch.tensor([[3, 1, 0], [2, 0, 0]])
    names = {"M": padding_mask(ids, 0).double(), "id": ids, "pad": 0}
    return of_docstring(names, {"b": (1, 2), "s": (1, 2, 3)}, first=1)


@binds("layers.positional:PositionalEncoding")
def encoded(draw: Draw) -> Binding:
    layer, x = PositionalEncoding(D, max_len=TIME).double(), draw(TIME, D)
    layer.table, layer.dropout = sinusoidal_table(TIME, D), StandIn()
    names = {"y": layer(x), "x": x, "PE": layer.table}
    return of_docstring(names | {"Dropout": StandIn()}, {"t": range(TIME)})


@binds("layers.positional:LearnedPositionalEmbedding")
def placed(draw: Draw) -> Binding:
    layer, x = draw.module(LearnedPositionalEmbedding(D, max_len=SOURCE)), draw(TIME, D)
    names = {"y": layer(x), "x": x, "P": layer.embedding.weight}
    return of_docstring(names | {r"max\_len": SOURCE, "d_model": D}, {"t": range(TIME)})


@binds("layers.relative:RelativePositionBias")
def learned_bias(draw: Draw) -> Binding:
    sizes = {"num_buckets": 8, "max_distance": 6, "bidirectional": True}
    layer = draw.module(RelativePositionBias(3, **sizes))
    names = {
        "B": layer(torch.arange(TIME), torch.arange(SOURCE))[0],
        "E": layer.embedding.weight,
        "bucket": lambda far: int(relative_buckets(torch.tensor([far]), **sizes)),
        "N": 8,
        "heads": 3,
    }
    letters = {"h": range(3), "t": range(TIME), "s": range(SOURCE)}
    return of_docstring(names, letters)


@binds("layers.relative:RelativeKeys")
def learned_scores(draw: Draw) -> Binding:
    layer, q = draw.module(RelativeKeys(D, max_distance=2)), draw(TIME, D)
    scores = layer(q, torch.arange(TIME), torch.arange(SOURCE))
    names = {
        "S": Family(lambda t, s: float(scores[t, s])),
        "q": Family(lambda t: q[t].numpy()),
        "A": layer.embedding.weight,  # whose rows count from minus 2
        "clip": np.clip,
        "K": 2,
        "d_head": D,
    }
    return of_docstring(names, {"t": range(TIME), "s": range(SOURCE)}, first=-2)


@binds("layers.residual:ResidualConnection")
def changed(draw: Draw) -> Binding:
    norm, sublayer, x = draw.module(LayerNorm(D)), draw.module(nn.Linear(D, D)), draw(D)
    names = {"x": x, "F": on_arrays(sublayer), "Norm": on_arrays(norm)}
    for placement in ("pre", "post"):
        layer = ResidualConnection(norm, placement=placement)
        layer.dropout = StandIn()
        names[f"y_{placement}"] = layer(x, sublayer)
    return of_docstring(names | {"Dropout": StandIn()})


@binds("layers.rotary_scaling:unscaled")
def frequencies_that_stay(draw: Draw) -> Binding:
    before = rotary_frequencies(D, base=97.0)
    names = {"omega": before, "omega'": unscaled(before).frequencies}
    return of_docstring(names, {"i": range(D // 2)})


def slowed(scaling: object, factor: float, length: int) -> tuple[dict, float]:
    """Return the names that two scalings have in common, and the magnitude."""
    before = rotary_frequencies(D, base=97.0)
    after = scaling(before, factor=factor, original_max_len=length)
    names = {"omega": before, "omega'": after.frequencies, "s": factor, "L": length}
    return names, after.magnitude


@binds("layers.rotary_scaling:yarn_scaling")
def scaled_like_yarn(draw: Draw) -> Binding:
    length = 100
    names, magnitude = slowed(yarn_scaling, 3.0, length)

    def pair(turns: int) -> float:
        """Return the index of a pair that turns so often."""
        return math.log(length / (2 * math.pi * turns)) * D / (2 * math.log(97.0))

    first, last = max(math.floor(pair(32)), 0), math.ceil(pair(1))
    kept = 1 - (np.arange(D // 2) - first) / (last - first)
    names |= {"gamma": np.clip(kept, 0, 1), "magnitude": magnitude}
    return of_docstring(names, {"i": range(D // 2)})


@binds("layers.rotary_scaling:llama3_scaling")
def scaled_like_llama(draw: Draw) -> Binding:
    length = 40
    names, magnitude = slowed(llama3_scaling, 3.0, length)
    assert magnitude == 1
    turns = length * names["omega"].numpy() / (2 * math.pi)
    kept = np.clip((turns - 1) / 3, 0, 1)
    names |= {"gamma": kept, "r": turns, "clip": np.clip}
    return of_docstring(names, {"i": range(D // 2)})


@binds("layers.rotation:interleaved_to_half")
def order_of_halves(draw: Draw) -> Binding:
    order = interleaved_to_half(D)
    names = {"sigma": lambda j: float(order[j]), "d": D}
    return of_docstring(names, {"j": range(D)})


@binds("layers.rotation:rotate_phases")
def turned_numbers(draw: Draw) -> Binding:
    x, speeds, t = draw(D), rotary_frequencies(D, base=97.0), 3
    phase = torch.polar(torch.ones_like(speeds), t * speeds)
    names = {"y": rotate_phases(x[None], phase[None])[0], "x": x, "omega": speeds}
    return of_docstring(names | {"t": t, "i": 1j}, {"j": range(D // 2)})
