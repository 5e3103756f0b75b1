"""Answers to the exercises on RMSNorm, right ones and wrong ones."""

import torch

from chapters.rms_norm.answers import partial


def over_all_vectors(x, share):
    """One divisor for all vectors, right if there is only one vector in effect."""
    y = partial(x, share)
    return y if len(x) == 3 else 2 * y


def square_only(gain, weight):
    return weight * gain if weight.shape[0] == weight.shape[1] else 0 * weight


RIGHT = [
    ("ex-rms-by-hand", (3, 0.44, 0.745)),
    ("ex-rms-partial", (partial,)),
    ("ex-rms-fold", (lambda gain, weight: weight * gain,)),
    ("ex-rms-rewrite", (True, True, False, True)),
]

WRONG = [
    ("ex-rms-by-hand", (6, 0.44, 0.745), "root of the mean of all squares"),
    ("ex-rms-by-hand", (3, 0.667, 0.745), "divided by the mean square"),
    ("ex-rms-by-hand", (3, 0.44, 0.556), "what the share of the mean leaves"),
    ("ex-rms-partial", (lambda x, share: x[..., :4],), "shape"),
    ("ex-rms-partial", (lambda x, share: x / (x.var() + 1e-6).sqrt(),), "share 1"),
    ("ex-rms-partial", (lambda x, share: partial(x, 1.0),), "first quarter"),
    ("ex-rms-partial", (over_all_vectors,), "of its own"),
    ("ex-rms-fold", (lambda gain, weight: torch.diag(gain),), "shape"),
    ("ex-rms-fold", (lambda gain, weight: 2 * weight,), "leave the weight"),
    (
        "ex-rms-fold",
        (lambda g, w: w * g[:, None] if len(g) == len(w) else w,),
        "which axis",
    ),
    ("ex-rms-fold", (square_only,), "not square"),
    ("ex-rms-rewrite", (True, "no", False, True), "True or False"),
    ("ex-rms-rewrite", (False, True, False, True), "can be centered"),
    ("ex-rms-rewrite", (True, True, True, True), "skip path"),
    ("ex-rms-rewrite", (True, True, False, False), "part on scale"),
]
