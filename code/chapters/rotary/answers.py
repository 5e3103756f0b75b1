"""Properties of the answers to the exercises on rotary position embedding."""

from collections.abc import Sequence

import torch
from torch import Tensor

from chapters.calls import uses_package
from chapters.exercises import Property
from chapters.forms import Shaped, right_where, shaped
from chapters.regions import Band, every
from chapters.start import gaussian
from transformer.layers import RotaryEmbedding, interleaved_to_half, rotary_frequencies

WORDS = {"changes", "stays"}
HEADS, D_HEAD, D_MODEL = 3, 10, 7


def frequencies(d: int) -> Tensor:
    """Return the frequencies of a head on the default device."""
    return rotary_frequencies(d).to(torch.get_default_device())


def turned(x: Tensor, position: int, layout: str = "half") -> Tensor:
    """Turn a vector, or the heads of a token, with the package."""
    rotary = RotaryEmbedding(x.size(-1), layout=layout)
    return rotary(x[..., None, :], torch.tensor([position]))[..., 0, :]


def by_arrows(x: Tensor, position: int, frequencies: Tensor) -> Tensor:
    """Turn a vector in the half layout, with complex numbers."""
    angles = position * frequencies
    arrows = torch.complex(*x.chunk(2)) * torch.polar(torch.ones_like(angles), angles)
    return torch.cat((arrows.real, arrows.imag))


def turns(rotate) -> bool:
    """Return whether an answer turns vectors, at several positions and frequencies."""
    x, own = gaussian(14, seed=0), gaussian(7, seed=1).abs()
    one = gaussian(2, seed=2)  # a single plane
    if not torch.allclose(rotate(one.clone(), 3, own[:1]), by_arrows(one, 3, own[:1])):
        return False
    return torch.allclose(rotate(x.clone(), 5, frequencies(14)), turned(x, 5)) and all(
        torch.allclose(rotate(x.clone(), place, own), by_arrows(x, place, own))
        for place in (1, -3, 40, 2.5)
    )


def query(weight: Tensor, token: Tensor, heads: int) -> Tensor:
    """Return the query of a token in each head."""
    return (weight @ token).unflatten(0, (heads, -1))  # (heads, d_head)


def keeps_scores(to_half, heads: int = HEADS, d_head: int = D_HEAD) -> bool:
    """Return whether the scores stay when weights move to the half layout."""
    weights = gaussian(2, heads * d_head, D_MODEL, seed=0)
    tokens = gaussian(2, D_MODEL, seed=1)
    before, after = [], []
    for weight, token, place in zip(weights, tokens, (4, 9), strict=True):
        before.append(turned(query(weight, token, heads), place, "interleaved"))
        after.append(turned(query(to_half(weight, heads), token, heads), place))
    return torch.allclose(
        (before[0] * before[1]).sum(-1), (after[0] * after[1]).sum(-1)
    )


def sorted_rows(weight: Tensor) -> Tensor:
    """Return the rows of a weight by their first entry."""
    return weight[weight[:, 0].argsort()]


def near(found, score: int) -> bool:
    """Return whether a score is this one, up to the rounding of sines in float32."""
    return abs(found - score) < 1e-5


def finds(pointer, *, d: int, backs: Sequence[int]) -> bool:
    """Return whether queries find the key so many positions back, wherever they stand.

    Args:
        pointer: The answer.
        d: Size of the head.
        backs: How far back to look.
    """
    rotary = RotaryEmbedding(d, layout="interleaved")
    places = torch.arange(91)
    for back in backs:
        key = gaussian(d, seed=d + back)
        query = torch.as_tensor(pointer(key.clone(), back), dtype=key.dtype)
        scores = (
            rotary(query.expand(91, -1), places) @ rotary(key.expand(91, -1), places).mT
        )
        best = scores.masked_fill(scores.isnan(), float("inf")).argmax(dim=-1)
        if not torch.equal(best[back:], places[: 91 - back]):
            return False
    return True


EXERCISES = {
    "ex-rotary-by-hand": [
        Property(
            "turn the query by one quarter and the key by two: what is their product?",
            lambda one_two, two_one, six_three: near(one_two, 7),
        ),
        Property(
            "the sign of the offset counts: now the key is turned less than the query.",
            lambda one_two, two_one, six_three: near(two_one, -7),
        ),
        Property(
            "three quarters of a turn back are one quarter forward.",
            lambda one_two, two_one, six_three: near(six_three, 7),
        ),
    ],
    "ex-rotary-code": [
        Property(
            "the result must have the shape of x, made without the package.",
            lambda rotate: (
                rotate(gaussian(6, seed=0), 3, frequencies(6)).shape == (6,)
                and not uses_package(rotate, gaussian(6, seed=0), 3, frequencies(6))
            ),
        ),
        Property(
            "at position 0 the vector must stay as it is.",
            lambda rotate: torch.allclose(
                rotate(gaussian(6, seed=0), 0, frequencies(6)), gaussian(6, seed=0)
            ),
        ),
        Property(
            "the length must stay; does each feature meet its partner?",
            lambda rotate: torch.allclose(
                rotate(gaussian(6, seed=0), 3, frequencies(6)).norm(),
                gaussian(6, seed=0).norm(),
            ),
        ),
        Property(
            "each plane must turn counterclockwise, by the position times its "
            "frequency, and pair feature i with i + d/2.",
            turns,
        ),
    ],
    "ex-rotary-layout-code": [
        Property(
            "the result must have the shape of the weight.",
            lambda to_half: (
                to_half(gaussian(HEADS * D_HEAD, D_MODEL, seed=0), HEADS).shape
                == (HEADS * D_HEAD, D_MODEL)
            ),
        ),
        Property(
            "the rows must be the old ones in another order.",
            lambda to_half: torch.equal(
                sorted_rows(to_half(gaussian(HEADS * D_HEAD, D_MODEL, seed=0), HEADS)),
                sorted_rows(gaussian(HEADS * D_HEAD, D_MODEL, seed=0)),
            ),
        ),
        Property(
            "for a single head, rows 0, 2, 4 must come first, then rows 1, 3, 5.",
            lambda to_half: torch.equal(
                to_half(gaussian(D_HEAD, D_MODEL, seed=0), 1),
                gaussian(D_HEAD, D_MODEL, seed=0)[
                    interleaved_to_half(D_HEAD).to(torch.get_default_device())
                ],
            ),
        ),
        Property(
            "each head must give the scores it gave before; do rows leave their head?",
            lambda to_half: (
                keeps_scores(to_half)
                and keeps_scores(to_half, heads=2, d_head=6)
                and keeps_scores(to_half, heads=4, d_head=12)
            ),
        ),
    ],
    "ex-rotary-point": [
        Property(
            "return one query of the length of the key, in numbers.",
            lambda pointer: (
                torch.as_tensor(pointer(gaussian(6, seed=0), 3)).shape == (6,)
            ),
        ),
        Property(
            "with back = 0 the query must find the key at its own position.",
            lambda pointer: finds(pointer, d=14, backs=[0]),
        ),
        Property(
            "with back = 1 it must find the key one position before its own; does the "
            "query point there, or ahead?",
            lambda pointer: finds(pointer, d=14, backs=[1]),
        ),
        Property(
            "it must find its key for any distance, in every plane of the layout that "
            "rotate uses.",
            lambda pointer: all(
                finds(pointer, d=d, backs=[2, 7, 33, 50]) for d in (6, 14, 64)
            ),
        ),
    ],
    "ex-rotary-think": [
        Property(
            "answer with 'changes' or 'stays'.",
            lambda *words: len(words) == 4 and set(words) <= WORDS,
        ),
        Property(
            "which differences change when all positions are raised alike?",
            lambda raised, doubled, swapped, turned: raised == "stays",
        ),
        Property(
            "which differences change when all positions are doubled?",
            lambda raised, doubled, swapped, turned: doubled == "changes",
        ),
        Property(
            "how far are the swapped tokens from the last one, before and after?",
            lambda raised, doubled, swapped, turned: swapped == "changes",
        ),
        Property(
            "what happens to the angle between two arrows that turn alike?",
            lambda raised, doubled, swapped, turned: turned == "stays",
        ),
    ],
}

AT_HOME = [  # rows 0 to 3 belong to the first head
    Band(tuple(float(n == row) for n in range(8)), low=first, high=first + 3)
    for row, first in enumerate(4 * [0] + 4 * [4])
]
HALVES = [0, 2, 1, 3, 4, 6, 5, 7]  # two heads of four rows
BY_HAND = {
    "ex-rotary-layout-code": [
        Property("give the numbers of eight rows.", shaped(HALVES)),
        Property(
            "each head keeps its own rows, the first head 0 to 3.",
            Shaped((8,), every(*AT_HOME)),
        ),
        Property(
            "the half layout has the first features of all planes of a head, and then "
            "the second ones.",
            right_where(HALVES),
        ),
    ],
}

FIELDS = {
    "ex-rotary-layout-code": (HALVES,),
    "ex-rotary-by-hand": (7, -7, 7),
    "ex-rotary-think": 4 * (WORDS,),
}
