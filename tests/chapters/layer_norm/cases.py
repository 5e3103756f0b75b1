"""Answers to the exercises on layer normalization, right and wrong ones."""

import torch
import torch.nn.functional as F

from transformer.layers import LayerNorm


def ready_made(x, eps):
    return F.layer_norm(x, x.shape[-1:], eps=eps)


def module(x, eps):
    return torch.nn.LayerNorm(x.shape[-1], eps=eps, dtype=x.dtype)(x)


def by_the_library(x, eps):
    return torch.layer_norm(x, x.shape[-1:], eps=eps)


def by_a_batch_norm(x, eps):
    """Each vector as a channel."""
    rows = x.reshape(1, -1, x.shape[-1])
    return F.batch_norm(rows, None, None, training=True, eps=eps).view_as(x)


def by_a_group_norm(x, eps):
    rows = x.reshape(-1, x.shape[-1])
    return F.group_norm(rows, 1, eps=eps).view_as(x)


def normalize(x, eps):
    centered = x - x.mean(dim=-1, keepdim=True)
    return centered / torch.sqrt(centered.square().mean(dim=-1, keepdim=True) + eps)


def by_the_variance(x, eps):
    variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return (x - mean) * torch.rsqrt(variance + eps)


def by_two_moments(x, eps):
    mean = x.sum(dim=-1, keepdim=True) / x.shape[-1]
    variance = (x * x).sum(dim=-1, keepdim=True) / x.shape[-1] - mean**2
    return (x - mean) / (variance + eps) ** 0.5


def over_axis_one(x, eps):
    """Right for a matrix, and over the time for a batch of texts."""
    centered = x - x.mean(dim=1, keepdim=True)
    return centered / (centered.square().mean(dim=1, keepdim=True) + eps).sqrt()


def mean_over_axis_one(x, eps):
    centered = x - x.mean(dim=1, keepdim=True)
    return centered / (centered.square().mean(dim=-1, keepdim=True) + eps).sqrt()


def over_all_but_the_first(x, eps):
    axes = tuple(range(1, x.dim()))
    centered = x - x.mean(dim=axes, keepdim=True)
    return centered / (centered.square().mean(dim=axes, keepdim=True) + eps).sqrt()


def over_everything(x, eps):
    centered = x - x.mean()
    return centered / (centered.square().mean() + eps).sqrt()


def unbiased(x, eps):
    centered = x - x.mean(-1, keepdim=True)
    return centered / (x.var(-1, keepdim=True) + eps).sqrt()


def outside(x, eps):
    centered = x - x.mean(-1, keepdim=True)
    return centered / (centered.square().mean(-1, keepdim=True).sqrt() + eps)


def cut_off(x, eps):
    """The right values, and no gradient."""
    return normalize(x.detach(), eps) + 0 * x


def cut_off_in_the_variance(x, eps):
    """Takes the deviation for a constant."""
    centered = x - x.mean(-1, keepdim=True)
    variance = centered.detach().square().mean(-1, keepdim=True)
    return centered / (variance + eps).sqrt()


def within_three_deviations(x, eps):
    return normalize(x, eps).clamp(-3, 3)


def within_a_thousand(x, eps):
    return normalize(x.clamp(-1000, 1000), eps)


def normalize_in_place(x, eps):
    x -= x.mean(dim=-1, keepdim=True)
    return x / torch.sqrt(x.square().mean(dim=-1, keepdim=True) + eps)


def normalize_in_float32(x, eps):
    return normalize(x.float(), eps)


def fold_in_place(linear, norm):
    with torch.no_grad():
        linear.weight[:], linear.bias[:] = fold(linear, norm)
    return linear.weight, linear.bias


def fold_after_training(linear, norm):
    """Lets a batch through first, which moves the running mean and variance."""
    norm.train()
    norm(linear(torch.ones(9, linear.in_features, dtype=linear.weight.dtype)))
    norm.eval()
    return fold(linear, norm)


def fold(linear, norm, mean=True):
    scale = norm.weight / (norm.running_var + norm.eps).sqrt()
    start = linear.bias - norm.running_mean if mean else linear.bias
    return scale[:, None] * linear.weight, scale * start + norm.bias


def with_the_package(x, eps):
    layer = LayerNorm(x.shape[-1], eps=eps).to(x.dtype)
    return layer(x)


def fold_with(*, scale=None, bias=None):
    """The right answer, or one with another scale or bias."""

    def answer(linear, norm):
        right = norm.weight / (norm.running_var + norm.eps).sqrt()
        s = scale(norm) if scale else right
        start = s * (linear.bias - norm.running_mean) + norm.bias
        return s[:, None] * linear.weight, bias(linear, norm, s) if bias else start

    return answer


RIGHT = [
    ("ex-layer-norm-by-hand", (1, 3, 1.73)),
    ("ex-layer-norm-by-hand", (1, 3, "\N{SQUARE ROOT}3")),
    ("ex-layer-norm-forge", ([10, 12, 14, 16],)),
    ("ex-layer-norm-forge", ((10.0, 12.0, 14.0, 16.0),)),
    ("ex-layer-norm-forge", (torch.tensor([10.0, 12.0, 14.0, 16.0]),)),
    ("ex-layer-norm-code", (normalize,)),
    ("ex-layer-norm-code", (by_the_variance,)),
    ("ex-layer-norm-code", (by_two_moments,)),
    ("ex-layer-norm-code", (normalize_in_place,)),
    ("ex-layer-norm-code", (normalize_in_float32,)),
    ("ex-layer-norm-fold", (fold,)),
    ("ex-layer-norm-fold", (fold_in_place,)),
    ("ex-layer-norm-predict", ("same", "same", "flipped", "other")),
]

WRONG = [
    ("ex-layer-norm-by-hand", (4, 3, 1.73), "divided by four"),
    ("ex-layer-norm-by-hand", (1, 4, 1.73), "not d - 1"),
    ("ex-layer-norm-by-hand", (1, 3, 1.5), "over the deviation"),
    ("ex-layer-norm-by-hand", (0, 3, 1.73), "divided by four"),
    ("ex-layer-norm-by-hand", (1, 12, 1.73), "sum over d"),
    ("ex-layer-norm-by-hand", (1, 1.73, 1.73), "no root"),
    ("ex-layer-norm-by-hand", (1, 3, 1.0), "root of the variance"),
    ("ex-layer-norm-by-hand", (1, 3, 3.0), "over the deviation"),
    ("ex-layer-norm-by-hand", (1, 3, 2.31), "over the deviation"),
    ("ex-layer-norm-by-hand", (1, 3, 1.7), "over the deviation"),
    ("ex-layer-norm-forge", ([10, 16],), "four numbers"),
    ("ex-layer-norm-forge", ([1, 2, 3, 4],), "begin with 10"),
    ("ex-layer-norm-forge", ([10, 20, 30, 40],), "begin with 10"),
    ("ex-layer-norm-forge", ([11, 12, 13, 14],), "begin with 10"),
    ("ex-layer-norm-forge", ([16, 14, 12, 10],), "begin with 10"),
    ("ex-layer-norm-forge", ([10, 11, 12, 16],), "which changes"),
    ("ex-layer-norm-forge", ([10, 14, 12, 16],), "which changes"),
    ("ex-layer-norm-forge", ([10, 13, 13, 16],), "which changes"),
    ("ex-layer-norm-code", (lambda x, eps: x[0],), "shape"),
    ("ex-layer-norm-code", (lambda x, eps: x - x.mean(),), "by itself"),
    ("ex-layer-norm-code", (unbiased,), "which divisor"),
    ("ex-layer-norm-code", (outside,), "where does eps belong"),
    ("ex-layer-norm-code", (over_everything,), "by itself"),
    ("ex-layer-norm-code", (cut_off,), "finite"),
    ("ex-layer-norm-code", (cut_off_in_the_variance,), "through the variance"),
    ("ex-layer-norm-code", (within_three_deviations,), "must be one"),
    ("ex-layer-norm-code", (within_a_thousand,), "must be one"),
    ("ex-layer-norm-code", (over_axis_one,), "not over the time"),
    ("ex-layer-norm-code", (mean_over_axis_one,), "not over the time"),
    ("ex-layer-norm-code", (over_all_but_the_first,), "not over the time"),
    ("ex-layer-norm-code", (ready_made,), "means, squares and roots"),
    ("ex-layer-norm-code", (module,), "means, squares and roots"),
    ("ex-layer-norm-code", (by_the_library,), "means, squares and roots"),
    ("ex-layer-norm-code", (by_a_batch_norm,), "means, squares and roots"),
    ("ex-layer-norm-code", (by_a_group_norm,), "means, squares and roots"),
    ("ex-layer-norm-code", (with_the_package,), "means, squares and roots"),
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
    (
        "ex-layer-norm-fold",
        (fold_with(scale=lambda norm: norm.weight / norm.running_var.sqrt()),),
        "all four vectors",
    ),
    (
        "ex-layer-norm-fold",
        (fold_with(scale=lambda norm: norm.weight / (norm.running_var + 1e-5).sqrt()),),
        "all four vectors",
    ),
    (
        "ex-layer-norm-fold",
        (
            fold_with(
                scale=lambda norm: norm.weight / (norm.running_var.sqrt() + norm.eps)
            ),
        ),
        "all four vectors",
    ),
    (
        "ex-layer-norm-fold",
        (fold_with(scale=lambda norm: norm.weight / (norm.running_var + norm.eps)),),
        "all four vectors",
    ),
    (
        "ex-layer-norm-fold",
        (fold_with(scale=lambda norm: 1 / (norm.running_var + norm.eps).sqrt()),),
        "all four vectors",
    ),
    (
        "ex-layer-norm-fold",
        (
            fold_with(
                bias=lambda linear, norm, s: s * (linear.bias - norm.running_mean)
            ),
        ),
        "all four vectors",
    ),
    (
        "ex-layer-norm-fold",
        (fold_with(bias=lambda linear, norm, s: norm.bias - s * norm.running_mean),),
        "all four vectors",
    ),
    (
        "ex-layer-norm-fold",
        (
            fold_with(
                bias=lambda linear, norm, s: (
                    linear.bias - s * norm.running_mean + norm.bias
                )
            ),
        ),
        "all four vectors",
    ),
    (
        "ex-layer-norm-fold",
        (
            fold_with(
                bias=lambda linear, norm, s: (
                    s * linear.bias - norm.running_mean + norm.bias
                )
            ),
        ),
        "all four vectors",
    ),
    (
        "ex-layer-norm-fold",
        (
            fold_with(
                bias=lambda linear, norm, s: (
                    s * (linear.bias + norm.running_mean) + norm.bias
                )
            ),
        ),
        "all four vectors",
    ),
    ("ex-layer-norm-fold", (fold_after_training,), "all four vectors"),
    (
        "ex-layer-norm-fold",
        (
            fold_with(
                scale=lambda norm: (
                    norm.weight.abs() / (norm.running_var + norm.eps).sqrt()
                )
            ),
        ),
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
    (
        "ex-layer-norm-predict",
        ("same", "other", "flipped", "other"),
        "all but its sign",
    ),
    ("ex-layer-norm-predict", ("same", "same", "other", "other"), "all but its sign"),
    ("ex-layer-norm-predict", ("same", "same", "flipped", "flipped"), "of all"),
]
