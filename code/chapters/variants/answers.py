"""Properties of the answers to the exercises on variants of the feed-forward layer."""

import math

import torch
from torch import Tensor

from chapters.exercises import Property
from chapters.forms import Form, Shaped
from chapters.regions import Band, about, either
from chapters.start import gaussian
from transformer.layers import ConvFeedForward, silu

ZERO, LINEAR = "zero", "linear"
TINY = math.ulp(0.0)


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


def of_table(*regions: tuple[Band, ...]) -> Shaped:
    """Return a property of the probabilities of four tokens and two experts."""
    return Shaped((4, 2), either(*regions))


def ahead(token: int) -> tuple[float, ...]:
    """Return the weights that give by how much a token prefers the first expert."""
    return (*(0.0,) * 2 * token, 1.0, -1.0, *(0.0,) * (6 - 2 * token))


def weights_of(place: int, width: int = 1) -> tuple[float, ...]:
    """Return the weights that give the sum of a few numbers of the table."""
    return tuple(float(place <= n < place + width) for n in range(8))


ROUTES = (
    *(Band(weights_of(place), low=0) for place in range(8)),
    *(about(*weights_of(2 * token, 2), to=1, within=1e-5) for token in range(4)),
)
# One token goes to the second expert; a tie is no win, and the least float is one.
THREE = [
    tuple(
        Band(ahead(token), high=0.0) if token == other else Band(ahead(token), TINY)
        for token in range(4)
    )
    for other in range(4)
]
# The loss, once three of four tokens go to the first expert: twice the sum of share
# times mean probability.
BALANCED = Band(4 * (2 * 3 / 4 / 4, 2 * 1 / 4 / 4), high=math.nextafter(0.9, 0))


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
        Property(
            "give four rows of two probabilities that sum to one.", of_table(ROUTES)
        ),
        Property(
            "the first expert must win three of the four tokens.", of_table(*THREE)
        ),
        Property(
            "the loss is still 0.9 or more; by how much must a winner win?",
            of_table((BALANCED,)),
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
    "ex-variants-cheat": Form(
        (*3 * ([0.51, 0.49],), [0.01, 0.99]),
        tuple(f"token {number}" for number in range(1, 5)),
        lambda *rows: (list(rows),),
    ),
    "ex-variants-shut": 4 * ({ZERO, LINEAR},),
}
