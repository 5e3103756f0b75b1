"""Explorer: a query that one drags, whom it listens to, and what it receives."""

from collections.abc import Sequence
from math import hypot

import torch
from jaxtyping import Float
from torch import Tensor

from chapters.shared.explorer.frame import Explorer, handle, slider, switch
from chapters.shared.explorer.markup import coordinate, fixed, rounded, tag
from chapters.shared.explorer.steps import STYLE, draw_arrow, write_step
from chapters.start import gaussian
from transformer.layers import scaled_dot_product_attention

# What a word is found by, (water, money), and what it hands over, (grass, counter).
WORDS = {
    "river": ((2.1, -0.4), (2.0, 0.2)),
    "boat": ((1.6, 1.2), (1.1, -0.6)),
    "loan": ((-0.6, 2.1), (0.2, 2.0)),
    "desert": ((-2.0, 0.3), (-1.7, 0.5)),
    "free": ((0.4, -1.8), (-0.4, -1.6)),
    "the": ((-0.4, -0.5), (0.1, 0.1)),
}
QUERY, SIZE = (1.5, 0.7), 0  # at first
SIZES = tuple(2**power for power in range(1, 11))  # of d_k
KEYS_AT, VALUES_AT = (150, 52), (120, 46)  # middle and unit of each plane
THIN, THICK = 1.5, 6  # strokes of a weight of zero, and what a weight of one adds
LEAST = 0.005  # of a weight that is told in words
TITLE = 14  # height above a plane, where no handle comes
PLATE, EDGE = 64, 50  # width of the handle, and of the longest word
RAY = 2.7  # how far the line of the query goes
ENDS = ("x1", "y1", "x2", "y2")
HULL = (0, 2, 3, 4, 1)  # words whose values are the corners
# Where words stand beside their values, if not to the right and above.
VALUE_WORDS = {
    "river": ("", 0, -18),
    "desert": ("start", -6, -18),
    "the": ("end", -9, -4),
    "boat": ("start", 9, 17),
    "loan": ("start", 11, 5),
}
GAUGES = {"entropy": "entropy", "largest": "largest weight", "trace": "derivative"}
_STYLE = """\
.attention { align-items: center; display: grid; gap: 0.5rem 0.25rem; margin: 0 auto;
  grid-template-columns: minmax(0, 20fr) 1.5rem 12.5rem 1.5rem minmax(0, 16fr);
  max-width: 44rem; }
.attention > * { grid-row: 1; }
.attention > .step { align-self: start; grid-row: 2; }
.attention > .step:nth-of-type(2) { grid-column: 2 / 5; }
.attention > .step:nth-of-type(3) { grid-column: 5; }
.attention > .gauges { grid-column: 1 / -1; grid-row: 3; }
.attention line.key { stroke: var(--key); }
.attention .head { fill: var(--key); }
.attention .feet { stroke: var(--key); stroke-dasharray: 2 3; }
.attention line.query { stroke: var(--query); stroke-width: 4; }
.attention .ray { opacity: 0.5; stroke: var(--query); }
.attention .hull { fill: var(--value); opacity: 0.12; }
.attention circle.dot { fill: var(--value); }
.attention line.output { stroke: var(--output); stroke-width: 4; }
.attention .tip { fill: var(--output); stroke: var(--paper); stroke-width: 1.5; }
.explorer .attention svg :is(text.key, .keys) { fill: var(--key); }
.explorer .attention svg tspan.query { fill: var(--query); }
.explorer .attention svg :is(text.dot, .values) { fill: var(--value); }
.explorer .attention svg tspan.output { fill: var(--output); }
.attention tspan { font-weight: 600; }
.explorer .attention table { border: 0; border-collapse: collapse; margin: 0;
  font-variant-numeric: tabular-nums; width: 100%; }
.explorer .attention :is(td, th) { background: none; border: 0; color: var(--ink);
  font-size: 0.8125rem; font-weight: 400; line-height: 1.2; padding: 0.3rem 0.2rem;
  text-align: right; white-space: nowrap; }
.explorer .attention thead th { color: var(--muted); }
.explorer .attention tbody th { color: var(--key); text-align: left; }
.attention :is(td, th):nth-child(3) { min-width: 2.5rem; width: 60%; }
.explorer .attention thead :nth-child(3) { text-align: center; }
.attention td rect { fill: var(--key); }
.attention td .track { opacity: 0.15; }
@media (min-width: 601px) {
  .explorer .attention svg text { font-size: 15.5px; }
}
@media (max-width: 600px) {
  .attention { gap: 0.25rem; grid-template-columns: minmax(0, 11fr) minmax(0, 10fr); }
  .attention > *, .attention > .step:nth-of-type(n) { grid-area: auto; }
  .attention > p.step:nth-of-type(n) { grid-row: 4; margin: 0; }
  .attention > p.step:first-of-type { grid-row: 2; }
  .attention > svg:first-child, .attention > .step:first-of-type,
  .attention > .gauges { grid-column: 1 / -1; }
  .attention > svg:first-child { margin: 0 auto; max-width: 16rem; }
  .attention > .step.gauges { grid-row: 5; }
  .attention > .arrow { display: none; }
  .attention .room { transform: scale(1.25); }
  .explorer .attention th .arrow { transform: none; }
  .explorer .attention svg text { font-size: 14.5px; }
  .explorer .attention svg:not(:first-child) text { font-size: 17px; }
  .explorer .attention :is(td, th) { padding: 0.3rem 0.1rem; }
  .attention :is(td, th):nth-child(3) { min-width: 1.5rem; }
}
"""


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
            slider(
                "size",
                "dimension dₖ",
                low=0,
                high=len(SIZES) - 1,
                value=SIZE,
                shown=str(SIZES[SIZE]),
            ),
            switch("root", "divide by √dₖ", on=True),
        ],
        stage=_write_stage(),
        readout=_write_readout(),
        data={
            "words": list(WORDS),
            "keys": keys,
            "values": values,
            "query": QUERY,
            "sizes": SIZES,
            "hidden": rounded(find_hidden(), 3),
        },
        uses=("drag",),
        controls_first=True,
    )


def find_vectors(
    query: Sequence[float], size: int
) -> tuple[Float[Tensor, "1 size"], Float[Tensor, "words size"]]:
    """Return the query and the keys with all their features, in float64 on the CPU.

    The first two are those of the plane, the others are random. A smaller size takes
    the first of the same random ones.
    """
    rest = SIZES[-1] - 2
    like = {"dtype": torch.float64, "device": "cpu"}
    hidden = gaussian(1, rest, seed=17), gaussian(len(WORDS), rest, seed=18)
    plane = [query], [key for key, _ in WORDS.values()]
    full = (
        torch.cat((torch.tensor(seen, **like), unseen.to(**like)), dim=-1)[:, :size]
        for seen, unseen in zip(plane, hidden, strict=True)
    )
    return tuple(full)


def find_hidden() -> Float[Tensor, "sizes words"]:
    """Return what the features that the plane does not show add to each score."""
    query, keys = find_vectors((0.0, 0.0), SIZES[-1])
    sums = torch.nn.functional.pad((query * keys).cumsum(dim=-1), (1, 0))
    return sums[:, list(SIZES)].T


def attend(
    query: Sequence[float], size: int, *, root: bool
) -> tuple[Float[Tensor, " words"], Float[Tensor, " words"], Float[Tensor, " 2"]]:
    """Return the scores, the weights and the output of a query, by the package."""
    rows, keys = find_vectors(query, size)
    values = torch.tensor([value for _, value in WORDS.values()]).to(keys)
    scale = size**-0.5 if root else 1.0
    found = scaled_dot_product_attention(
        rows, keys, values, scale=scale, need_weights=True
    )
    return (scale * rows @ keys.T)[0], found.weights[0], found.values[0]


def measure(weights: Float[Tensor, " words"]) -> dict[str, float]:
    """Return entropy, largest weight and trace of the Jacobian of weights."""
    return {
        "entropy": float(torch.special.entr(weights).sum()),
        "largest": float(weights.max()),
        "trace": float((weights * (1 - weights)).sum()),
    }


def _first() -> tuple[Tensor, Tensor, Tensor]:
    return attend(QUERY, SIZES[SIZE], root=True)


def _write_stage() -> str:
    """Write the plane of keys, the scores and weights, and the plane of values."""
    parts = [
        _draw_keys(),
        write_step("scores", "how far each key reaches along the line of the query"),
        draw_arrow(),
        _write_rows(),
        write_step("softmax", "exponentials of the scores, made to sum to one"),
        draw_arrow(),
        _draw_values(),
        write_step("mean", "the values added up, each times its weight"),
        _write_gauges(),
    ]
    stage = tag("div", "\n".join(parts), class_="attention")
    return tag("style", STYLE + _STYLE) + "\n" + stage


def find_place(vector: Sequence[float], plane: tuple[int, int]) -> list[float]:
    """Place a vector in its plane; the second feature points up."""
    middle, unit = plane
    return [middle + unit * float(vector[0]), middle - unit * float(vector[1])]


def find_foot(query: Sequence[float], key: Sequence[float]) -> list[float]:
    """Return where a key meets the line of the query at a right angle."""
    share = (query[0] * key[0] + query[1] * key[1]) / (query[0] ** 2 + query[1] ** 2)
    return [share * query[0], share * query[1]]


def draw_lines(*lines: Sequence[Sequence[float]]) -> str:
    """Draw lines, each through some points."""
    return " ".join(
        "M " + " L ".join(" ".join(map(coordinate, point)) for point in line)
        for line in lines
    )


def draw_ray(query: Sequence[float]) -> str:
    """Draw the line on which the query lies, through the whole plane."""
    far = RAY / hypot(*query)
    ends = ([by * side for side in query] for by in (-far, far))
    return draw_lines([find_place(end, KEYS_AT) for end in ends])


def draw_feet(query: Sequence[float]) -> str:
    """Draw how each key falls on the line of the query."""
    pairs = ((key, find_foot(query, key)) for key, _ in WORDS.values())
    return draw_lines(*([find_place(end, KEYS_AT) for end in pair] for pair in pairs))


def _draw_plane(
    shapes: Sequence[str], plane: tuple, names: Sequence, label: str
) -> str:
    """Draw a plane with its two features; names say what is in it."""
    (middle, _), (across, up, *kinds) = plane, names
    size, end = 2 * middle, 2 * middle - 4
    # Away from the words that stand there.
    side, beside, below = ("start", 6, -6) if "keys" in kinds else ("end", -6, 15)
    title = " and ".join(tag("tspan", kind, class_=kind) for kind in kinds)
    back = [
        tag("path", class_="faint", d=f"M 4 {middle} H {end} M {middle} 24 V {end}"),
        tag("text", title, class_="note start", x=4, y=-2),
        tag("text", across, class_="note end", x=end, y=middle + below),
        tag("text", up, class_=f"note {side}", x=middle + beside, y=34),
    ]
    return tag(
        "svg",
        "\n".join([*back, *shapes]),
        viewBox=f"0 {-TITLE} {size} {size + TITLE}",
        role="group",
        aria_label=label,
    )


def _name_ends(names: Sequence[str], *points: Sequence[float]) -> dict[str, str]:
    """Give coordinates their names."""
    numbers = (number for point in points for number in point)
    return dict(zip(names, map(coordinate, numbers), strict=True))


def _draw_arrow(tip: Sequence[float], word: str, middle: int) -> list[str]:
    """Draw the head of an arrow from the middle, and its word beyond it."""
    x, y = tip[0] - middle, tip[1] - middle
    length = hypot(x, y)
    x, y = x / length, y / length
    corners = [
        (tip[0] - 11 * x + way * 5 * y, tip[1] - 11 * y - way * 5 * x)
        for way in (-1, 1)
    ]
    anchor = "start" if x > 0.5 else "end" if x < -0.5 else None
    beyond = tip[0] + 8 * x, tip[1] + 13 * y + 4
    if beyond[0] < EDGE:  # no room beyond it: above it
        anchor, beyond = "start", (4, tip[1] - 11)
    place = _name_ends("xy", beyond)
    return [
        tag("path", class_="head", d=draw_lines([tip, *corners]) + " Z"),
        tag("text", word, class_=" ".join(filter(None, ("key", anchor))), **place),
    ]


def _draw_keys() -> str:
    """Draw the keys, the query, and where each key meets the line of the query."""
    weights, middle = _first()[1], [KEYS_AT[0]] * 2
    shapes = [
        tag("path", class_="ray", data_part="ray", d=draw_ray(QUERY)),
        tag("path", class_="feet", data_part="feet", d=draw_feet(QUERY)),
    ]
    for i, (word, (key, _)) in enumerate(WORDS.items()):
        tip = find_place(key, KEYS_AT)
        line = {
            "class_": "key glide",
            "data_part": f"key-{i}",
            "stroke_width": coordinate(THIN + THICK * float(weights[i])),
        }
        end = find_place(
            [side * (1 - 8 / KEYS_AT[1] / hypot(*key)) for side in key], KEYS_AT
        )
        shapes.append(tag("line", **line, **_name_ends(ENDS, middle, end)))
        shapes += _draw_arrow(tip, word, KEYS_AT[0])
    tip = find_place(QUERY, KEYS_AT)
    line = {"class_": "query", "data_part": "arrow"} | _name_ends(ENDS, middle, tip)
    shapes += [
        tag("line", **line),
        handle("query", "bank", at=(tip[0], tip[1]), color="query", width=PLATE),
    ]
    names = ("water", "money", "keys", "query")
    label = "the query of bank among the keys of six words"
    return _draw_plane(shapes, KEYS_AT, names, label)


def find_radius(weight: float) -> float:
    """Return how large the dot of a value is: its area grows with the weight."""
    return 3 + 12 * weight**0.5


def _draw_values() -> str:
    """Draw the values as dots as large as their weights, and their mean."""
    _, weights, output = _first()
    places = [find_place(value, VALUES_AT) for _, value in WORDS.values()]
    hull = draw_lines([places[i] for i in HULL]) + " Z"
    shapes = [tag("path", class_="hull", d=hull)]
    for i, (word, (x, y)) in enumerate(zip(WORDS, places, strict=True)):
        side, across, lower = VALUE_WORDS.get(word, ("start", 9, -9))
        beside = x + across, y + lower
        radius = coordinate(find_radius(float(weights[i])))
        dot = {"class_": "dot glide", "data_part": f"dot-{i}", "r": radius}
        shapes += [
            tag("circle", **dot, **_name_ends(("cx", "cy"), (x, y))),
            tag("text", word, class_=f"dot {side}".strip(), **_name_ends("xy", beside)),
        ]
    middle, tip = [VALUES_AT[0]] * 2, find_place(output.tolist(), VALUES_AT)
    line = {"class_": "output", "data_part": "mean"} | _name_ends(ENDS, middle, tip)
    end = {"class_": "tip", "data_part": "tip", "r": 7} | _name_ends(("cx", "cy"), tip)
    shapes += [tag("line", **line), tag("circle", **end)]
    names = ("grass", "counter", "values", "output")
    return _draw_plane(shapes, VALUES_AT, names, "the values, and their weighted mean")


def _write_rows() -> str:
    """Write a row for each word: its score, a bar, and its weight."""
    scores, weights, _ = _first()
    heads = ("", "score", draw_arrow(), "weight")
    top = tag("tr", "".join(tag("th" if h else "td", h) for h in heads))
    rows = []
    for i, word in enumerate(WORDS):
        width = coordinate(100 * float(weights[i]))
        shape = tag("rect", class_="track", width=100, height=10)
        shape += tag(
            "rect", class_="glide", data_part=f"bar-{i}", width=width, height=10
        )
        size = {"viewBox": "0 0 100 10", "preserveAspectRatio": "none"}
        bar = tag("svg", shape, aria_hidden="true", style="height: 10px", **size)
        cells = (
            tag("td", fixed(float(scores[i]), 2), data_part=f"score-{i}"),
            tag("td", bar),
            tag("td", fixed(float(weights[i]), 2), data_part=f"weight-{i}"),
        )
        rows.append(tag("tr", tag("th", word, scope="row") + "".join(cells)))
    body = tag("thead", top) + tag("tbody", "\n".join(rows))
    return tag("table", body, aria_label="score and weight of each word")


def _write_gauges() -> str:
    """Write how soft the weights are."""
    numbers = measure(_first()[1])
    parts = (
        f"{words} {tag('b', fixed(numbers[name], 2), data_part=name)}"
        for name, words in GAUGES.items()
    )
    return tag("div", " · ".join(parts), class_="step gauges")


def _write_readout() -> str:
    """Describe in words what is shown at first."""
    _, weights, output = _first()
    most = sorted(zip(weights.tolist(), WORDS, strict=True), reverse=True)[:3]
    told = [f"{word} {fixed(100 * w, 0)} %" for w, word in most if w >= LEAST]
    x, y = (fixed(float(number), 2) for number in output)
    size = SIZES[SIZE]
    return (
        f"With the query ({fixed(QUERY[0], 1)}, {fixed(QUERY[1], 1)}), bank listens to "
        f"{', '.join(told)}, and receives ({x}, {y}). Scores over {size} features, "
        f"divided by √{size} = {fixed(size**0.5, 1)}."
    )
