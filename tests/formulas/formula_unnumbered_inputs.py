"""Bindings for displayed formulas without a number: words, attention, positions."""

import numpy as np
import torch
from formula_bindings import Draw, binds
from page_code import written

from bookkit.checking.formulas import Binding
from transformer.layers import (
    alibi_bias,
    scaled_dot_product_attention,
)

D, TIME, VOCAB = 7, 11, 13


@binds("embeddings: How a row is learned")
def push_on_a_row(draw: Draw) -> Binding:
    return Binding({})


@binds("self_attention: Queries, keys and values")
def three_matrices(draw: Draw) -> Binding:
    names = {"W^Q": "W_Q", "W^K": "W_K", "W^V": "W_V"}
    return Binding({at: written("self_attention", x) for at, x in names.items()})


@binds("self_attention: Three tokens, by hand")
def every_score(draw: Draw) -> Binding:
    return Binding({"X": written("self_attention", "tokens")})


@binds("self_attention: Why divide by $\\sqrt{d_k}$?")
def typical_size(draw: Draw) -> Binding:
    return Binding({})


@binds("self_attention: Attention as you will meet it")
def masked_scores(draw: Draw) -> Binding:
    found = np.array([[0, 0, 0], [0, 0, 6], [0, 0, 0]])

    def masked_or_weighed(scores: np.ndarray) -> np.ndarray:
        if np.isinf(scores).any():
            return torch.from_numpy(scores).softmax(-1).numpy()
        if not np.array_equal(scores, found):
            raise ValueError("the scores must be those of the bank loan")
        later = torch.ones(3, 3).triu(1).bool()
        return torch.from_numpy(scores).masked_fill(later, -torch.inf).numpy()

    return Binding({"arrow": masked_or_weighed})


@binds("self_attention: Deeper: the score as one matrix")
def scores_as_one_form(draw: Draw) -> Binding:
    x, to_query, to_key = draw(TIME, D), draw(D, 5), draw(D, 5)
    scores = scaled_dot_product_attention(
        x @ to_query, x @ to_key, x, need_weights=True
    ).weights.log()
    # The weights tell the scores but for a number added to each row.
    scores += ((x @ to_query) @ (x @ to_key).T / 5**0.5 - scores).mean(-1, keepdim=True)
    names = {"e": scores, "x": x, "W^Q": to_query, "W^K": to_key, "d_k": 5}
    names |= {"M": to_query @ to_key.T}
    return Binding(names, {"t": range(1, TIME + 1), "s": range(1, TIME + 1)})


@binds("self_attention: Deeper: the score as one matrix (2)")
def slope_of_attention(draw: Draw) -> Binding:
    q, k, v = draw(5), draw(VOCAB, 5), draw(VOCAB, D)
    found = scaled_dot_product_attention(q[None], k, v, need_weights=True)
    slopes = torch.autograd.functional.jacobian(
        lambda q: scaled_dot_product_attention(q[None], k, v, need_weights=True).values[
            0
        ],
        q,
    )
    names = {"a": found.weights[0], "v": v, "k": k, "z": found.values[0], "d_k": 5}
    names |= {"dz/dq": slopes, "bar k": found.weights[0] @ k}
    return Binding(names, {"s": range(1, VOCAB + 1)}, bold=False)


@binds("multi_head_attention: Two heads, by hand")
def three_tokens(draw: Draw) -> Binding:
    return Binding({"X": written("multi_head_attention", "X")})


@binds("rotary: Two vectors, by hand")
def two_turned_vectors(draw: Draw) -> Binding:
    q, k = written("rotary", "q"), written("rotary", "k")

    def turn(vector: np.ndarray) -> np.ndarray:
        """Turn the query to position 1, the key to position 3, by half a radian."""
        angle = 0.5 if np.array_equal(vector, q) else 1.5
        number = complex(*vector) * np.exp(1j * angle)
        return np.array([number.real, number.imag])

    return Binding({"q": q, "k": k, "arrow": turn}, tolerance=1.5e-4)


@binds("field_guide: Sinusoids: add the hands")
def score_with_added_hands(draw: Draw) -> Binding:
    return Binding({}, tolerance=0.002)


@binds("field_guide: ALiBi: five tokens, by hand")
def points_taken_off(draw: Draw) -> Binding:
    bias = alibi_bias(8, torch.tensor([4]), torch.arange(5))[0, 0, 0]
    return Binding({}, values=[bias.double()])
