"""Answers to the exercises on heads and masks, right ones and wrong ones."""

import torch

from transformer.layers import (
    causal_mask,
    padding_mask,
    scaled_dot_product_attention,
)


def multi_head(cut):
    """The right answer, or one that cuts the features in another way."""

    def answer(x, w_q, w_k, w_v, w_o, num_heads):
        query, key, value = (cut(x @ w, num_heads) for w in (w_q, w_k, w_v))
        heads = scaled_dot_product_attention(query, key, value).values
        return heads.transpose(0, 1).reshape(len(x), -1) @ w_o

    return answer


def rightly(x, num_heads):
    return x.view(len(x), num_heads, -1).transpose(0, 1)


def wrongly(x, num_heads):
    return x.view(num_heads, len(x), -1)


def without_output(x, w_q, w_k, w_v, w_o, num_heads):
    return scaled_dot_product_attention(x @ w_q, x @ w_k, x @ w_v).values


def decoder_mask(tokens, pad_id):
    return causal_mask(tokens.size(1)) & padding_mask(tokens, pad_id)


def earlier_only(tokens, pad_id):
    mask = torch.ones(1, 1, tokens.size(1), tokens.size(1), dtype=torch.bool)
    return mask.tril(diagonal=-1)


RIGHT = [
    ("ex-mha-by-hand", (3.5, 3, (9.5, 3))),
    ("ex-mha-code", (multi_head(rightly),)),
    ("ex-mha-decoder-mask", (decoder_mask,)),
    ("ex-mha-which-mask", (False, True, True, False)),
]

WRONG = [
    ("ex-mha-by-hand", (3, 3, (9.5, 3)), "first head"),
    ("ex-mha-by-hand", (3.5, 2, (9.5, 3)), "second head"),
    ("ex-mha-by-hand", (3.5, 3, (9.5,)), "two features"),
    ("ex-mha-by-hand", (3.5, 3, (3.5, 3)), "own row"),
    ("ex-mha-code", (lambda x, *_, num_heads: x[0],), "shape"),
    ("ex-mha-code", (without_output,), "one head"),
    ("ex-mha-code", (multi_head(wrongly),), "a block of features"),
    ("ex-mha-decoder-mask", (lambda t, p: torch.ones(5, 5),), "Boolean"),
    ("ex-mha-decoder-mask", (lambda t, p: causal_mask(5),), "four axes"),
    ("ex-mha-decoder-mask", (padding_mask,), "later one"),
    ("ex-mha-decoder-mask", (earlier_only,), "see itself"),
    ("ex-mha-decoder-mask", (lambda t, p: causal_mask(5)[None, None],), "see padding"),
    ("ex-mha-which-mask", (False, True, True), "four times"),
    ("ex-mha-which-mask", (True, True, True, False), "words after it"),
    ("ex-mha-which-mask", (False, False, True, False), "hides the padding"),
    ("ex-mha-which-mask", (False, True, True, True), "last real one"),
]
