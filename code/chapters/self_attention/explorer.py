"""Explorer: how the softmax hardens with the dimension, and what division changes."""

from functools import cache

import torch
from jaxtyping import Float
from torch import Tensor

from chapters.shared.explorer.frame import Explorer, choice, slider, switch
from chapters.shared.explorer.markup import coordinate, fixed, rounded, tag
from chapters.start import gaussian

QUERIES, KEYS = 4, 16
SIZES = tuple(2**power for power in range(2, 11))  # of d_k
SIZE, QUERY = SIZES.index(64), 0  # at first
HALF_STEPS = 12  # the divisor goes from 1 to 64, each step by a factor of root 2
BAR, GAP, FLOOR, TALL = 17, 22, 112, 100  # of the bars, in units of the drawing
GAUGES = {"entropy": "entropy", "largest": "largest weight", "trace": "derivative"}


def show() -> Explorer:
    """Show the weights of one query, and how hard their softmax is."""
    divisor = SIZES[SIZE].bit_length() - 1  # half steps: the root
    queries = {str(i): str(i + 1) for i in range(QUERIES)}
    return Explorer(
        chapter="self_attention",
        name="self_attention",
        title="softmax, dimension and divisor",
        instruction="Raise the dimension with and without the division by √dₖ, or drag "
        "the divisor yourself; the arrow keys work too.",
        controls=[
            slider(
                "size",
                "dimension dₖ",
                low=0,
                high=len(SIZES) - 1,
                value=SIZE,
                shown=str(SIZES[SIZE]),
            ),
            slider(
                "divisor",
                "divide by",
                low=0,
                high=HALF_STEPS,
                value=divisor,
                shown=fixed(2 ** (divisor / 2), 1),
            ),
            switch("root", "keep at √dₖ", on=True),
            choice("query", "query", queries, value=str(QUERY)),
        ],
        stage=_draw_bars() + "\n" + _draw_gauges(),
        readout=_write_readout(),
        data={"sizes": SIZES, "scores": rounded(find_scores(), 3)},
    )


@cache
def find_scores() -> Float[Tensor, "queries sizes keys"]:
    """Return dot products of random vectors of each size, in float64 on the CPU.

    A smaller size takes the first features of the same vectors, so that the bars grow
    out of each other when the size changes.
    """
    query = gaussian(QUERIES, 1, SIZES[-1], seed=11).cpu()
    key = gaussian(KEYS, SIZES[-1], seed=12).cpu()
    sums = (query * key).cumsum(dim=-1)  # (queries, keys, features)
    return sums[..., torch.tensor(SIZES, device="cpu") - 1].transpose(1, 2)


def weigh() -> Float[Tensor, " keys"]:
    """Return the weights shown at first."""
    scores = torch.tensor(rounded(find_scores()[QUERY, SIZE], 3), device="cpu")
    return (scores.double() / SIZES[SIZE] ** 0.5).softmax(dim=-1)


def measure(weights: Float[Tensor, " keys"]) -> dict[str, float]:
    """Return entropy, largest weight and trace of the Jacobian of weights."""
    return {
        "entropy": float(torch.special.entr(weights).sum()),
        "largest": float(weights.max()),
        "trace": float((weights * (1 - weights)).sum()),
    }


def find_limits() -> dict[str, float]:
    """Return the largest value that each measure can have."""
    uniform = measure(torch.full((KEYS,), 1 / KEYS, dtype=torch.float64, device="cpu"))
    return uniform | {"largest": 1.0}


def _draw_bars() -> str:
    """Draw a bar for the weight of each key, and a line where all were equal."""
    level = coordinate(FLOOR - TALL / KEYS)
    shapes = [
        tag(
            "rect",
            data_part=f"weight-{key}",
            style="fill: var(--blue)",
            x=6 + GAP * key,
            width=BAR,
            y=coordinate(FLOOR - TALL * weight),
            height=coordinate(TALL * weight),
        )
        for key, weight in enumerate(weigh().tolist())
    ]
    shapes += [
        tag("path", class_="faint", d=f"M 0 {FLOOR} H 360 M 0 {FLOOR - TALL} H 360"),
        tag("path", class_="new", style="stroke-width: 1.5", d=f"M 0 {level} H 360"),
        tag("text", "weight 1", x=30, y=FLOOR - TALL + 13),
        tag("text", f"{KEYS} keys; dashed: all weights equal", x=180, y=FLOOR + 15),
    ]
    return tag(
        "svg",
        "".join(shapes),
        viewBox="0 0 360 132",
        class_="explorer-plot",
        role="img",
        aria_label=f"bars for the weights of {KEYS} keys",
    )


def _draw_gauges() -> str:
    """Draw each measure as a part of the largest value that it can have."""
    values, limits = measure(weigh()), find_limits()
    cells = []
    for name, words in GAUGES.items():
        width = coordinate(100 * values[name] / limits[name])
        shapes = tag("rect", style="fill: var(--faint)", width=100, height=8)
        shapes += tag(
            "rect",
            data_part=f"bar-{name}",
            style="fill: var(--blue)",
            width=width,
            height=8,
        )
        drawing = tag("svg", shapes, viewBox="0 0 100 8", aria_hidden="true")
        number = tag("b", fixed(values[name], 2), data_part=name)
        limit = "" if limits[name] == 1 else f" of {fixed(limits[name], 2)}"
        text = f"{words} {number}{limit}"
        cells.append(tag("div", drawing + tag("span", text), class_="explorer-cell"))
    return tag("div", "\n".join(cells), class_="explorer-grid")


def _write_readout() -> str:
    """Describe in words what is shown at first."""
    size, root = SIZES[SIZE], fixed(SIZES[SIZE] ** 0.5, 1)
    values = {name: fixed(value, 2) for name, value in measure(weigh()).items()}
    return (
        f"{size} features, scores divided by √{size} = {root}: the largest weight is "
        f"{values['largest']}, the entropy {values['entropy']} nats, and the trace of "
        f"the derivative {values['trace']}."
    )
