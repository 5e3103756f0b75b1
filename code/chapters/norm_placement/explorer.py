"""Explorer: stacks that one grows, and the signal or gradient of each layer in them."""

from collections.abc import Mapping, Sequence
from functools import cache
from math import floor, log10

from chapters.norm_placement.stack_depths import DEPTHS, MEASUREMENTS
from chapters.shared.explorer.frame import Explorer, choice, handle, switch
from chapters.shared.explorer.markup import coordinate, fixed, tag
from chapters.shared.explorer.steps import STYLE, write_step

MEASURES = {
    "likeness": "cosine between two tokens",
    "variance": "variance of the stream",
    "cosine": "cosine with the input",
    "gradient": "norm of the gradient",
}
ORDERS = {"post": "post-norm", "pre": "pre-norm", "none": "no norm"}
PLACES = {"post": "after each sum", "pre": "before each layer", "none": ""}
DEPTH, MEASURE = DEPTHS.index(24), "likeness"  # at first
WIDTH, BOTTOM, RISE = 360, 320, 33  # the lowest layer stands there; a step of the top
STREAM, BRANCH, BARS = 22, 11, 42  # from the left of a stack
LID, INPUT = 14, 14  # above the stack, and for the bar of the input below
HEAD = 10  # for the names, above what a stack of 48 layers reaches
HANDLE = 317  # from the left, where no stream ends
# Whether logarithms are drawn, ends of the axis, ticks and their words.
_COSINES = [False, -0.1, 1.05, [0, 0.5, 1], ["0", "½", "1"]]
_HUGE = [True, -1, 10, [0, 4, 8], ["1", "10⁴", "10⁸"]]
AXES = {
    "gradient": [True, -1, 1, [-1, 0, 1], ["0.1", "1", "10"]],
    "variance": [True, -0.2, 2, [0, 1, 2], ["1", "10", "100"]],
    "cosine": _COSINES,
    "likeness": _COSINES,
    "gradient none": _HUGE,
    "variance none": _HUGE,
}
_POWERS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_SHAPES = ("grid", "branch", "stream", "beads", "bars", "range")
_STYLE = """\
.explorer-stage .stacks { margin: 0 auto; max-width: 29rem; }
.stacks path { fill: none; stroke: var(--muted); }
.stacks .grid { stroke: var(--faint); }
.stacks .stream { stroke: var(--query); stroke-width: 2.5; }
.stacks .beads { stroke: var(--key); stroke-linecap: round; }
.stacks .bars { fill: var(--output); stroke: none; }
.stacks .range { stroke: var(--ink); }
.stacks .lid { stroke: var(--muted); stroke-width: 2; }
.stacks .name { font-weight: 600; }
.legend { margin: 0; text-align: center; }
@media (min-width: 601px) {
  .explorer .stacks text { font-size: 10px; }
}
"""


def show() -> Explorer:
    """Show what happens at each layer, for post-norm, pre-norm and no norm."""
    picture = draw(DEPTH, MEASURE, none=False)
    buttons = (("fewer", "\N{MINUS SIGN} layers"), ("more", "+ layers"))
    return Explorer(
        chapter="norm_placement",
        name="norm_placement",
        title="signals and gradients in fresh stacks of two to 48 layers",
        instruction="Drag the top. From the tenth layer on the bars of post-norm "
        "are close to 1: all words are nearly one. In pre-norm they draw closer "
        "more slowly.",
        controls=[
            *(
                tag("button", words, type="button", data_part=part)
                for part, words in buttons
            ),
            choice("measure", "show", MEASURES, value=MEASURE),
            switch("none", "without norms too"),
        ],
        stage=_write_stage(picture),
        readout=picture["readout"],
        data={
            "first": DEPTH,
            "depths": DEPTHS,
            "measures": MEASURES,
            "orders": ORDERS,
            "axes": AXES,
            "found": find_numbers(),
        },
        uses=("drag",),
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
    """Return what the drawing shows: paths of each stack, and the sentence below.

    Args:
        depth: The place of the depth in `DEPTHS`.
        measure: One of `MEASURES`.
        none: Whether stacks without norms are shown too.
    """
    layers, found = DEPTHS[depth], find_numbers()[measure]
    axis = AXES.get(f"{measure} none", AXES[measure]) if none else AXES[measure]
    top = find_top(depth)
    picture: dict = {
        "top": top,
        "layers": layers,
        "words": axis[4],
        "logs": axis[0],
        "stacks": {},
        "readout": write_readout(found, measure, layers, none=none),
    }
    room = WIDTH / (3 if none else 2)
    for i, order in enumerate(ORDERS):
        place = (i * room, room - BARS - 14, top, layers)
        if order != "none" or none:
            lines = found.get(f"{order} {layers}", [[], [], []])
            wiring, bars = draw_wiring(order, place), draw_bars(lines, axis, place)
            picture["stacks"][order] = wiring | bars
    return picture


def find_top(depth: int) -> int:
    """Return how high stacks of a depth reach; all steps are equally high."""
    return BOTTOM - RISE * (depth + 1)


def draw_wiring(order: str, place: Sequence) -> dict[str, str]:
    """Draw the stream, a branch for each layer, and the norms as beads on them.

    Args:
        order: One of `ORDERS`.
        place: Left edge, width of the bars, top, and number of layers.
    """
    left, _, top, layers = place
    stream, rise = left + STREAM, (BOTTOM - top) / layers
    branches, beads = [], []
    for layer in range(layers):
        low = BOTTOM - rise * layer
        foot, high = coordinate(low - 0.15 * rise), coordinate(low - 0.7 * rise)
        branches.append(
            f"M{coordinate(stream)} {foot}h{BRANCH}V{high}H{coordinate(stream)}"
        )
        x, share = (stream, 0.9) if order == "post" else (stream + BRANCH, 0.42)
        beads.append(f"M{coordinate(x)} {coordinate(low - share * rise)}h0")
    if order == "pre":
        beads.append(f"M{coordinate(stream)} {coordinate(top - LID / 2)}h0")
    return {
        "branch": "".join(branches),
        "beads": "" if order == "none" else "".join(beads),
        "stream": f"M{coordinate(stream)} {BOTTOM + 14}V{coordinate(top - LID)}",
    }


def draw_bars(lines: Sequence, axis: Sequence, place: Sequence) -> dict:
    """Draw a bar for each layer, and the range of three seeds over it.

    Numbers of the stream begin with the input, whose bar lies below the stack.
    """
    left, width, top, layers = place
    rise = (BOTTOM - top) / layers

    def across(number: float) -> str:
        share = (number - axis[1]) / (axis[2] - axis[1])
        return coordinate(left + BARS + width * share)

    def scaled(number: float) -> str:
        return across(log10(number) if axis[0] else number)

    start, bars, ranges = across(axis[1] if axis[0] else 0), [], []
    for i, (mean, least, most) in enumerate(zip(*lines, strict=True)):
        layer = i + 1 + layers - len(lines[0])  # the input is layer 0
        tall = rise if layer else min(rise, INPUT)
        low = BOTTOM - rise * (layer - 1) if layer else BOTTOM + 4 + tall
        upper, lower = coordinate(low - 0.88 * tall), coordinate(low - 0.12 * tall)
        bars.append(f"M{start} {lower}V{upper}H{scaled(mean)}V{lower}Z")
        middle = coordinate(low - tall / 2)
        ranges.append(f"M{scaled(least)} {middle}H{scaled(most)}")
    ticks = [across(tick) for tick in axis[3]]
    return {
        "bars": "".join(bars),
        "range": "".join(ranges),
        "grid": "".join(f"M{tick} {coordinate(top)}V{BOTTOM + 20}" for tick in ticks),
        "ticks": ticks,
        "middle": coordinate(left + BARS + width / 2),
        "note": "" if bars else "no data",
    }


def write_readout(
    found: Mapping[str, list], measure: str, layers: int, *, none: bool
) -> str:
    """Describe what stands at both ends of each stack."""
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


def find_bead(depth: int) -> float:
    """Return how large a norm is drawn in stacks of a depth."""
    return min(7.0, 0.7 * RISE * (depth + 1) / DEPTHS[depth])


def _write_stage(picture: Mapping) -> str:
    """Write the stacks, the lid that a reader drags, and what each color means."""
    top = picture["top"] - LID
    lid = tag("path", class_="lid", data_part="lid", d=f"M4 {top}H{WIDTH - 4}")
    words = f"{picture['layers']} layers"
    shapes = [
        *(_write_stack(order, picture) for order in ORDERS),
        lid,
        tag(
            "text",
            MEASURES[MEASURE] + (", logarithmic" if picture["logs"] else ""),
            class_="note",
            data_part="axis",
            x=WIDTH / 2,
            y=BOTTOM + 52,
        ),
        handle("top", words, at=(HANDLE, top), color="muted", width=78),
    ]
    drawing = tag(
        "svg",
        "\n".join(shapes),
        viewBox=f"0 {-HEAD} {WIDTH} {BOTTOM + 56 + HEAD}",
        class_="stacks",
        role="group",
        aria_label="stacks of layers, with a bar for each layer",
    )
    way = write_step("upward", "each layer reads the stream and adds what it computes")
    style = tag("style", STYLE + _STYLE)
    return f"{style}\n{_write_legend()}\n{drawing}\n{way}"


def _write_stack(order: str, picture: Mapping) -> str:
    """Write one stack with its name above and its ticks below."""
    empty = dict.fromkeys(_SHAPES, "") | {"ticks": ["0"] * 3, "middle": "0", "note": ""}
    stack = picture["stacks"].get(order, empty)
    beads = {"stroke_width": coordinate(find_bead(DEPTH))}
    shapes = [
        tag(
            "path",
            class_=name,
            data_part=f"{order}-{name}",
            d=stack[name],
            **(beads if name == "beads" else {}),
        )
        for name in _SHAPES
    ]
    name = {"class_": "name", "data_part": f"{order}-name"}
    shapes.append(tag("text", ORDERS[order], x=stack["middle"], y=2, **name))
    place = {"class_": "note", "data_part": f"{order}-place"}
    shapes.append(tag("text", PLACES[order], x=stack["middle"], y=18, **place))
    note = {"class_": "note", "data_part": f"{order}-note"}
    shapes.append(tag("text", stack["note"], x=stack["middle"], y=BOTTOM - 12, **note))
    for i, (x, word) in enumerate(zip(stack["ticks"], picture["words"], strict=True)):
        part = f"{order}-tick-{i}"
        shapes.append(
            tag("text", word, class_="note", data_part=part, x=x, y=BOTTOM + 34)
        )
    shown = "inline" if stack["stream"] else "none"
    return tag("g", "\n".join(shapes), data_part=order, display=shown)


def _write_legend() -> str:
    """Write what each color means."""
    stream, norm, bar = (
        tag("b", word, style=f"color: var(--{color})")
        for word, color in (("stream", "query"), ("norm", "key"), ("bar", "output"))
    )
    words = f"{stream}, {norm}, and a {bar} for each layer; thin: range of three seeds"
    return tag("p", words, class_="legend")
