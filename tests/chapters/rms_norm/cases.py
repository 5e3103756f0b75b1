"""Answers to the exercises on RMSNorm, right ones and wrong ones."""

from math import ceil

import torch
import torch.nn.functional as F

from chapters.rms_norm.answers import partial
from transformer.layers import RMSNorm


def over_all_vectors(x, share):
    """One divisor for all vectors, right if there is only one vector in effect."""
    y = partial(x, share)
    return y if len(x) == 3 else 2 * y


def first_features(x, share, count=int):
    return x[..., : count(share * x.shape[-1])]


def divided(x, mean_square, eps=1e-6):
    return x / torch.sqrt(mean_square + eps)


def with_another_count(count):
    def answer(x, share):
        first = first_features(x, share, count)
        return divided(x, first.square().mean(dim=-1, keepdim=True))

    return answer


def by_a_vector_norm(x, share):
    first = first_features(x, share)
    norm = torch.linalg.vector_norm(first, dim=-1, keepdim=True)
    return divided(x, norm**2 / first.shape[-1])


def over_the_second_axis(x, share):
    first = x[:, : int(share * x.shape[1])]
    return divided(x, first.square().mean(dim=1, keepdim=True))


def part_of_the_second_axis(x, share):
    first = x[..., : int(share * x.shape[1])]
    return divided(x, first.square().mean(dim=-1, keepdim=True))


def in_numpy(x, share):
    first = first_features(x, share).numpy()
    return x.numpy() / ((first**2).mean(axis=-1, keepdims=True) + 1e-6) ** 0.5


def without_eps(x, share):
    return divided(x, first_features(x, share).square().mean(-1, keepdim=True), eps=0)


def with_the_eps_of_layer_norm(x, share):
    mean_square = first_features(x, share).square().mean(-1, keepdim=True)
    return divided(x, mean_square, eps=1e-5)


def eps_outside(x, share):
    first = first_features(x, share)
    return x / (first.square().mean(dim=-1, keepdim=True).sqrt() + 1e-6)


def eps_in_the_sum(x, share):
    first = first_features(x, share)
    total = first.square().sum(dim=-1, keepdim=True) + 1e-6
    return x / (total / first.shape[-1]).sqrt()


def least_of_eps(x, share):
    mean_square = first_features(x, share).square().mean(dim=-1, keepdim=True)
    return x / mean_square.clamp(min=1e-6).sqrt()


def last_features(x, share):
    last = x[..., -int(share * x.shape[-1]) :]
    return divided(x, last.square().mean(dim=-1, keepdim=True))


def square_only(gain, weight):
    return weight * gain if weight.shape[0] == weight.shape[1] else 0 * weight


def rows_by_the_package(x, share):
    """The norm of the package, which knows no share."""
    return RMSNorm(x.shape[-1]).to(x.dtype)(x).detach()


def rows_of_sixteen(x, share):
    """The first features of vectors of 16, whatever their size."""
    first = x[..., : int(share * 16)]
    return divided(x, first.square().mean(dim=-1, keepdim=True))


def partial_in_place(x, share):
    first = first_features(x, share)
    x /= (first.square().mean(dim=-1, keepdim=True) + 1e-6).sqrt()
    return x


def folded_in_place(gain, weight):
    weight *= gain
    return weight


def half_by_largest(x):
    x = x / x.abs().amax(dim=-1, keepdim=True)
    return x / x.square().mean(dim=-1, keepdim=True).sqrt()


def half_by_length(x):
    """The squares are added in float32, and yet their root may be too much."""
    return x / (torch.linalg.vector_norm(x, dim=-1, keepdim=True) / x.shape[-1] ** 0.5)


def half_by_length_of_sixteen(x):
    return x / x.norm(dim=-1, keepdim=True) * 4


def half_by_sixteen(x):
    """The width of the rows is never read."""
    x = x / x.abs().amax(dim=-1, keepdim=True)
    return x / (x.square().sum(dim=-1, keepdim=True) / 16).sqrt()


def half_by_largest_and_length(x):
    x = x / x.abs().amax(dim=-1, keepdim=True)
    return x / x.norm(dim=-1, keepdim=True) * x.shape[-1] ** 0.5


def half_in_numpy(x):
    x = x.numpy()
    x = x / abs(x).max(axis=-1, keepdims=True)
    return x / ((x * x).mean(axis=-1, keepdims=True)) ** 0.5


def half_by_a_constant(x):
    x = x / 256
    return x / x.square().mean(dim=-1, keepdim=True).sqrt()


def half_by_the_batch(x):
    x = x / x.abs().max()
    return x / x.square().mean(dim=-1, keepdim=True).sqrt()


def half_by_the_largest_alone(x):
    return x / x.abs().amax(dim=-1, keepdim=True)


def half_clamped(x):
    x = x.clamp(-255, 255)
    return x / x.square().mean(dim=-1, keepdim=True).sqrt()


def half_with_signed_largest(x):
    """The largest number instead of the largest size turns rows of minuses around."""
    x = x / x.amax(dim=-1, keepdim=True)
    return x / x.square().mean(dim=-1, keepdim=True).sqrt()


def half_widened(x):
    wide = x.float()
    return (wide / wide.square().mean(dim=-1, keepdim=True).sqrt()).half()


def half_in_bfloat16(x):
    return half_by_largest(x.bfloat16()).half()


def half_by_the_sum(x):
    """The sum of the squares stays below 65,504 up to some thousand features."""
    x = x / x.abs().amax(dim=-1, keepdim=True)
    return x / (x.square().sum(dim=-1, keepdim=True) / x.shape[-1]).sqrt()


def half_by_the_norm_of_pytorch(x):
    return F.rms_norm(x, x.shape[-1:], eps=0.0)


def half_widened_in_numpy(x):
    x = x.numpy().astype("float32")
    return torch.tensor(x / (x**2).mean(axis=-1, keepdims=True) ** 0.5).half()


def half_by_the_mean(x):
    """One feature among some hundreds may be so many times the mean."""
    x = x / x.abs().mean(dim=-1, keepdim=True)
    return x / x.square().mean(dim=-1, keepdim=True).sqrt()


RIGHT = [
    ("ex-rms-half", (half_by_largest,)),
    ("ex-rms-half", (half_by_largest_and_length,)),
    ("ex-rms-half", (half_in_numpy,)),
    ("ex-rms-by-hand", (3, 0.44, 0.745)),
    ("ex-rms-partial", (partial,)),
    ("ex-rms-partial", (by_a_vector_norm,)),
    ("ex-rms-partial", (in_numpy,)),
    ("ex-rms-partial", (partial_in_place,)),
    ("ex-rms-fold", (lambda gain, weight: weight * gain,)),
    ("ex-rms-fold", (folded_in_place,)),
    ("ex-rms-rewrite", (True, True, False, True)),
    ("ex-rms-partial", ([0.2, 1.4, 2, 4],)),
    ("ex-rms-partial", (torch.tensor([0.2, 1.4, 2.0, 4.0]),)),
    ("ex-rms-partial", (["1/5", "140%", "2", "4.0"],)),
]

WRONG = [
    ("ex-rms-half", (lambda x: x[..., :1],), "shape"),
    ("ex-rms-half", (half_by_the_largest_alone,), "ordinary size"),
    (
        "ex-rms-half",
        (lambda x: x / x.square().mean(-1, True).sqrt(),),
        "24,000",
    ),
    ("ex-rms-half", (half_clamped,), "24,000"),
    ("ex-rms-half", (half_by_a_constant,), "squares vanish"),
    ("ex-rms-half", (half_with_signed_largest,), "scale of its own"),
    ("ex-rms-half", (half_by_the_batch,), "scale of its own"),
    ("ex-rms-half", (half_by_length,), "its length"),
    ("ex-rms-half", (half_by_length_of_sixteen,), "any width"),
    ("ex-rms-half", (half_by_sixteen,), "any width"),
    ("ex-rms-half", (half_widened,), "no widening"),
    ("ex-rms-half", (half_by_the_mean,), "one may stand out"),
    ("ex-rms-half", (half_by_the_sum,), "70,000 may be alike"),
    ("ex-rms-half", (half_by_the_norm_of_pytorch,), "a norm of PyTorch"),
    ("ex-rms-half", (half_widened_in_numpy,), "no widening"),
    ("ex-rms-half", (half_in_bfloat16,), "no widening"),
    ("ex-rms-by-hand", (6, 0.44, 0.745), "root of the mean of all squares"),
    ("ex-rms-by-hand", (3, 0.667, 0.745), "divided by the mean square"),
    ("ex-rms-by-hand", (3, 0.44, 0.556), "what the share of the mean leaves"),
    ("ex-rms-by-hand", (36, 0.44, 0.745), "root of the mean of all squares"),
    ("ex-rms-by-hand", (9, 0.44, 0.745), "root of the mean of all squares"),
    ("ex-rms-by-hand", (2, 0.44, 0.745), "root of the mean of all squares"),
    ("ex-rms-by-hand", (3, 0.22, 0.745), "divided by the mean square"),
    ("ex-rms-by-hand", (3, 0.8, 0.745), "divided by the mean square"),
    ("ex-rms-by-hand", (3, 0.45, 0.745), "divided by the mean square"),
    ("ex-rms-by-hand", (3, 0.44, 0.667), "what the share of the mean leaves"),
    ("ex-rms-by-hand", (3, 0.44, 0.74), "what the share of the mean leaves"),
    ("ex-rms-partial", (lambda x, share: x[..., :4],), "shape"),
    ("ex-rms-partial", (lambda x, share: x / (x.var() + 1e-6).sqrt(),), "share 1"),
    ("ex-rms-partial", (lambda x, share: partial(x, 1.0),), "first quarter"),
    ("ex-rms-partial", (last_features,), "first quarter"),
    ("ex-rms-partial", (with_another_count(ceil),), "rounded down"),
    ("ex-rms-partial", (with_another_count(round),), "rounded down"),
    (
        "ex-rms-partial",
        (with_another_count(lambda part: 2 * int(part / 2)),),
        "an odd number",
    ),
    (
        "ex-rms-partial",
        (with_another_count(lambda part: max(2, int(part))),),
        "an odd number, or 1",
    ),
    ("ex-rms-partial", (without_eps,), "inside the root"),
    ("ex-rms-partial", (with_the_eps_of_layer_norm,), "inside the root"),
    ("ex-rms-partial", (eps_outside,), "inside the root"),
    ("ex-rms-partial", (eps_in_the_sum,), "inside the root"),
    ("ex-rms-partial", (least_of_eps,), "inside the root"),
    ("ex-rms-partial", (over_all_vectors,), "of its own"),
    ("ex-rms-partial", (over_the_second_axis,), "(batch, time, features)"),
    ("ex-rms-partial", (part_of_the_second_axis,), "(batch, time, features)"),
    ("ex-rms-partial", (rows_by_the_package,), "first quarter"),
    ("ex-rms-partial", (rows_of_sixteen,), "first quarter"),
    ("ex-rms-fold", (lambda gain, weight: torch.diag(gain),), "shape"),
    ("ex-rms-fold", (lambda gain, weight: 2 * weight,), "leave the weight"),
    (
        "ex-rms-fold",
        (lambda g, w: w * g[:, None] if len(g) == len(w) else w,),
        "which axis",
    ),
    ("ex-rms-fold", (square_only,), "not square"),
    ("ex-rms-fold", (lambda gain, weight: weight * gain.abs(),), "which axis"),
    ("ex-rms-fold", (lambda gain, weight: weight * gain**2,), "which axis"),
    ("ex-rms-fold", (lambda gain, weight: weight + gain - 1,), "which axis"),
    ("ex-rms-fold", (lambda gain, weight: weight / gain,), "which axis"),
    ("ex-rms-fold", (lambda gain, weight: weight * gain.mean(),), "which axis"),
    ("ex-rms-fold", (lambda gain, weight: weight,), "which axis"),
    ("ex-rms-fold", (lambda gain, weight: weight * gain.flip(0),), "which axis"),
    ("ex-rms-rewrite", (True, "no", False, True), "True or False"),
    ("ex-rms-rewrite", (False, True, False, True), "can be centered"),
    ("ex-rms-rewrite", (True, True, True, True), "skip path"),
    ("ex-rms-rewrite", (True, True, False, False), "part on scale"),
    ("ex-rms-rewrite", (True, False, False, True), "can be centered"),
    ("ex-rms-rewrite", (False, False, False, True), "can be centered"),
    ("ex-rms-rewrite", (True, True, True, False), "skip path"),
    (
        "ex-rms-partial",
        ([0.0853, 0.597, 0.853, 1.706],),
        "the first two features alone",
    ),
    ("ex-rms-partial", ([0.04, 0.28, 0.4, 0.8],), "the first two features alone"),
    (
        "ex-rms-partial",
        ([0.1414, 0.9899, 1.4142, 2.8284],),
        "the first two features alone",
    ),
    ("ex-rms-partial", ([0.25, 1.75, 2.5, 5],), "the first two features alone"),
    ("ex-rms-partial", ([0.2, 1.4, 10, 20],), "also those that were not counted"),
    (
        "ex-rms-partial",
        ([0.2, 1.4, 0.6325, 1.2649],),
        "also those that were not counted",
    ),
    ("ex-rms-partial", ([0.2, 1.4],), "four numbers"),
]
