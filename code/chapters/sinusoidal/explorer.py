"""Explorer: two words that one drags along the waves of the sinusoidal encoding."""

from collections.abc import Sequence
from math import pi

import torch
from jaxtyping import Float
from torch import Tensor

from chapters.shared.explorer.frame import Explorer, choice
from chapters.shared.explorer.markup import coordinate, fixed, rounded, tag
from chapters.shared.explorer.steps import STYLE, draw_arrow, write_step
from chapters.shared.explorer.words import WORDS, Text
from transformer.layers import sinusoidal_frequencies, sinusoidal_table

D_MODEL, BASE = 8, 100.0  # as in the chapter's clocks, so that slow hands move too
PAIRS = D_MODEL // 2
QUERY_AT, KEY_AT, LAST, PAIR = 6, 9, 24, 1  # at first, and the last position
TOP, LANE, FOOT = 118, 62, 327  # the middle of the first lane, steps, and their end
TEXT = Text(
    last=LAST,
    at={"query": QUERY_AT, "key": KEY_AT},
    start=66,
    slot=12,
    row=62,
    above=24,
    below=FOOT + 38,
    foot=FOOT,
)
CLOCK, RADIUS, INNER = 28, 19, 8  # from the left; its hands, and the arc between them
WIDTH, HEIGHT = 360, TEXT.below + 24
ZERO, STEP, UNIT, TALL = 110, 7, 24, 152  # of the curve: steps right, units up
_STYLE = """\
.waves { align-items: center; display: grid; gap: 0.5rem 0.25rem; margin: 0 auto;
  grid-template-columns: minmax(0, 1fr) 1.5rem minmax(0, 1fr); max-width: 52rem; }
.waves p { font-size: 0.875rem; text-align: center; }
.waves math { margin: 0.5rem auto 0; }
.waves mtable { border: solid currentcolor; border-radius: 6px;
  border-width: 0 1.5px; padding: 0 0.2rem; }
.waves mtext { font-size: 0.8rem; }
.waves path { fill: none; stroke: var(--ink); stroke-width: 1.5; }
.waves .wave { stroke: var(--muted); }
.waves .lane { fill: transparent; }
.waves .chosen { fill: var(--faint); opacity: 0.3; }
[data-alive] .lane { cursor: pointer; }
.waves .name { paint-order: stroke; pointer-events: none; }
.waves .name, .waves .name > :not(.explorer-changed) { stroke: var(--paper);
  stroke-width: 4; }
.waves .name .explorer-changed { stroke: var(--tint); stroke-width: 6; }
.waves path.query { stroke: var(--query); }
.waves path.key { stroke: var(--key); }
.waves .span { stroke-width: 5; }
.waves .hand { stroke-width: 3; }
.waves .key:is(.stem, .hand) { stroke-dasharray: 5 4; }
.waves .level { stroke-dasharray: 1 3; }
.waves .level.key { stroke-dashoffset: 2; }
.waves .dot { stroke-linecap: round; stroke-width: 6; }
.waves .dot.query { stroke-width: 11; }
.waves .drop { stroke: var(--output); stroke-dasharray: 2 3; }
.waves .output { color: var(--output); fill: currentcolor; }
@media (min-width: 601px) { .explorer .waves text { font-size: 13.5px; } }
@media (max-width: 600px) { .waves { grid-template-columns: 1fr; } }
"""


def show() -> Explorer:
    """Show two words on four waves, their dot product, and the matrix between them."""
    pairs = {str(pair): f"pair {pair}" for pair in range(PAIRS)}
    return Explorer(
        chapter="sinusoidal",
        name="sinusoidal",
        title="two words on the waves of the sinusoidal encoding",
        instruction="Drag <em>cat</em> or <em>dog</em>: its hands turn, and the matrix "
        "and the dot product change. Drag the number between them: all hands turn, but "
        "matrix and dot product stay.",
        controls=[choice("pair", "equation of", pairs, value=str(PAIR))],
        stage=tag("style", STYLE + _STYLE) + "\n" + _write_stage(),
        readout=_write_readout(),
        data={
            "text": TEXT.tell(),
            "frequencies": rounded(find_frequencies(), 10),
        },
        uses=("drag", "words"),
        controls_first=True,
    )


def find_frequencies() -> Float[Tensor, " pairs"]:
    """Return the frequency of each pair."""
    return sinusoidal_frequencies(D_MODEL, base=BASE)


def encode(position: int) -> Float[Tensor, "pairs 2"]:
    """Return sine and cosine of each pair at a position."""
    table = sinusoidal_table(position + 1, D_MODEL, base=BASE)
    return table[position].unflatten(0, (PAIRS, 2))


def find_parts(query: int, key: int) -> Float[Tensor, " pairs"]:
    """Return what each pair adds to the dot product of two positions."""
    return (encode(query) * encode(key)).sum(dim=-1)


def _write_stage() -> str:
    """Write the text over its waves, and beside them what two words have in common."""
    encode = "each hand turns by ω a position, and its height is the wave"
    beside = (
        _write_sum(),
        _draw_curve(),
        write_step("multiply and add", "how alike the two hands of each pair point"),
        _write_equation(),
        write_step(
            "turn", "the matrix of the offset, from the hand of cat to that of dog"
        ),
    )
    parts = (
        tag("div", _draw_waves() + write_step("encode", encode)),
        draw_arrow(),
        tag("div", "\n".join(beside)),
    )
    return tag("div", "\n".join(parts), class_="waves")


def _draw_waves() -> str:
    """Draw the text, and for each pair its clock and its wave."""
    lanes = [_draw_lane(pair) for pair in range(PAIRS)]
    turns = draw_arcs(QUERY_AT, KEY_AT)
    shapes = [
        *TEXT.draw_places(FOOT + 12),
        *lanes,
        *TEXT.draw_words(),
        tag("path", data_part="arcs", d=turns),
        *(
            tag("path", class_=f"{kind} {word}", data_part=f"{kind}-{word}", d=d)
            for word in WORDS
            for kind, d in draw_hands(TEXT.at[word]).items()
        ),
        *(_name_lane(pair) for pair in range(PAIRS)),
    ]
    return tag(
        "svg",
        "\n".join(shapes),
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        role="group",
        aria_label=f"a text of {LAST + 1} positions over the waves of {PAIRS} pairs, "
        "and two words to move",
    )


def find_middle(pair: int) -> int:
    """Return how high the middle of a lane is."""
    return TOP + LANE * pair


def _draw_lane(pair: int) -> str:
    """Draw what does not move in the lane of a pair: its clock's face, its wave."""
    middle = find_middle(pair)
    wave = draw_wave(float(find_frequencies()[pair]), middle)
    size = {"width": WIDTH, "height": LANE - 4, "rx": 6, "x": 0, "y": middle - 36}
    kind = "lane chosen" if pair == PAIR else "lane"
    return "".join(
        (
            tag("rect", class_=kind, data_part=f"lane-{pair}", **size),
            tag("circle", class_="faint", r=RADIUS, cx=CLOCK, cy=middle),
            tag("path", class_="wave", d=wave),
        )
    )


def _name_lane(pair: int) -> str:
    """Write the name of a pair, and by how much its hand turns between the words."""
    frequency, y = float(find_frequencies()[pair]), find_middle(pair) - 24
    name = f"pair {pair}, ω = {fixed(frequency, 3)}"
    angle = fixed(frequency * (KEY_AT - QUERY_AT), 2)
    turn = f"turned by {tag('tspan', angle, data_part=f'turn-{pair}')}"
    return "".join(
        (
            tag("text", name, class_="name note start", x=TEXT.start, y=y),
            tag("text", turn, class_="name note end", x=WIDTH - 4, y=y),
        )
    )


def draw_wave(frequency: float, middle: int) -> str:
    """Draw how high a hand reaches at each place, its cosine, through the lane."""
    count = LAST * max(1, round(12 * frequency / pi))  # a point for each place, or more
    places = torch.arange(count + 1, dtype=torch.float64, device="cpu") * LAST / count
    points = (
        f"{coordinate(TEXT.find_slot(place))} {coordinate(middle - RADIUS * height)}"
        for place, height in zip(
            places.tolist(), (frequency * places).cos().tolist(), strict=True
        )
    )
    return f"M{' L'.join(points)}"


def draw_hands(position: int) -> dict[str, str]:
    """Draw all hands of a word, and how high they reach on the waves."""
    drawn, end = (
        {"hand": "", "level": "", "dot": ""},
        coordinate(TEXT.find_slot(position)),
    )
    for pair, (sine, cosine) in enumerate(encode(position).tolist()):
        middle = find_middle(pair)
        x, y = coordinate(CLOCK + RADIUS * sine), coordinate(middle - RADIUS * cosine)
        drawn["hand"] += f"M{CLOCK} {middle}L{x} {y}"
        drawn["level"] += f"M{x} {y}H{end}"
        drawn["dot"] += f"M{end} {y}h0"
    return drawn


def draw_arcs(query: int, key: int) -> str:
    """Draw the turns from one word to the other, each less its full turns."""
    arcs = []
    for pair, frequency in enumerate(find_frequencies().tolist()):
        angle = frequency * (key - query)
        start, end = (
            f"{coordinate(CLOCK + INNER * sine)} "
            f"{coordinate(find_middle(pair) - INNER * cosine)}"
            for sine, cosine in (encode(at)[pair].tolist() for at in (query, key))
        )
        large, clockwise = int(abs(angle) % (2 * pi) > pi), int(angle >= 0)
        arcs.append(f"M{start}A{INNER} {INNER} 0 {large} {clockwise} {end}")
    return "".join(arcs)


def _write_sum() -> str:
    """Write the dot product as the sum of what the pairs add to it."""
    parts = find_parts(QUERY_AT, KEY_AT)
    told = " + ".join(
        tag("span", fixed(float(part), 2), data_part=f"part-{pair}")
        for pair, part in enumerate(parts)
    )
    total = tag("b", fixed(float(parts.sum()), 2), class_="output", data_part="total")
    return tag("p", f"dot product {told} = {total}")


def place(offset: float, total: float) -> tuple[str, str]:
    """Place a dot product on the curve."""
    return coordinate(WIDTH / 2 + STEP * offset), coordinate(ZERO - UNIT * total)


def _draw_curve() -> str:
    """Draw the dot product over the offset, with a dot at the offset shown."""
    angles = torch.arange(-4 * LAST, 4 * LAST + 1, device="cpu")[:, None] / 4
    totals = (angles * find_frequencies().cpu()).cos().sum(dim=-1)
    points = zip(angles[:, 0].tolist(), totals.tolist(), strict=True)
    path = " L ".join(" ".join(place(*point)) for point in points)
    x, y = place(KEY_AT - QUERY_AT, float(find_parts(QUERY_AT, KEY_AT).sum()))
    axes = f"M 8 {ZERO} H {WIDTH - 8} M {WIDTH // 2} 6 V {ZERO + 12}"
    shapes = [
        tag("path", class_="faint", d=axes),
        tag("path", d=f"M {path}"),
        tag("path", class_="drop", data_part="drop", d=f"M{x} {ZERO}V{y}"),
        tag("circle", class_="output", data_part="dot", r=7, cx=x, cy=y),
        tag("text", "offset", class_="note", x=WIDTH // 2, y=TALL - 2),
    ]
    shapes += [
        tag("text", fixed(tick, 0), class_="note", x=180 + STEP * tick, y=TALL - 16)
        for tick in (-20, -10, 0, 10, 20)
    ]
    return tag(
        "svg",
        "".join(shapes),
        viewBox=f"0 0 {WIDTH} {TALL}",
        role="img",
        aria_label="the dot product over the offset, highest at offset 0 and the same "
        "on both sides",
    )


def _write_equation() -> str:
    """Write the rotation of one pair as an equation of numbers."""
    start, end = (encode(at)[PAIR, :, None].tolist() for at in (QUERY_AT, KEY_AT))
    offset = KEY_AT - QUERY_AT
    sine, cosine = encode(offset)[PAIR].tolist()
    parts = (
        _write_matrix("end", end, f"dog at {KEY_AT}"),
        tag("mo", "="),
        _write_matrix("turn", [[cosine, sine], [-sine, cosine]], f"offset {offset}"),
        _write_matrix("start", start, f"cat at {QUERY_AT}"),
    )
    return tag("math", "".join(parts), display="block")


def _write_matrix(name: str, rows: Sequence[Sequence[float]], label: str) -> str:
    """Write a matrix over its label; the script finds numbers by name, row, column."""
    cells = (
        [
            tag("mtd", tag("mn", fixed(number, 3), data_part=f"{name}-{i}{j}"))
            for j, number in enumerate(row)
        ]
        for i, row in enumerate(rows)
    )
    table = tag("mtable", "".join(tag("mtr", "".join(row)) for row in cells))
    return tag("munder", table + tag("mtext", label, data_part=f"{name}-label"))


def _write_readout() -> str:
    """Describe in words what is shown at first."""
    offset = KEY_AT - QUERY_AT
    turn = fixed(float(find_frequencies()[PAIR]) * offset, 2)
    total = fixed(float(find_parts(QUERY_AT, KEY_AT).sum()), 2)
    return (
        f"From cat at {QUERY_AT} to dog at {KEY_AT}, the hand of pair {PAIR} turns by "
        f"{turn} radians. Offset {offset} has this matrix and the dot product {total} "
        "wherever it starts."
    )
