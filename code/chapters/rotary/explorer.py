"""Explorer: two words that one drags, and clock hands that turn with them."""

from collections.abc import Sequence
from math import atan2, degrees, hypot

import torch
from jaxtyping import Float
from torch import Tensor

from chapters.shared.explorer.frame import Explorer
from chapters.shared.explorer.markup import coordinate, fixed, rounded, tag
from chapters.shared.explorer.steps import STYLE, draw_arrow, write_step
from chapters.shared.explorer.words import WORDS, Text
from transformer.layers import RotaryEmbedding, rotary_frequencies

QUERY, KEY = (1.0, 2.0), (3.0, -1.0)  # of each pair, as in the chapter's example
NAMES = ("fast pair", "slow pair")
BASE = 100.0  # the slow pair turns ten times slower
QUERY_AT, KEY_AT, LAST = 4, 6, 20  # positions at first, and the last one
TEXT = Text(
    last=LAST,
    at={"query": QUERY_AT, "key": KEY_AT},
    start=15,
    slot=16.5,
    row=66,
    above=24,
    below=108,
    foot=66,
)
UNIT, INNER = 15, 14  # of a dial: the length 1, and the arc between the hands
WIDTH, HEIGHT, STEP, TALL = 360, 150, 8, 4  # of the curve; a step right, a unit up
_STYLE = """\
.rotary { align-items: center; display: grid; gap: 0.5rem; margin: 0 auto;
  max-width: 52rem; }
.rotary .explorer-grid { display: grid; gap: 0.75rem; grid-template-columns: 1fr 1fr;
  margin-bottom: 0.5rem; }
.rotary .explorer-cell { text-align: center; }
.rotary .explorer-cell span { display: block; font-size: 0.875rem;
  font-variant-numeric: tabular-nums; }
.rotary p { margin: 0; text-align: center; }
.rotary :is(line, path) { fill: none; stroke-width: 3; }
.rotary .thin { stroke-width: 1.5; }
.rotary .query { stroke: var(--query); }
.rotary .key { stroke: var(--key); }
.rotary .hand.key { stroke-dasharray: 7 4; }
.rotary .turn { stroke: var(--ink); stroke-width: 1.5; }
.rotary circle.dot { fill: var(--output); stroke: var(--paper); stroke-width: 1.5; }
.rotary .drop { stroke: var(--output); stroke-dasharray: 2 3; stroke-width: 1.5; }
.rotary .score { color: var(--output); }
@media (min-width: 601px) {
  .rotary { grid-template-columns: minmax(0, 1fr) 1.5rem minmax(0, 1fr); }
  .rotary > :nth-child(3) { grid-column: 3; grid-row: 1 / 3; }
  .rotary > :nth-child(4) { grid-column: 2; grid-row: 2; transform: rotate(180deg); }
  .rotary > :nth-child(5) { grid-column: 1; grid-row: 2; }
  .explorer .rotary text { font-size: 13.5px; }
}
@media (max-width: 600px) {
  .rotary .explorer-cell svg { margin: 0 auto; max-width: 8rem; }
}
"""


def show() -> Explorer:
    """Show two words in a text, a dial for each pair, and the score over the offset."""
    return Explorer(
        chapter="rotary",
        name="rotary",
        title="the score of a turned query and a turned key",
        instruction="Drag <em>cat</em> or <em>dog</em>: the score changes. Drag the "
        "number between them: all hands turn, and it stays.",
        controls=[],
        stage=tag("style", STYLE + _STYLE) + "\n" + _write_stage(),
        readout=_write_readout(),
        data={
            "query": QUERY,
            "key": KEY,
            "text": TEXT.tell(),
            "frequencies": rounded(find_frequencies(), 10),
        },
        uses=("drag", "words"),
    )


def find_frequencies() -> Float[Tensor, " pairs"]:
    """Return the frequency of the fast and of the slow pair."""
    return rotary_frequencies(2 * len(NAMES), base=BASE)


def turn(pair: tuple[float, float], position: int) -> Float[Tensor, "pairs 2"]:
    """Turn a vector, whose pairs are all alike, by the angles of a position."""
    x = torch.tensor(pair * len(NAMES), dtype=torch.float64, device="cpu")[None]
    rotary = RotaryEmbedding(x.size(-1), base=BASE, layout="interleaved")
    return rotary(x, torch.tensor([position], device="cpu")).view(len(NAMES), 2)


def score(offset: Tensor) -> Float[Tensor, "*offset pairs"]:
    """Return what each pair adds to the score at offsets that may be fractions."""
    query, key = complex(*QUERY), complex(*KEY)
    angles = offset[..., None].double() * find_frequencies().to(offset.device)
    product = query.conjugate() * key
    return product.real * angles.cos() - product.imag * angles.sin()


def find_angle(pair: Sequence[float], frequency: float, position: float) -> float:
    """Return where a hand points, in degrees, counterclockwise from the right."""
    return degrees(atan2(pair[1], pair[0]) + frequency * position)


def _write_stage() -> str:
    """Write the text, the dials, and the curve with its numbers, and the way there."""
    turn = write_step("turn", "each hand, by ω times the position of its word")
    multiply = "both lengths, times the cosine of the angle between the hands"
    add = write_step("add", "what both pairs give. Only the offset counts.")
    parts = (
        tag("div", _draw_text() + turn),
        draw_arrow(),
        tag("div", _draw_dials() + write_step("multiply", multiply)),
        draw_arrow(),
        tag("div", _write_sum() + _draw_curve() + add),
    )
    return tag("div", "\n".join(parts), class_="rotary")


def _draw_text() -> str:
    """Draw a text, and two words that stand there."""
    return tag(
        "svg",
        "\n".join(TEXT.draw_places(146) + TEXT.draw_words()),
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        role="group",
        aria_label=f"a text of {LAST + 1} positions, and two words to move",
    )


def _draw_dials() -> str:
    """Draw the hands of query and key on a dial for each pair."""
    query, key = turn(QUERY, QUERY_AT), turn(KEY, KEY_AT)
    parts = (query * key).sum(dim=-1)
    dials = (
        _draw_dial(i, query[i].tolist(), key[i].tolist(), float(parts[i]))
        for i in range(len(NAMES))
    )
    return tag("div", "\n".join(dials), class_="explorer-grid")


def _draw_dial(pair: int, query: list, key: list, part: float) -> str:
    """Draw the hands of one pair, and say what it adds to the score."""
    frequency = float(find_frequencies()[pair])
    arc = _draw_arc(query, key)
    shapes = [
        tag("circle", class_="faint", r=50),
        tag("path", class_="turn", data_part=f"arc-{pair}", d=arc),
    ]
    for name, vector, position in (("query", QUERY, QUERY_AT), ("key", KEY, KEY_AT)):
        tip = coordinate(UNIT * hypot(*vector))
        angle = coordinate(-find_angle(vector, frequency, position))
        place = {"x2": tip, "transform": f"rotate({angle})"}
        part_name = f"{name}-{pair}"
        shapes.append(tag("line", class_=f"hand {name}", data_part=part_name, **place))
    shapes.append(tag("circle", r=3, style="fill: var(--ink)"))
    drawing = tag("svg", "".join(shapes), viewBox="-54 -54 108 108", aria_hidden="true")
    name = f"{NAMES[pair]}, ω = {fixed(frequency, 1)}"
    added = f"adds {tag('b', fixed(part, 2), data_part=f'part-{pair}')}"
    return tag(
        "div",
        drawing + tag("span", name) + tag("span", added),
        class_="explorer-cell",
    )


def _draw_arc(query: list[float], key: list[float]) -> str:
    """Draw the smaller angle from the query's hand to the key's."""
    ends = [
        f"{coordinate(INNER * x / hypot(x, y))} {coordinate(-INNER * y / hypot(x, y))}"
        for x, y in (query, key)
    ]
    clockwise = int(query[0] * key[1] < query[1] * key[0])
    return f"M {ends[0]} A {INNER} {INNER} 0 0 {clockwise} {ends[1]}"


def _draw_curve() -> str:
    """Draw the score over the offset, with a dot at the offset shown."""
    offsets = torch.arange(-4 * LAST, 4 * LAST + 1, device="cpu") / 4
    totals = score(offsets).sum(dim=-1)
    points = zip(offsets.tolist(), totals.tolist(), strict=True)
    path = " L ".join(" ".join(place(*point).values()) for point in points)
    here = place(KEY_AT - QUERY_AT, _find_score())
    dot = {"cx": here["x"], "cy": here["y"]}
    axes = f"M 20 75 H {WIDTH - 20} M 180 4 V {HEIGHT - 22}"
    shapes = [
        tag("path", class_="faint", d=axes),
        tag("path", class_="turn", d=f"M {path}"),
        tag(
            "path", class_="drop", data_part="drop", d=f"M {here['x']} 75 V {here['y']}"
        ),
        tag("circle", class_="dot", data_part="dot", r=7, **dot),
        tag("text", "offset", class_="note end", x=WIDTH - 20, y=91),
    ]
    shapes += [
        tag("text", fixed(tick, 0), class_="note", x=180 + STEP * tick, y=144)
        for tick in (-20, -10, 0, 10, 20)
    ]
    return tag(
        "svg",
        "".join(shapes),
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        role="img",
        aria_label="the score over the offset, key position minus query position",
    )


def place(offset: float, total: float) -> dict[str, str]:
    """Place a score on the curve."""
    return {
        "x": coordinate(WIDTH / 2 + STEP * offset),
        "y": coordinate(HEIGHT / 2 - TALL * total),
    }


def _find_score() -> float:
    """Return the score shown at first."""
    return float((turn(QUERY, QUERY_AT) * turn(KEY, KEY_AT)).sum())


def _write_sum() -> str:
    """Write offset and score, which the script marks when they change."""
    offset = tag("b", str(KEY_AT - QUERY_AT), data_part="offset")
    total = tag("b", fixed(_find_score(), 2), class_="score", data_part="total")
    return tag("p", f"offset {offset}, score {total}")


def _write_readout() -> str:
    """Describe in words what is shown at first."""
    query, key = WORDS.values()
    return (
        f"The query of {query} at {QUERY_AT} and the key of {key} at {KEY_AT} have the "
        f"score {fixed(_find_score(), 2)}. Any two positions with "
        f"offset {KEY_AT - QUERY_AT} have it."
    )
