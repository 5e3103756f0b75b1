"""Properties of the answers to the exercises on layer normalization."""

import math

import torch
from torch import Tensor, nn

from chapters.calls import calls, uses_package
from chapters.exercises import Property
from chapters.start import gaussian

WORDS = ("same", "flipped", "other")
READY_MADE = {"layer_norm", "native_layer_norm", "batch_norm", "group_norm"}
READY_MADE |= {"instance_norm", "rms_norm", "normalize"}


def vectors(seed: int = 0, *, count: int = 3, size: int = 7) -> Tensor:
    """Return a few random vectors that are not normalized."""
    return 3 * gaussian(count, size, seed=seed) + 1


def normed(x: Tensor, eps: float) -> Tensor:
    """Return the layer norm of vectors, without gain and bias."""
    return nn.functional.layer_norm(x, x.shape[-1:], eps=eps)


def as_vector(numbers: object) -> Tensor:
    """Return numbers, in whatever they come, as a vector."""
    return torch.as_tensor(numbers, dtype=torch.float64)


def texts() -> Tensor:
    """Return two sequences of vectors that are not normalized."""
    return vectors(4, count=2 * 3).view(2, 3, 7)


def with_a_spike() -> Tensor:
    """Return vectors of forty features, of which one is much larger."""
    x = vectors(5, size=40)
    x[:, 11] = 1e4
    return x


def gradients(norm, x: Tensor, eps: float) -> Tensor:
    """Return the gradients of a sum that weighs all entries of the norm differently."""
    given = x.clone().requires_grad_()
    out = norm(given.clone(), eps)
    return torch.autograd.grad((out * vectors(6)).sum(), given)[0]


def is_written_out(norm) -> bool:
    """Return whether an answer calls none of PyTorch's norms, nor the package's."""
    names = calls(norm, vectors(), 1e-5)
    return not names.keys() & READY_MADE and not uses_package(norm, vectors(), 1e-5)


def largest_gradient(norm, eps: float) -> float:
    """Return the largest entry of the gradient at a constant vector."""
    x = torch.full((1, 4), 2.0, dtype=torch.float64, requires_grad=True)
    norm(x.clone(), eps)[0, 0].backward()
    return x.grad.abs().max().item()


def trained_pair() -> tuple[nn.Linear, nn.BatchNorm1d]:
    """Return a linear map and a batch norm whose numbers all matter."""
    linear = nn.Linear(7, 5, dtype=torch.float64)
    norm = nn.BatchNorm1d(5, eps=0.02, dtype=torch.float64).eval()
    with torch.no_grad():
        linear.weight.copy_(vectors(1, count=5))
        linear.bias.copy_(torch.linspace(-1.0, 1.0, 5))
        norm.weight.copy_(torch.linspace(-1.0, 1.5, 5))
        norm.bias.copy_(torch.linspace(2.0, 1.0, 5))
        norm.running_mean.copy_(torch.linspace(-2.0, 3.0, 5))
        norm.running_var.copy_(torch.linspace(0.2, 4.0, 5))
    return linear, norm


def folds(fold) -> bool:
    """Return whether the folded map gives what the two give one after the other."""
    weight, bias = fold(*trained_pair())
    linear, norm = trained_pair()  # the others may have been changed
    x = vectors(2)
    return torch.allclose(x @ weight.T + bias, norm(linear(x)))


EXERCISES = {
    "ex-layer-norm-by-hand": [
        Property(
            "the mean is the sum of the four features, divided by four.",
            lambda mean, variance, last: math.isclose(mean, 1.0, abs_tol=1e-3),
        ),
        Property(
            "the variance is the mean of the squared distances from the mean: their "
            "sum over d, not d - 1, and no root.",
            lambda mean, variance, last: math.isclose(variance, 3.0, abs_tol=1e-3),
        ),
        Property(
            "the last feature is its distance from the mean, over the deviation, which "
            "is the root of the variance.",
            lambda mean, variance, last: abs(last - math.sqrt(3)) < 6e-3,
        ),
    ],
    "ex-layer-norm-forge": [
        Property(
            "the forged vector has four numbers.",
            lambda forged: as_vector(forged).shape == (4,),
        ),
        Property(
            "it must begin with 10 and end with 16.",
            lambda forged: as_vector(forged)[[0, 3]].tolist() == [10.0, 16.0],
        ),
        Property(
            "the norm tells the two vectors apart; which changes does it forget?",
            lambda forged: torch.allclose(
                normed(as_vector(forged), 1e-12),
                normed(as_vector([1.0, 2.0, 3.0, 4.0]), 1e-12),
            ),
        ),
    ],
    "ex-layer-norm-code": [
        Property(
            "the result must have the shape of x.",
            lambda norm: norm(vectors(), 1e-5).shape == (3, 7),
        ),
        Property(
            "every vector must have mean zero by itself.",
            lambda norm: bool(norm(vectors(), 1e-5).mean(dim=-1).abs().max() < 1e-6),
        ),
        Property(
            "the variance with divisor d must be one; which divisor is in the code?",
            lambda norm: all(
                torch.allclose(norm(x.clone(), 1e-12), normed(x, 1e-12))
                for x in (vectors(), with_a_spike())
            ),
        ),
        Property(
            "small vectors come out too large; where does eps belong?",
            lambda norm: torch.allclose(
                norm(1e-3 * vectors(), 1e-5), normed(1e-3 * vectors(), 1e-5)
            ),
        ),
        Property(
            "the gradient must be that of the formula, and finite at a constant "
            "vector: it flows through the mean and through the variance.",
            lambda norm: (
                math.isclose(largest_gradient(norm, 1e-6), 750.0, rel_tol=1e-6)
                and torch.allclose(
                    gradients(norm, vectors(), 1e-5), gradients(normed, vectors(), 1e-5)
                )
            ),
        ),
        Property(
            "of a tensor (batch, time, features) each vector must be normalized by "
            "itself, not over the time.",
            lambda norm: torch.allclose(norm(texts(), 1e-12), normed(texts(), 1e-12)),
        ),
        Property(
            "the code must be means, squares and roots, not one of PyTorch's norms.",
            is_written_out,
        ),
    ],
    "ex-layer-norm-fold": [
        Property(
            "the weight must have the shape of the linear map's, the bias one axis.",
            lambda fold: (
                [part.shape for part in fold(*trained_pair())] == [(5, 7), (5,)]
            ),
        ),
        Property(
            "x @ weight.T + bias must be the batch norm of the linear map; does the "
            "bias contain all four vectors of the norm?",
            folds,
        ),
    ],
    "ex-layer-norm-predict": [
        Property(
            "answer with 'same', 'flipped' or 'other', once for each change.",
            lambda *words: len(words) == 4 and set(words) <= set(WORDS),
        ),
        Property(
            "what happens to the mean and to each distance from it when all shift?",
            lambda shift, scale, minus, one: shift == "same",
        ),
        Property(
            "a factor is divided out again, all but its sign.",
            lambda shift, scale, minus, one: (scale, minus) == ("same", "flipped"),
        ),
        Property(
            "one larger feature moves the mean and the deviation of all.",
            lambda shift, scale, minus, one: one == "other",
        ),
    ],
}

FIELDS = {
    "ex-layer-norm-by-hand": (1, 3, math.sqrt(3)),
    "ex-layer-norm-forge": ([10, 12, 14, 16],),
    "ex-layer-norm-predict": 4 * ({*WORDS},),
}
