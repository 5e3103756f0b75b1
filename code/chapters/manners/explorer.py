"""Explorer: two narrow matrices whose rank one drags, and their product."""

from math import pi

import torch
from jaxtyping import Float
from torch import Tensor

from chapters.shared.explorer.frame import Explorer, choice
from chapters.shared.explorer.markup import rounded
from chapters.start import gaussian
from transformer.zoo import CONFIGS

SIDE, RANK = 10, 2
KINDS = {"few": "in few directions", "all": "in all directions"}


def show() -> Explorer:
    """Show B and A, their product, the change that is wanted, and what is missing."""
    return Explorer(
        chapter="manners",
        name="manners",
        title="two narrow matrices and their product",
        instruction="Drag the rank: at 3 hardly anything is missing, with 60 numbers "
        "for 100. Then want a change in all directions: now a quarter is "
        "missing.",
        controls=[choice("kind", "wanted: a change", KINDS, value="few")],
        data={
            "rank": RANK,
            "real": CONFIGS["smollm2-135m"].d_model,
            "kinds": {kind: split(want(kind)) for kind in KINDS},
        },
        uses=("drag",),
    )


def want(kind: str) -> Float[Tensor, "SIDE SIDE"]:
    """Return the change that a kind of task wants: three waves and noise, or noise."""
    noise = gaussian(SIDE, SIDE, seed=1)
    if kind == "all":
        return noise
    places = (torch.arange(SIDE, dtype=torch.float64) + 0.5) * pi / SIDE
    waves = [
        size * torch.outer((n * places).cos(), ((n + 1) * places).sin())
        for n, size in enumerate((2.0, 1.5, 1.0))
    ]
    return sum(waves) + 0.1 * noise


def split(wanted: Float[Tensor, "SIDE SIDE"]) -> dict[str, list]:
    """Return a change, and the columns of B and rows of A that come nearest to it."""
    left, sizes, right = torch.linalg.svd(wanted)
    largest = left.abs().argmax(dim=0, keepdim=True)
    sign = left.gather(0, largest).sign()  # a library may turn a pair around
    roots = sizes.sqrt()
    columns, rows = (left * sign * roots).T, right * sign.T * roots[:, None]
    parts = {"wanted": wanted, "b": columns, "a": rows}
    return {name: rounded(part, 2) for name, part in parts.items()}
