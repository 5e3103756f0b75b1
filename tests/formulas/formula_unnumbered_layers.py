"""Bindings for displayed formulas without a number, from feed-forward networks on."""

import numpy as np
import torch
from formula_bindings import Draw, binds, on_arrays
from page_code import shown, written
from torch import nn

from bookkit.checking.formulas import Binding, Family
from transformer.config import TransformerConfig
from transformer.costs import training_flops
from transformer.costs.budget import parameter_budget
from transformer.decoding import apply_temperature
from transformer.layers import (
    LayerNorm,
    MultiHeadAttention,
    RMSNorm,
    scaled_dot_product_attention,
)
from transformer.training import LabelSmoothingLoss
from transformer.zoo.gguf.blocks import unpack_q4_1

D, TIME, SOURCE, VOCAB = 7, 5, 11, 17


@binds("feed_forward: Expand, bend, project back")
def two_units(draw: Draw) -> Binding:
    up, bias, down = (written("feed_forward", x) for x in ("up", "b_up", "down"))
    return Binding({"W_up": up, "b_up": bias[None], "W_down": down})


@binds("feed_forward: Deeper: six units, by hand")
def six_units(draw: Draw) -> Binding:
    down = torch.cat((torch.eye(3), torch.eye(3) / 2)).double()
    return Binding({"W_up": written("feed_forward", "W_up"), "W_down": down})


@binds("variants: A door and a message")
def door_and_message(draw: Draw) -> Binding:
    film, food, opinion = torch.eye(3, dtype=torch.float64)
    gate, up = torch.stack((film, food), 1), torch.stack((opinion, opinion), 1)
    return Binding({"x": food + 3 * opinion, "W_gate": gate, "W_up": up})


@binds("residual_connections: What the sum asks for")
def sum_of_entries(draw: Draw) -> Binding:
    return Binding({})


@binds("residual_connections: The way back has paths too")
def eight_paths(draw: Draw) -> Binding:
    return Binding({"w": 0.5})


@binds("layer_norm: One vector, brought to one scale")
def one_scale(draw: Draw) -> Binding:
    return Binding({}, tolerance=1e-4)


@binds("layer_norm: Deeper: three laws")
def slope_of_a_norm(draw: Draw) -> Binding:
    x, h = draw(D), draw(D)
    norm = LayerNorm(D, eps=0.1).double()
    _, slope = torch.autograd.functional.jvp(norm, x, h)
    names = {
        "s": (x.var(correction=0) + 0.1).sqrt(),
        "d": D,
        "mu": x.mean(),
        "1": torch.ones(D, 1, dtype=torch.float64),
        "h": h[:, None],
        "x": x[:, None],
        "y": norm(x)[:, None],
    }
    return Binding(names, values=[slope[:, None]])


@binds("norm_placement: Two offices")
def three_vectors(draw: Draw) -> Binding:
    return Binding({name: written("norm_placement", name) for name in "abc"})


@binds("norm_placement: Deeper: depth that turns into width")
def two_sublayers_as_one(draw: Draw) -> Binding:
    """Let a change be so small that the second sublayer hardly notices it."""
    norm, x = RMSNorm(D).double(), draw(D)
    sublayers = {n: draw.module(nn.Linear(D, D)) for n in range(2)}
    states = {0: x, 1: x + 1e-7 * draw(D)}
    names = {
        "F": Family(lambda n: on_arrays(sublayers[n]), functions=True),
        "Norm": on_arrays(norm),
        "x": Family(lambda n: states[n].numpy()),
    }
    return Binding(names, {"n": (0,)}, first=0, tolerance=1e-5)


@binds('one_sentence: "The" looks at *house*')
def one_head(draw: Draw) -> Binding:
    layer = draw.module(MultiHeadAttention(D, 1, d_head=3, bias=False))
    layer.output_projection = nn.Identity()
    x, y = draw(TIME, D), draw(SOURCE, D)
    names = {
        "softmax": on_arrays(lambda scores: scores.softmax(-1)),
        "X": x,
        "Y": y,
        "W^Q": layer.query_projection.weight.T,
        "W^K": layer.key_projection.weight.T,
        "W^V": layer.value_projection.weight.T,
        "d_k": 3,
    }
    return Binding(names, values=[layer(x[None], y[None], y[None]).values[0]])


@binds("one_page: The page")
def attention(draw: Draw) -> Binding:
    q, k, v = draw(TIME, 3), draw(SOURCE, 3), draw(SOURCE, D)
    names = {"Q": q, "K": k, "V": v, "d_head": 3}
    names |= {"softmax": on_arrays(lambda scores: scores.softmax(-1))}
    return Binding(
        names, values=[scaled_dot_product_attention(q, k, v, need_weights=True).values]
    )


@binds("is_it_the_model: Before the first step")
def first_loss(draw: Draw) -> Binding:
    """Take the mean over a million labels, of logits that are normal."""
    s, vocab = 0.5, 50_000
    loss = LabelSmoothingLoss(smoothing=0.0)
    logits = s * draw(20, vocab)
    labels = torch.arange(20)
    values = [loss(logits, labels) + logits[labels, labels].mean()]
    return Binding({"V": vocab, "s": s}, values=values, tolerance=1e-3)


@binds("training: One sentence by hand")
def smoothed_by_hand(draw: Draw) -> Binding:
    return Binding({}, tolerance=5e-5)


@binds("decoding: Sampling")
def warmed(draw: Draw) -> Binding:
    logits, tokens = draw(11), range(1, 12)
    p = apply_temperature(logits[None], 0.7)[0].softmax(0)
    return Binding({"x": logits, "p": p, "T": 0.7}, {"v": tokens, "u": tokens})


@binds("model_zoo: Eleven names")
def parameters_of_a_layer(draw: Draw) -> Binding:
    return Binding({})


@binds("model_zoo: Deeper: twenty bytes by hand")
def two_weights(draw: Draw) -> Binding:
    """Unpack the bytes that the page shows."""
    numbers = shown("model_zoo", "block = torch.tensor(packed[0])").split("step")[0]
    block = torch.tensor([[int(byte) for byte in numbers.split()]], dtype=torch.uint8)
    return Binding({"w": unpack_q4_1(block)[0].double()}, tolerance=6e-4)


@binds("model_zoo: Twelve numbers, by hand")
def stored_side_by_side(draw: Draw) -> Binding:
    s = np.arange(1, 13).reshape(2, 6)
    return Binding({"S": s, "x": np.ones(2)}, bold=False)


@binds("cost_and_scale: Memory that training keeps")
def two_products(draw: Draw) -> Binding:
    x, w = draw(TIME, D).requires_grad_(), draw(D, 3).requires_grad_()
    gradient = draw(TIME, 3)
    (x @ w).backward(gradient)
    names = {"X": x, "W": w, "bar Y": gradient, "bar W": w.grad, "bar X": x.grad}
    return Binding(names, bold=False)


@binds("cost_and_scale: What a cache saves")
def scores_of_a_cache(draw: Draw) -> Binding:
    return Binding({"n": 7})


@binds("cost_and_scale: What training costs")
def cost_of_training(draw: Draw) -> Binding:
    """Count a wide model of a short text, beside which little else costs."""
    sizes = {"vocab_size": 2, "d_model": 512, "d_ff": 2048, "num_heads": 1}
    config = TransformerConfig(num_encoder_layers=0, num_decoder_layers=4, **sizes)
    names = {
        "C": training_flops(config, target=3).total,
        "N": parameter_budget(config).total,
        "D": 3,
    }
    return Binding(names, tolerance=0.01)
