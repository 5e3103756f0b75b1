"""Explorer: a shift turns each pair of the sinusoidal encoding, wherever it stands."""

from collections.abc import Sequence

from jaxtyping import Float
from torch import Tensor

from chapters.shared.explorer.frame import Explorer, choice, slider
from chapters.shared.explorer.markup import coordinate, fixed, rounded, tag
from transformer.layers import sinusoidal_frequencies, sinusoidal_table

D_MODEL, BASE = 8, 100.0  # as in the chapter's clocks, so that slow hands move too
PAIRS = D_MODEL // 2
POSITION, OFFSET, PAIR = 3, 2, 1  # at first
LAST_POSITION, LAST_OFFSET = 50, 12
RADIUS, INNER = 50, 22
_STYLE = """\
.explorer math { font-size: 1.1rem; margin: 0.75rem auto; }
.explorer mtable { border: solid currentcolor; border-radius: 6px;
  border-width: 0 1.5px; padding: 0 0.2rem; }
.explorer mtext { font-size: 0.8rem; }
.explorer-cell svg { margin: 0 auto; max-width: 11rem; }
.explorer :is(.old, .new, .turn) { fill: none; stroke-width: 3; }
.explorer .old { stroke: var(--query); }
.explorer .new { stroke: var(--key); stroke-dasharray: 7 4; }
.explorer .turn { stroke: var(--ink); stroke-width: 1.5; }
"""


def show() -> Explorer:
    """Show clocks for the pairs, and the matrix that turns one of them."""
    pairs = {str(pair): f"pair {pair}" for pair in range(PAIRS)}
    return Explorer(
        chapter="sinusoidal",
        name="sinusoidal",
        title="a shift turns each pair of the sinusoidal encoding",
        instruction="Move the position: both vectors change, and the matrix between "
        "them does not. What your last move changed is marked.",
        controls=[
            slider("position", "position t", low=0, high=LAST_POSITION, value=POSITION),
            slider("offset", "offset k", low=0, high=LAST_OFFSET, value=OFFSET),
            choice("pair", "equation of", pairs, value=str(PAIR)),
        ],
        stage=tag("style", _STYLE) + _draw_clocks() + "\n" + _write_equation(),
        readout=_write_readout(),
        data={"frequencies": rounded(find_frequencies(), 10)},
    )


def find_frequencies() -> Float[Tensor, " pairs"]:
    """Return the frequency of each pair."""
    return sinusoidal_frequencies(D_MODEL, base=BASE)


def encode(position: int) -> Float[Tensor, "pairs 2"]:
    """Return sine and cosine of each pair at a position."""
    table = sinusoidal_table(position + 1, D_MODEL, base=BASE)
    return table[position].unflatten(0, (PAIRS, 2))


def _draw_clocks() -> str:
    """Draw a clock for each pair."""
    start, end = encode(POSITION).tolist(), encode(POSITION + OFFSET).tolist()
    clocks = (_draw_clock(pair, start[pair], end[pair]) for pair in range(PAIRS))
    return tag("div", "\n".join(clocks), class_="explorer-grid")


def _draw_clock(pair: int, start: Sequence[float], end: Sequence[float]) -> str:
    """Draw the hand of a pair at the position, and at the position plus the offset."""
    shapes = (
        tag("circle", class_="faint", r=RADIUS),
        tag("line", class_="faint", y1=-RADIUS, y2=6 - RADIUS),
        tag("path", class_="turn", data_part=f"arc-{pair}", d=_draw_arc(start, end)),
        tag("line", class_="old", data_part=f"start-{pair}", **_find_tip(start)),
        tag("line", class_="new", data_part=f"end-{pair}", **_find_tip(end)),
    )
    drawing = tag("svg", "".join(shapes), viewBox="-54 -54 108 108", aria_hidden="true")
    frequency = float(find_frequencies()[pair])
    name = tag("span", f"pair {pair}, ω = {fixed(frequency, 3)}")
    turn = tag("b", fixed(frequency * OFFSET, 2), data_part=f"turn-{pair}")
    return tag(
        "div", drawing + name + tag("span", f"turned by {turn}"), class_="explorer-cell"
    )


def _find_tip(pair: Sequence[float]) -> dict[str, str]:
    """Place the tip of a hand: the sine points to the right, the cosine up."""
    sine, cosine = pair
    return {"x2": coordinate(RADIUS * sine), "y2": coordinate(-RADIUS * cosine)}


def _draw_arc(start: Sequence[float], end: Sequence[float]) -> str:
    """Draw the turn from one hand to the other: clockwise, less than half a turn."""
    tips = [
        f"{coordinate(INNER * sine)} {coordinate(-INNER * cosine)}"
        for sine, cosine in (start, end)
    ]
    return f"M {tips[0]} A {INNER} {INNER} 0 0 1 {tips[1]}"


def _write_equation() -> str:
    """Write the rotation of one pair as an equation of numbers."""
    start, end = (
        encode(POSITION)[PAIR, :, None],
        encode(POSITION + OFFSET)[PAIR, :, None],
    )
    sine, cosine = encode(OFFSET)[PAIR].tolist()
    parts = (
        _write_matrix("end", end.tolist(), f"position {POSITION + OFFSET}"),
        tag("mo", "="),
        _write_matrix("turn", [[cosine, sine], [-sine, cosine]], f"offset {OFFSET}"),
        _write_matrix("start", start.tolist(), f"position {POSITION}"),
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
    """Describe in words what the equation shows."""
    turn = fixed(float(find_frequencies()[PAIR]) * OFFSET, 2)
    return (
        f"From position {POSITION} to {POSITION + OFFSET}, the hand of pair {PAIR} "
        f"turns by {turn} radians. From any other position, offset {OFFSET} turns it "
        "by the same matrix."
    )
