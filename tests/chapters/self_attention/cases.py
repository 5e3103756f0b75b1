"""Answers to the exercises on self-attention, right ones and wrong ones."""

import torch
import torch.nn.functional as F

from transformer.layers import causal_mask


def attend_unscaled(query, key, value):
    return (query @ key.mT).softmax(dim=-1) @ value


def attend_over_queries(query, key, value):
    return (query @ key.mT / query.size(-1) ** 0.5).softmax(dim=1) @ value


def attend_first_batch(query, key, value):
    return attend_unscaled(query, key, value)[0]


def attend_in_order(query, key, value):
    scores = query @ key.mT + torch.arange(key.size(1))
    return scores.softmax(dim=-1) @ value


def window(length, radius):
    position = torch.arange(length)
    return (position[:, None] - position).abs() <= radius


RIGHT = [
    ("ex-attention-by-hand", ([1 / 8, 2 / 8, 5 / 8], 2.0)),
    ("ex-attention-code", (F.scaled_dot_product_attention,)),
    ("ex-louder-queries", ("sharper", "unchanged", "unchanged")),
    ("ex-window-mask", (window,)),
]

WRONG = [
    ("ex-attention-by-hand", ([1.0], 2.0), "three weights"),
    ("ex-attention-by-hand", ([1, 2, 5], 2.0), "sum to one"),
    ("ex-attention-by-hand", ([0.2, 0.3, 0.5], 2.0), "double the weight"),
    ("ex-attention-by-hand", ([0.2, 0.4, 0.4], 2.0), "third weight"),
    ("ex-attention-by-hand", ([1 / 8, 2 / 8, 5 / 8], 4.0), "weighted mean"),
    ("ex-attention-code", (attend_first_batch,), "shape"),
    ("ex-attention-code", (attend_over_queries,), "between the smallest"),
    ("ex-attention-code", (attend_in_order,), "shuffling"),
    ("ex-attention-code", (attend_unscaled,), "scale"),
    ("ex-window-mask", (lambda n, r: torch.ones(n, n),), "Boolean"),
    ("ex-window-mask", (lambda n, r: causal_mask(n)[:2],), "one row for each query"),
    ("ex-window-mask", (lambda n, r: causal_mask(n),), "radius 0"),
    ("ex-window-mask", (lambda n, r: torch.eye(n).bool(),), "at most radius"),
    ("ex-louder-queries", ("louder", "unchanged", "unchanged"), "answer with"),
    ("ex-louder-queries", ("unchanged", "unchanged", "unchanged"), "doubling"),
    ("ex-louder-queries", ("sharper", "flatter", "unchanged"), "added to every key"),
    ("ex-louder-queries", ("sharper", "unchanged", "flatter"), "halved key"),
]
