"""Bindings for the part on attention."""

import torch
from formula_bindings import Draw, binds, on_arrays

from bookkit.checking.formulas import Binding, Family
from transformer.config import TransformerConfig
from transformer.costs import forward_flops
from transformer.layers import (
    MultiHeadAttention,
    TokenEmbedding,
    scaled_dot_product_attention,
)

D, HEADS, D_HEAD, TIME, VOCAB = 7, 3, 5, 11, 13


@binds("eq-big-picture-softmax")
def softmax_of_logits(draw: Draw) -> Binding:
    z, every = draw(VOCAB), range(1, VOCAB + 1)
    return Binding({"z": z, "p": z.softmax(0)}, {"v": every, "w": every})


@binds("eq-big-picture-cost")
def cost_of_an_encoder_layer(draw: Draw) -> Binding:
    n, d = 11, 14
    config = TransformerConfig(
        vocab_size=VOCAB,
        num_encoder_layers=1,
        num_decoder_layers=0,
        d_model=d,
        d_ff=4 * d,
        num_heads=2,
    )
    flops = forward_flops(config, source=n)
    multiplications = (flops.projections + flops.scores + flops.feed_forward) // 2
    return Binding({"n": n, "d": d}, values=[multiplications])


def look_up(draw: Draw) -> tuple[torch.Tensor, TokenEmbedding]:
    """Return ids among which each token is, and a table."""
    ids = torch.cat((torch.arange(5), torch.tensor([3, 0, 3, 4, 1, 3])))
    return ids, draw.module(TokenEmbedding(5, D))


@binds("eq-embeddings-lookup")
def look_up_as_a_product(draw: Draw) -> Binding:
    ids, table = look_up(draw)
    one_hot = torch.eye(5, dtype=torch.float64)[ids]
    names = {
        "X": table(ids[None])[0],
        "O": one_hot,
        "o": one_hot,
        "U": table.embedding.weight,
        "id": ids + 1,
    }
    return Binding(names, {"t": range(1, len(ids) + 1), "v": range(1, 6)})


@binds("eq-embeddings-gradient")
def gradient_of_a_table(draw: Draw) -> Binding:
    ids, table = look_up(draw)
    gradient = draw(len(ids), D)
    table.requires_grad_()
    (table(ids[None])[0] * gradient).sum().backward()
    found = table.embedding.weight.grad.numpy()
    names = {
        "dell/dU": found,
        "O": torch.eye(5, dtype=torch.float64)[ids],
        "G": gradient,
        "g": gradient,
        "id": ids + 1,
    }
    letters = {"t": range(1, len(ids) + 1), "v": range(1, 6)}
    return Binding(names, letters, [lambda v: v, lambda v, **_: found[v - 1]])


def heads_of(draw: Draw) -> tuple[dict, torch.Tensor]:
    """Return the names that a layer of several heads has, and what it returns."""
    layer = MultiHeadAttention(D, HEADS, d_head=D_HEAD, bias=False)
    layer = draw.module(layer)
    merged = []
    layer.output_projection.register_forward_pre_hook(
        lambda _, inputs: merged.append(inputs[0][0])
    )
    x = draw(TIME, D)
    z = layer(x[None], x[None], x[None]).values[0]

    def head(matrix: torch.Tensor, *, axis: int) -> Family:
        """Cut a matrix into one part for each head, on an axis."""
        parts = matrix.split(D_HEAD, dim=axis)
        return Family(lambda i: parts[i - 1].numpy() if i > 0 else None)

    names = {
        "X": x,
        "Z": z,
        "h": HEADS,
        "H": head(merged[0], axis=1),
        "W^Q": head(layer.query_projection.weight.T, axis=1),
        "W^K": head(layer.key_projection.weight.T, axis=1),
        "W^V": head(layer.value_projection.weight.T, axis=1),
    }
    return names, layer.output_projection.weight.T


@binds("eq-mha")
def multi_head_attention(draw: Draw) -> Binding:
    names, output = heads_of(draw)
    names |= {
        "W^O": output,
        "Attention": on_arrays(
            lambda *of: scaled_dot_product_attention(*of, need_weights=True).values
        ),
    }
    return Binding(names, {"i": range(1, HEADS + 1)})


@binds("eq-mha-sum")
def sum_over_heads(draw: Draw) -> Binding:
    names, output = heads_of(draw)
    parts = output.split(D_HEAD, dim=0)
    return Binding(names | {"W^O": Family(lambda i: parts[i - 1].numpy())})


def attended(draw: Draw, mask: torch.Tensor | None = None) -> dict:
    """Return the names that a single attention has."""
    query, key, value = draw(TIME, D_HEAD), draw(VOCAB, D_HEAD), draw(VOCAB, D)
    found = scaled_dot_product_attention(
        query, key, value, mask=mask, need_weights=True
    )
    return {
        "e": query @ key.T / D_HEAD**0.5,
        "a": found.weights,
        "Q": query,
        "K": key,
        "V": value,
        "x": value,
        "z": found.values,
        "n": VOCAB,
        "d_k": D_HEAD,
        "M": mask,
    }


POSITIONS = {
    "t": range(1, TIME + 1),
    "s": range(1, VOCAB + 1),
    "l": range(1, VOCAB + 1),
}


@binds("eq-mha-masked")
def masked_softmax(draw: Draw) -> Binding:
    mask = draw(TIME, VOCAB) > 0
    mask[:, 0] = True
    return Binding(attended(draw, mask), POSITIONS)


@binds("eq-weighted-mean")
def weighted_mean(draw: Draw) -> Binding:
    return Binding(attended(draw), POSITIONS)


@binds("eq-softmax")
def softmax_of_scores(draw: Draw) -> Binding:
    return Binding(attended(draw), POSITIONS)


@binds("eq-projections")
def projections(draw: Draw) -> Binding:
    layer = draw.module(MultiHeadAttention(D, 1, d_head=D_HEAD, bias=False))
    names = {"X": draw(TIME, D)}
    for name in ("query", "key", "value"):
        projection = getattr(layer, f"{name}_projection")
        letter = name[0].upper()
        names |= {letter: projection(names["X"]), f"W^{letter}": projection.weight.T}
    return Binding(names)


@binds("eq-attention")
def attention(draw: Draw) -> Binding:
    names = attended(draw) | {
        "Attention": on_arrays(
            lambda *of: scaled_dot_product_attention(*of, need_weights=True).values
        ),
        "softmax": on_arrays(lambda scores: scores.softmax(dim=-1)),
    }
    return Binding(names)


@binds("eq-softmax-jacobian")
def slopes_of_the_softmax(draw: Draw) -> Binding:
    scores, every = draw(VOCAB), range(1, VOCAB + 1)
    names = {
        "da/de": torch.autograd.functional.jacobian(lambda e: e.softmax(0), scores),
        "a": scores.softmax(0),
        "delta": torch.eye(VOCAB, dtype=torch.float64),
    }
    return Binding(names, {"s": every, "l": every})
