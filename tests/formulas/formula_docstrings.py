"""Bindings for the docstrings, whose matrices are not bold."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import torch
from formula_bindings import Draw, bindings, binds, on_arrays
from torch import Tensor, nn

from bookkit.checking.formulas import Binding, Family
from transformer.config import TransformerConfig
from transformer.costs import cache_bytes
from transformer.costs.budget import count_attention, count_feed_forward
from transformer.decoding import (
    acceptance,
    apply_temperature,
    length_divisor,
    residual,
)
from transformer.layers import (
    MultiHeadAttention,
    RotaryEmbedding,
    TokenEmbedding,
    alibi_bias,
    alibi_slopes,
    causal_mask,
    gated_width,
    gelu,
    gelu_tanh,
    identity,
    linear_scaling,
    ntk_scaling,
    relative_buckets,
    rotary_frequencies,
    rotate_pairs,
    scaled_dot_product_attention,
    sigmoid,
    squared_relu,
    tanh,
)
from transformer.models import LanguageModelHead, mean_pooling
from transformer.training import constant_schedule, cosine_schedule, noam_schedule

NUMBERS = (-2.3, -0.7, 0.4, 1.9)
D, TIME, SOURCE, VOCAB = 10, 5, 7, 11
TOKENS = range(1, VOCAB + 1)


def as_on_the_page(docstring: str, label: str, **others: str) -> None:
    """Bind a docstring as the page binds its formula, with other names for some."""

    @binds(docstring)
    def bound(draw: Draw) -> Iterator[Binding]:
        for page in bindings(label):
            names = page.names | {new: page.names[old] for new, old in others.items()}
            yield replace(page, names=names, bold=False)


as_on_the_page("layers.activations:relu", "eq-activations-relu")
as_on_the_page("layers.activations:silu", "eq-activations-silu")
as_on_the_page("layers.activations:sigmoid", "eq-activations-silu")
as_on_the_page("layers.activations:swish", "eq-activations-swish")
as_on_the_page("layers.feed_forward:PositionwiseFeedForward", "eq-ffn-memory")
as_on_the_page("layers.feed_forward:GatedFeedForward", "eq-variants-gated")
as_on_the_page(
    "layers.mixture_of_experts:load_balancing_loss",
    "eq-variants-balance",
    **{"cal L": "cal L_balance", "f": "s"},
)
as_on_the_page("layers.mixture_of_experts:MixtureOfExperts", "eq-variants-moe")
as_on_the_page("training.loss:LabelSmoothingLoss", "eq-training-smoothing")
as_on_the_page("layers.norms:layer_norm", "eq-layer-norm")
as_on_the_page("layers.norms:rms_norm", "eq-rms-norm")
as_on_the_page("layers.positional:sinusoidal_table", "eq-sinusoidal")
as_on_the_page("layers.rotary_scaling:rotary_frequencies", "eq-rotary-frequencies")


def at_numbers(function: Callable, name: str, **others: object) -> Iterator[Binding]:
    """Bind a function, and what it equals, at numbers on both sides of zero."""
    names = {name: on_arrays(function)} | others
    return (Binding(names | {"x": x}, bold=False) for x in NUMBERS)


@binds("layers.activations:gelu")
def gelu_of_a_number(draw: Draw) -> Iterator[Binding]:
    phi, erf = on_arrays(torch.special.ndtr), on_arrays(torch.erf)
    return at_numbers(gelu, "GELU", Phi=phi, erf=erf)


@binds("layers.activations:gelu_tanh")
def gelu_by_tanh(draw: Draw) -> Iterator[Binding]:
    of = on_arrays(gelu_tanh)
    return (Binding({"x": x}, values=[of(x)]) for x in NUMBERS)


@binds("layers.activations:squared_relu")
def squared(draw: Draw) -> Iterator[Binding]:
    return at_numbers(squared_relu, "ReLU^2")


@binds("layers.activations:identity")
def unchanged(draw: Draw) -> Iterator[Binding]:
    return at_numbers(identity, "f")


@binds("layers.activations:tanh")
def hyperbolic_tangent(draw: Draw) -> Iterator[Binding]:
    return at_numbers(tanh, "tanh", sigma=on_arrays(sigmoid))


@binds("layers.alibi:alibi_slopes")
def slopes_of_alibi(draw: Draw) -> Binding:
    return Binding({"m": alibi_slopes(8).double(), "H": 8}, {"h": range(1, 9)})


@binds("layers.alibi:alibi_bias")
def bias_of_alibi(draw: Draw) -> Binding:
    bias = alibi_bias(4, torch.arange(TIME), torch.arange(SOURCE))[0]
    names = {"B": bias.double(), "m": alibi_slopes(4).double()}
    letters = {"h": range(4), "t": range(TIME), "s": range(SOURCE)}
    return Binding(names, letters, first=0, bold=False)


@binds("layers.attention:scaled_dot_product_attention")
def attention_with_a_bias(draw: Draw) -> Binding:
    bias = draw(TIME, SOURCE)

    def attention(*of: Tensor) -> Tensor:
        return scaled_dot_product_attention(*of, bias=bias, need_weights=True).values

    names = {
        "Attention": on_arrays(attention),
        "softmax": on_arrays(lambda scores: scores.softmax(-1)),
        "Q": draw(TIME, 3),
        "K": draw(SOURCE, 3),
        "V": draw(SOURCE, 2),
        "B": bias,
        "d_head": 3,
    }
    return Binding(names, bold=False)


@binds("layers.distances:relative_buckets")
def buckets(draw: Draw) -> Iterator[Binding]:
    count, most, exact = 15, 61, 7

    def bucket(n: int) -> int:
        sizes = {"num_buckets": count, "max_distance": most, "bidirectional": False}
        return int(relative_buckets(torch.tensor([-n]), **sizes))

    for n in range(1, 80):
        wider = (count - exact) * math.log(n / exact) / math.log(most / exact)
        names = {"bucket": bucket, "N": count, "M": most, "m": exact}
        yield Binding(names | {"n": n, "k": wider})


@binds("layers.feed_forward:gated_width")
def width_of_a_gated_layer(draw: Draw) -> Iterator[Binding]:
    for d_ff, multiple in ((100, 16), (101, 7), (96, 1)):
        width = gated_width(d_ff, multiple_of=multiple)
        yield Binding({"d_gated": width, "d_ff": d_ff, "m": multiple})


@binds("layers.masks:causal_mask")
def mask_of_the_future(draw: Draw) -> Binding:
    mask = causal_mask(TIME, SOURCE)
    names = {"M": mask.double(), "n": SOURCE, "m": TIME}
    letters = {"t": range(TIME), "s": range(SOURCE)}
    return Binding(names, letters, first=0, bold=False)


@binds("layers.positional:sinusoidal_frequencies")
def sinusoidal_speeds(draw: Draw) -> Binding:
    names = {"omega": rotary_frequencies(D, base=97.0), "b": 97.0, "d_model": D}
    return Binding(names, {"i": range(D // 2)}, first=0)


@binds("layers.rotary:RotaryEmbedding")
def turned_pair(draw: Draw) -> Iterator[Binding]:
    x, t = draw(D), 3
    y = RotaryEmbedding(D, base=97.0)(x[None], torch.tensor([t]))[0]
    speeds = rotary_frequencies(D, base=97.0)
    for i in range(D // 2):
        names = {"y_a": y[i], "y_b": y[i + D // 2], "x_a": x[i], "x_b": x[i + D // 2]}
        names |= {"omega": speeds, "t": t}
        yield Binding(names, {"i": (i,)}, first=0)


@binds("layers.rotation:rotate_pairs")
def turned_features(draw: Draw) -> Binding:
    x, angles = draw(D), draw(D // 2)
    signed = torch.cat((-angles, angles))
    y = rotate_pairs(x[None], signed.cos()[None], signed.sin()[None], layout="half")[0]
    names = {"x": x, "y": y, "alpha": signed, "p": lambda j: (j + D // 2) % D}
    return Binding(names, {"j": range(D)}, first=0, bold=False)


def scaled(scaling: Callable, **others: object) -> Binding:
    """Bind the frequencies that a scaling makes of others."""
    before, factor = rotary_frequencies(D, base=97.0), 3.0
    after = scaling(before, factor=factor, original_max_len=None).frequencies
    names = {"omega": before, "omega'": after, "s": factor, "d": D} | others
    return Binding(names, {"i": range(D // 2)}, first=0)


@binds("layers.rotary_scaling:linear_scaling")
def scaled_evenly(draw: Draw) -> Binding:
    return scaled(linear_scaling)


@binds("layers.rotary_scaling:ntk_scaling")
def scaled_by_the_base(draw: Draw) -> Binding:
    base = 1 / float(scaled(ntk_scaling).names["omega'"][1]) ** (D / 2)
    return scaled(ntk_scaling, **{"b": 97.0, "b'": base, "base": 1})


@binds("models.heads:mean_pooling")
def mean_of_the_real(draw: Draw) -> Binding:
    x, mask = draw(TIME, D), torch.tensor([True, True, True, False, False])
    mean = x[:3].mean(0)
    y = mean_pooling(x[None], mask[None])[0]
    names = {"x": x, "m": mask.double(), "y": y, "bar x": mean}
    return Binding(names, {"t": range(TIME)}, first=0, bold=False)


@binds("decoding.beam:length_divisor")
def divisor_of_a_length(draw: Draw) -> Binding:
    text = [3, 1, 4, 1, 5, 9, 2]
    names = {"lp": lambda text: length_divisor(len(text), 0.7)}
    return Binding(names | {"Y": text, "alpha": 0.7})


def two_distributions(draw: Draw) -> tuple[Tensor, Tensor]:
    """Return what two models say of the next token."""
    return draw(VOCAB).softmax(0), draw(VOCAB).softmax(0)


@binds("decoding.correction:acceptance")
def acceptance_of_a_guess(draw: Draw) -> Binding:
    p, q = two_distributions(draw)
    return Binding({"a": acceptance(p, q), "p": p, "q": q}, {"v": TOKENS})


@binds("decoding.correction:residual")
def distribution_after_a_refusal(draw: Draw) -> Binding:
    p, q = two_distributions(draw)
    names = {"p'": residual(p, q), "p": p, "q": q}
    return Binding(names, {"v": TOKENS, "u": TOKENS})


@binds("decoding.filters:apply_temperature")
def warmed(draw: Draw) -> Binding:
    logits = draw(VOCAB)
    p = apply_temperature(logits[None], 0.7)[0].softmax(0)
    names = {"x": logits, "p": p, "T": 0.7}
    return Binding(names, {"v": TOKENS, "u": TOKENS})


@binds("costs.budget:count_attention")
def parameters_of_attention(draw: Draw) -> Binding:
    sizes = {"d_model": 12, "num_heads": 6, "num_kv_heads": 3, "d_head": 5}
    config = TransformerConfig(vocab_size=VOCAB, **sizes)
    names = {"A": count_attention(config), "d_model": 12, "h": 6, "h_kv": 3}
    return Binding(names | {"d_head": 5})


@binds("costs.budget:count_feed_forward")
def parameters_of_a_network(draw: Draw) -> Binding:
    config = TransformerConfig(vocab_size=VOCAB, d_model=12, d_ff=17, num_heads=2)
    return Binding({"F": count_feed_forward(config), "d_model": 12, "d_ff": 17})


@binds("costs.memory_bytes:cache_bytes")
def bytes_of_a_cache(draw: Draw) -> Binding:
    sizes = {"d_model": 12, "num_heads": 6, "num_kv_heads": 3, "d_head": 5}
    config = TransformerConfig(vocab_size=VOCAB, num_decoder_layers=13, **sizes)
    found = cache_bytes(config, batch=17, max_len=11, source=7, dtype=torch.float64)
    names = {"N": 13, "b": 17, "n": 11, "m": 7, "h_kv": 3, "d_head": 5, "s": 8}
    return Binding(names, values=[found])


STEPS = range(1, 17)


@binds("training.schedules:noam_schedule")
def rate_of_2017(draw: Draw) -> Iterator[Binding]:
    for step in STEPS:
        rate = noam_schedule(step, d_model=D, warmup=5)
        yield Binding({"lrate": rate, "d_model": D, "s": step, "w": 5})


@binds("training.schedules:cosine_schedule")
def rate_along_a_cosine(draw: Draw) -> Iterator[Binding]:
    sizes = {"peak": 0.9, "steps": 17, "warmup": 5, "floor": 0.2}
    for step in STEPS:
        names = {"lrate": cosine_schedule(step, **sizes), "s": step, "S": 17, "w": 5}
        share = (1 + math.cos((step - 5) / 12 * math.pi)) / 2
        yield Binding(names | {"eta_max": 0.9, "eta_min": 0.2, "c": share})


@binds("training.schedules:constant_schedule")
def rate_that_stays(draw: Draw) -> Iterator[Binding]:
    for step in STEPS:
        rate = constant_schedule(step, peak=0.9, warmup=5)
        yield Binding({"lrate": rate, "eta_max": 0.9, "s": step, "w": 5})


def projections(draw: Draw) -> tuple[MultiHeadAttention, dict[str, Family]]:
    """Return a layer whose heads share keys, and the parts of its matrices."""
    layer = draw.module(MultiHeadAttention(D, 4, num_kv_heads=2, d_head=3, bias=False))

    def parts(linear: nn.Linear) -> Family:
        cut = linear.weight.T.split(3, dim=1)
        return Family(lambda i: cut[i - 1].numpy())

    names = {
        "W^Q": parts(layer.query_projection),
        "W^K": parts(layer.key_projection),
        "W^V": parts(layer.value_projection),
    }
    return layer, names


@binds("layers.multi_head_attention:MultiHeadAttention")
def heads_that_share_keys(draw: Draw) -> Binding:
    layer, names = projections(draw)
    asking, asked, told = draw(TIME, D), draw(SOURCE, D), draw(SOURCE, D)
    merged = []
    hook = layer.output_projection.register_forward_pre_hook(
        lambda _, inputs: merged.extend(inputs[0][0].split(3, dim=1))
    )
    layer(asking[None], asked[None], told[None])
    hook.remove()
    names |= {
        "MultiHead": on_arrays(lambda *of: layer(*(x[None] for x in of)).values[0]),
        "Q": asking,
        "K": asked,
        "V": told,
        "Concat": lambda *heads: np.concatenate(heads, axis=1),
        "H": Family(lambda i: merged[i - 1].numpy()),
        "h": 4,
        "W^O": layer.output_projection.weight.T,
        "g": lambda i: (i + 1) // 2,
        "Attention": on_arrays(
            lambda *of: scaled_dot_product_attention(*of, need_weights=True).values
        ),
    }
    return Binding(names, {"i": range(1, 5)}, bold=False)


@binds("models.heads:LanguageModelHead")
def scores_of_the_vocabulary(draw: Draw) -> Binding:
    config = TransformerConfig(
        vocab_size=VOCAB,
        d_model=D,
        num_heads=2,
        logits_bias=True,
        scale_tied_logits=True,
    )
    embedding, x = draw.module(TokenEmbedding(VOCAB, D)), draw(TIME, D)
    head = LanguageModelHead(config, embedding).double()
    head.projection.bias.data = draw(VOCAB)
    names = {
        "logits": head(x[None])[0],
        "s": D**-0.5,
        "x": x,
        "W": head.projection.weight,
        "U": embedding.embedding.weight,
        "b": head.projection.bias,
    }
    return Binding(names, {"t": range(TIME)}, first=0, bold=False)
