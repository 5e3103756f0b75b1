"""Explorer: a query that one drags, whom it listens to, and what it receives."""

import torch
from jaxtyping import Float
from torch import Tensor

from chapters.shared.explorer.frame import Explorer, slider, switch
from chapters.shared.explorer.markup import rounded
from chapters.start import gaussian

# What a word is found by, (water, money), and what it hands over, (grass, counter).
WORDS = {
    "river": ((2.1, -0.4), (2.0, 0.2)),
    "boat": ((1.6, 1.2), (1.1, -0.6)),
    "loan": ((-0.6, 2.1), (0.2, 2.0)),
    "desert": ((-2.0, 0.3), (-1.7, 0.5)),
    "free": ((0.4, -1.8), (-0.4, -1.6)),
    "the": ((-0.4, -0.5), (0.1, 0.1)),
}
SIZES = tuple(2**power for power in range(1, 11))  # of d_k


def show() -> Explorer:
    """Show a plane of keys with a query to drag, weights, and a plane of values."""
    keys, values = zip(*WORDS.values(), strict=True)
    return Explorer(
        chapter="self_attention",
        name="self_attention",
        title="a query, six keys, and what the query receives",
        instruction="Drag <em>bank</em>: the weights follow. Then set <em>dimension "
        "dₖ</em> to 1024, switch off <em>divide by √dₖ</em> and drag again: no weight "
        "moves.",
        controls=[
            slider("size", "dimension dₖ", low=0, high=len(SIZES) - 1, value=0),
            switch("root", "divide by √dₖ", on=True),
        ],
        data={
            "words": list(WORDS),
            "keys": keys,
            "values": values,
            "sizes": SIZES,
            "hidden": rounded(find_hidden(), 3),
        },
        uses=("drag", "steps", "arrows"),
        controls_first=True,
    )


def find_hidden() -> Float[Tensor, "sizes words"]:
    """Return what the features that the plane does not show add to each score.

    They are random, and a smaller size takes the first of the same ones.
    """
    rest = SIZES[-1] - 2
    query, keys = (
        gaussian(rows, rest, seed=seed).to("cpu", torch.float64)
        for rows, seed in ((1, 17), (len(WORDS), 18))
    )
    sums = torch.nn.functional.pad((query * keys).cumsum(dim=-1), (1, 0))
    return sums[:, [size - 2 for size in SIZES]].T
