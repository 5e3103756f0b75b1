"""Explorer: what a signal and its gradient meet in fresh stacks of any depth."""

from collections.abc import Mapping, Sequence
from functools import cache
from math import floor, log10

from chapters.norm_placement.stack_depths import DEPTHS, MEASUREMENTS
from chapters.shared.explorer.frame import Explorer, choice, slider, switch
from chapters.shared.explorer.markup import coordinate, fixed, tag

MEASURES = {
    "gradient": "norm of the gradient",
    "variance": "variance of the stream",
    "cosine": "cosine with the input",
    "likeness": "cosine between two tokens",
}
ORDERS = {"pre": "pre-norm", "post": "post-norm", "none": "no norm"}
STROKES = {"pre": "old", "post": "new", "none": "turn"}
COLORS = {"pre": "blue", "post": "orange", "none": "ink"}
DEPTH, MEASURE = DEPTHS.index(24), "gradient"  # at first
_FIRST = {"value": DEPTH, "shown": str(DEPTHS[DEPTH])}
LEFT, RIGHT, TOP, BOTTOM = 40, 352, 8, 192
# Ends of an axis and what stands beside it; logarithms where they are true.
_COSINES = [False, -0.1, 1.05, [0, 0.25, 0.5, 0.75, 1], ["0", "¼", "½", "¾", "1"]]
_HUGE = [0, 2, 4, 6, 8]
_HUGE_WORDS = ["1", "100", "10⁴", "10⁶", "10⁸"]
AXES = {
    "gradient": [True, -1, 1, [-1, -0.5, 0, 0.5, 1], ["0.1", "0.3", "1", "3", "10"]],
    "variance": [True, -0.2, 2, [0, 0.5, 1, 1.5, 2], ["1", "3", "10", "30", "100"]],
    "cosine": _COSINES,
    "likeness": _COSINES,
    "gradient none": [True, -1, 10, _HUGE, _HUGE_WORDS],
    "variance none": [True, -1, 10, _HUGE, _HUGE_WORDS],
}
_END = "text-anchor: end"  # the frame centers
_POWERS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def show() -> Explorer:
    """Show what happens at each layer, for pre-norm, post-norm and no norm."""
    picture = draw(DEPTH, MEASURE, none=False)
    return Explorer(
        chapter="norm_placement",
        name="norm_placement",
        title="signals and gradients in fresh stacks of two to 48 layers",
        instruction="Drag the depth, or use the arrow keys, and choose what to look "
        "at. The scale on the left stays the same at every depth.",
        controls=[
            slider("depth", "layers", low=0, high=len(DEPTHS) - 1, **_FIRST),
            choice("measure", "show", MEASURES, value=MEASURE),
            switch("none", "without norms too"),
        ],
        stage=_write_stage(picture),
        readout=picture["readout"],
        data={
            "depths": DEPTHS,
            "measures": MEASURES,
            "orders": ORDERS,
            "axes": AXES,
            "place": [LEFT, RIGHT, TOP, BOTTOM],
            "found": find_numbers(),
        },
    )


@cache
def find_numbers() -> dict[str, dict[str, list]]:
    """Return mean, least and most at each layer, by measure and "order depth"."""
    rows = MEASUREMENTS.read()
    return {
        measure: {f"{row['placement']} {row['layers']}": row[measure] for row in rows}
        for measure in MEASURES
    }


def draw(depth: int, measure: str, *, none: bool) -> dict:
    """Return what the drawing shows: paths, ticks, and the sentence below.

    Args:
        depth: The place of the depth in `DEPTHS`.
        measure: One of `MEASURES`.
        none: Whether stacks without norms are shown too.
    """
    layers, found = DEPTHS[depth], find_numbers()[measure]
    axis = AXES.get(f"{measure} none", AXES[measure]) if none else AXES[measure]
    first = 1 if measure == "gradient" else 0
    picture: dict = {"ticks": [], "words": axis[4], "layers": [0, layers / 2, layers]}
    picture["ticks"] = [coordinate(find_height(tick, axis)) for tick in axis[3]]
    for order in ORDERS:
        numbers = found.get(f"{order} {layers}") if order != "none" or none else None
        lines = numbers or [[], [], []]
        mean, least, most = (find_points(line, first, layers, axis) for line in lines)
        picture[order] = "M" + " L".join(mean) if numbers else ""
        band = [*least, *reversed(most)]
        picture[f"{order} band"] = "M" + " L".join(band) + " Z" if numbers else ""
    picture["readout"] = write_readout(found, measure, layers, none=none)
    return picture


def find_height(number: float, axis: Sequence) -> float:
    """Place a number, or the logarithm of one, on the axis."""
    _, low, high, *_ = axis
    return BOTTOM - (BOTTOM - TOP) * (number - low) / (high - low)


def find_points(
    numbers: Sequence[float], first: int, layers: int, axis: Sequence
) -> list[str]:
    """Place numbers of one layer after the other in the drawing."""
    return [
        coordinate(LEFT + (RIGHT - LEFT) * layer / layers)
        + " "
        + coordinate(find_height(log10(number) if axis[0] else number, axis))
        for layer, number in enumerate(numbers, start=first)
    ]


def write_readout(
    found: Mapping[str, list], measure: str, layers: int, *, none: bool
) -> str:
    """Describe what stands at both ends of each curve."""
    parts = []
    for order, name in ORDERS.items():
        if order != "none" or none:
            ends = found.get(f"{order} {layers}")
            told = (
                f"{say(ends[0][0])} to {say(ends[0][-1])}" if ends else "not measured"
            )
            parts.append(f"{name} {told}")
    ends = "first to last layer" if measure == "gradient" else "input to last layer"
    return f"{layers} layers, {MEASURES[measure]}, {ends}: {', '.join(parts)}."


def say(number: float) -> str:
    """Write a number of three digits."""
    size = abs(number)
    if size < 1000:
        return fixed(number, 3 if size < 1 else 2 if size < 10 else 1)
    power = floor(log10(size))
    return f"{fixed(number / 10**power, 1)} · 10{str(power).translate(_POWERS)}"


def _write_stage(picture: Mapping) -> str:
    """Write the drawing with its axes, and what each line means."""
    shapes = [
        tag("path", class_="faint", d=f"M{LEFT} {TOP} V{BOTTOM} H{RIGHT}"),
        *_write_ticks(picture),
    ]
    for order, color in COLORS.items():
        style = f"fill: var(--{color}); opacity: 0.2"
        band = picture[f"{order} band"]
        shapes += [
            tag("path", style=style, data_part=f"{order}-band", d=band),
            tag("path", class_=STROKES[order], data_part=order, d=picture[order]),
        ]
    drawing = tag(
        "svg",
        "\n".join(shapes),
        viewBox="0 0 360 224",
        aria_hidden="true",
        style="margin: 0 auto; max-width: 36rem",
    )
    return _write_key() + "\n" + drawing


def _write_ticks(picture: Mapping) -> list[str]:
    """Write the numbers beside and below the drawing."""
    beside = [
        tag("text", word, style=_END, x=LEFT - 5, y=4, data_part=f"word-{i}")
        for i, word in enumerate(picture["words"])
    ]
    marks = [
        tag("g", word, transform=f"translate(0 {tick})", data_part=f"tick-{i}")
        for i, (word, tick) in enumerate(zip(beside, picture["ticks"], strict=True))
    ]
    middle = (LEFT + RIGHT) / 2
    below = [
        tag("text", fixed(layer, 0), y=206, **place)
        for i, layer in enumerate(picture["layers"])
        for place in [{"x": (LEFT, middle, RIGHT)[i], "data_part": f"layer-{i}"}]
    ]
    return [*marks, *below, tag("text", "layer", x=middle, y=220)]


def _write_key() -> str:
    """Write what each kind of line means, and that a band is the range."""
    size = {"viewBox": "0 0 28 10", "style": "display: inline; width: 28px"}
    words = []
    for order, name in ORDERS.items():
        line = tag("line", class_=STROKES[order], x2=28, y1=5, y2=5)
        drawn = tag("svg", line, aria_hidden="true", **size)
        words.append(tag("span", f"{drawn} {name}", style="white-space: nowrap"))
    words.append("line: mean of three seeds, band: their range")
    return tag("p", " &#160; ".join(words), style="text-align: center")
