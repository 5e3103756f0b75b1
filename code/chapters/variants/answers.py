"""Properties of the answers to the exercises on variants of the feed-forward layer."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from chapters.exercises import Property
from chapters.start import gaussian
from transformer.layers import ConvFeedForward, silu

ZERO, LINEAR = "zero", "linear"


def bilinear() -> tuple[Tensor, Tensor, Tensor]:
    """Return the matrices of a bilinear layer, 3 features wide and 5 units."""
    return gaussian(3, 5, seed=0), gaussian(3, 5, seed=1), gaussian(5, 3, seed=2)


def multiplies(build) -> bool:
    """Return whether SwiGLU with the matrices computes the bilinear layer."""
    first, second, down = bilinear()
    gate, up, out = build(*bilinear())
    return all(
        torch.allclose(
            (silu(x @ gate) * (x @ up)) @ out, ((x @ first) * (x @ second)) @ down
        )
        for x in (gaussian(7, 3, seed=3), 1e6 * gaussian(7, 3, seed=4))
    )


def twice_as_wide(build) -> bool:
    """Return whether the matrices have twice as many hidden units."""
    shapes = [tuple(matrix.shape) for matrix in build(*bilinear())]
    return shapes == [(3, 10), (3, 10), (10, 3)]


def mixed(convolve, kernel_size: int, time: int = 11) -> tuple[Tensor, Tensor]:
    """Return what a function makes of a sequence, and what the package does."""
    hidden, kernel = gaussian(time, 5, seed=0), gaussian(kernel_size, 5, seed=1)
    layer = ConvFeedForward(
        5, 5, kernel_size=kernel_size, activation="identity", bias=False
    ).to(hidden)
    with torch.no_grad():
        layer.up_projection.weight.copy_(torch.eye(5))
        layer.down_projection.weight.copy_(torch.eye(5))
        layer.convolution.weight.copy_(kernel.T[:, None, None, :])
        return convolve(hidden.clone(), kernel.clone()), layer(hidden)


def stays_in_shape(convolve) -> bool:
    """Return whether the result has the shape of the sequence."""
    came, wanted = mixed(convolve, 3)
    return came.shape == wanted.shape


def keeps_the_future_out(convolve) -> bool:
    """Return whether later inputs leave earlier outputs alone."""
    hidden, kernel = gaussian(11, 5, seed=0), gaussian(3, 5, seed=1)
    changed = hidden.clone()
    changed[6:] += 1
    return torch.equal(convolve(changed, kernel)[:6], convolve(hidden, kernel)[:6])


def agrees(convolve) -> bool:
    """Return whether a function does what the package does, for several kernels."""
    return all(torch.allclose(*mixed(convolve, size)) for size in (1, 2, 3, 5, 14))


def as_table(rows) -> Tensor:
    """Return rows of probabilities as a table of floats."""
    return torch.as_tensor(rows).double()


def is_a_router(rows) -> bool:
    """Return whether four tokens have probabilities of two experts each."""
    table = as_table(rows)
    return (
        table.shape == (4, 2)
        and bool((table >= 0).all())
        and torch.allclose(table.sum(dim=1), torch.ones(4, dtype=table.dtype))
    )


def three_ask_the_first(rows) -> bool:
    """Return whether the first expert wins three of the four tokens, without ties."""
    table = as_table(rows)
    return int((table[:, 0] > table[:, 1]).sum()) == 3


def looks_balanced(rows) -> bool:
    """Return whether the balancing loss is below 0.9."""
    table = as_table(rows)
    shares = F.one_hot(table.argmax(dim=1), 2).double().mean(dim=0)
    return (2 * (shares * table.mean(dim=0)).sum()).item() < 0.9


EXERCISES = {
    "ex-variants-by-hand": [
        Property(
            "the bilinear unit multiplies its two inputs as they are.",
            lambda bilinear, reglu, glu: math.isclose(bilinear, -6, abs_tol=1e-9),
        ),
        Property(
            "in ReGLU the number of the door goes through a ReLU first.",
            lambda bilinear, reglu, glu: math.isclose(reglu, 0, abs_tol=1e-9),
        ),
        Property(
            "in GLU the gate is sigmoid(-2), which is 1 - sigmoid(2); give three "
            "decimals.",
            lambda bilinear, reglu, glu: math.isclose(glu, 3 * 0.1192, abs_tol=5e-4),
        ),
    ],
    "ex-variants-cheat": [
        Property("give four rows of two probabilities that sum to one.", is_a_router),
        Property(
            "the first expert must win three of the four tokens.", three_ask_the_first
        ),
        Property(
            "the loss is still 0.9 or more; by how much must a winner win?",
            looks_balanced,
        ),
    ],
    "ex-variants-product": [
        Property(
            "the layer must be twice as wide: 3 x 10, 3 x 10 and 10 x 3 here.",
            twice_as_wide,
        ),
        Property(
            "your SwiGLU must return what the bilinear layer returns.", multiplies
        ),
    ],
    "ex-variants-convolution": [
        Property("the result must have the shape of the sequence.", stays_in_shape),
        Property(
            "a later input must not change an earlier output.", keeps_the_future_out
        ),
        Property(
            "the result must be that of the package, for every kernel size.", agrees
        ),
    ],
    "ex-variants-shut": [
        Property(
            "answer with 'zero' or 'linear'.",
            lambda *words: len(words) == 4 and set(words) <= {ZERO, LINEAR},
        ),
        Property(
            "which of the activations is not zero at zero?",
            lambda glu, bilinear, reglu, swiglu: (
                (glu, bilinear, reglu, swiglu) == (LINEAR, ZERO, ZERO, ZERO)
            ),
        ),
    ],
}

FIELDS = {
    "ex-variants-by-hand": (-6, 0, 3 * 0.1192),
    "ex-variants-shut": 4 * ({ZERO, LINEAR},),
}
