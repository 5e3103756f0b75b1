"""Properties of the answers to the exercises on residual connections."""

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from chapters.exercises import Property
from chapters.start import gaussian

WORDS = ("little", "much")


IN_A_ROW = 0, 1, 2
STACKS = (IN_A_ROW, (2, 0, 1, 1, 0, 2, 2), (1,))  # a sublayer may come again


def sublayers(stack: Sequence[int] = IN_A_ROW) -> list[Callable[[Tensor], Tensor]]:
    """Return some of three sublayers, each with a matrix and a bend of its own."""
    weights = gaussian(3, 5, 5, seed=1)
    own = [lambda z, w=weight: (z @ w).tanh() for weight in weights]
    return [own[number] for number in stack]


def entries(stack: Sequence[int] = IN_A_ROW) -> list[Tensor]:
    """Return what stands in the ledger of a stack."""
    x = gaussian(5, seed=2)
    found = [x]
    for sublayer in sublayers(stack):
        found.append(sublayer(x))
        x = x + found[-1]
    return found


def found(parts, stack: Sequence[int] = IN_A_ROW) -> list[Tensor]:
    """Return the entries that an answer finds."""
    return list(parts(gaussian(5, seed=2), sublayers(stack)))


def keeps_its_input(parts) -> bool:
    """Return whether the vector that goes in is afterwards what it was."""
    x = gaussian(5, seed=2)
    list(parts(x, sublayers()))
    return torch.equal(x, gaussian(5, seed=2))


def same(some: Sequence[Tensor], others: Sequence[Tensor]) -> bool:
    """Return whether two lists hold the same vectors."""
    pairs = zip(some, others, strict=True)
    return len(some) == len(others) and all(torch.allclose(a, b) for a, b in pairs)


EXERCISES = {
    "ex-residual-paths": [
        Property(
            "to go through two sublayers is to go around one; how many are there to "
            "choose from?",
            lambda count, together, derivative: count == 3,
        ),
        Property(
            "each path multiplies by w as often as it goes through a sublayer; add "
            "all paths of two.",
            lambda count, together, derivative: math.isclose(
                together, 0.75, abs_tol=1e-3
            ),
        ),
        Property(
            "each sublayer with its skip multiplies by 1 + w.",
            lambda count, together, derivative: math.isclose(
                derivative, 0.125, abs_tol=1e-3
            ),
        ),
    ],
    "ex-residual-parts": [
        Property(
            "there must be one entry for x and one for each sublayer.",
            lambda parts: len(found(parts)) == 4,
        ),
        Property(
            "the vector that goes in must not be changed; is there a += too many?",
            keeps_its_input,
        ),
        Property(
            "the first entry is x.",
            lambda parts: same(found(parts)[:1], entries()[:1]),
        ),
        Property(
            "the entries must add up to the end of the stream; what does each "
            "sublayer read?",
            lambda parts: torch.allclose(sum(found(parts)), sum(entries())),
        ),
        Property(
            "each entry must be what its own sublayer added, in a stack of any length, "
            "also where a sublayer comes again.",
            lambda parts: all(
                same(found(parts, stack), entries(stack)) for stack in STACKS
            ),
        ),
    ],
    "ex-residual-predict": [
        Property(
            "answer with 'little' or 'much', once for each change.",
            lambda *words: len(words) == 4 and set(words) <= set(WORDS),
        ),
        Property(
            "a layer in the middle adds a little to a long stream, also a second time.",
            lambda twice, swapped, first, reverse: twice == "little",
        ),
        Property(
            "two neighbors in the middle read nearly the same stream, in either order.",
            lambda twice, swapped, first, reverse: swapped == "little",
        ),
        Property(
            "the second time layer 1 reads its own output; was it trained to?",
            lambda twice, swapped, first, reverse: first == "much",
        ),
        Property(
            "what does a layer find in the stream if those before it come after it?",
            lambda twice, swapped, first, reverse: reverse == "much",
        ),
    ],
}

FIELDS = {
    "ex-residual-paths": (3, 0.75, 0.125),
    "ex-residual-predict": 4 * ({*WORDS},),
}
