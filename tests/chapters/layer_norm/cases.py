"""Answers to the exercises on skips and layer normalization, right and wrong ones."""

import torch.nn.functional as F


def normalize(x, eps):
    return F.layer_norm(x, x.shape[-1:], eps=eps)


def unbiased(x, eps):
    centered = x - x.mean(-1, keepdim=True)
    return centered / (x.var(-1, keepdim=True) + eps).sqrt()


def outside(x, eps):
    centered = x - x.mean(-1, keepdim=True)
    return centered / (centered.square().mean(-1, keepdim=True).sqrt() + eps)


def cut_off(x, eps):
    """The right values, and no gradient."""
    return normalize(x.detach(), eps) + 0 * x


def fold(linear, norm, mean=True):
    scale = norm.weight / (norm.running_var + norm.eps).sqrt()
    start = linear.bias - norm.running_mean if mean else linear.bias
    return scale[:, None] * linear.weight, scale * start + norm.bias


RIGHT = [
    ("ex-layer-norm-by-hand", (1, 3, 1.73)),
    ("ex-layer-norm-code", (normalize,)),
    ("ex-layer-norm-fold", (fold,)),
    ("ex-layer-norm-predict", ("same", "same", "flipped", "other")),
]

WRONG = [
    ("ex-layer-norm-by-hand", (4, 3, 1.73), "divided by four"),
    ("ex-layer-norm-by-hand", (1, 4, 1.73), "not d - 1"),
    ("ex-layer-norm-by-hand", (1, 3, 1.5), "over the deviation"),
    ("ex-layer-norm-code", (lambda x, eps: x[0],), "shape"),
    ("ex-layer-norm-code", (lambda x, eps: x - x.mean(),), "by itself"),
    ("ex-layer-norm-code", (unbiased,), "which divisor"),
    ("ex-layer-norm-code", (outside,), "where does eps belong"),
    ("ex-layer-norm-code", (cut_off,), "finite"),
    (
        "ex-layer-norm-fold",
        (lambda linear, norm: (linear.weight.T, norm.bias),),
        "shape of the linear map's",
    ),
    (
        "ex-layer-norm-fold",
        (lambda linear, norm: fold(linear, norm, mean=False),),
        "all four vectors",
    ),
    ("ex-layer-norm-predict", ("no", "same", "flipped", "other"), "answer with"),
    (
        "ex-layer-norm-predict",
        ("other", "same", "flipped", "other"),
        "when all shift",
    ),
    ("ex-layer-norm-predict", ("same", "same", "same", "other"), "all but its sign"),
    ("ex-layer-norm-predict", ("same", "same", "flipped", "same"), "of all"),
]
