"""Explorer: a turned query and a turned key, whose score knows their offset only."""

from math import hypot

import torch
from jaxtyping import Float
from torch import Tensor

from chapters.shared.explorer.frame import Explorer, slider, switch
from chapters.shared.explorer.markup import coordinate, fixed, rounded, tag
from transformer.layers import RotaryEmbedding, rotary_frequencies

QUERY, KEY = (1.0, 2.0), (3.0, -1.0)  # of each pair, as in the chapter's example
NAMES = ("fast pair", "slow pair")
BASE = 100.0  # the slow pair turns ten times slower
QUERY_AT, KEY_AT, LAST = 4, 6, 20  # positions at first, and the last one
UNIT, INNER = 15, 14  # of a dial: the length 1, and the arc between the hands
WIDTH, HEIGHT, STEP, TALL = 360, 150, 8, 4  # of the curve; a step right, a unit up


def show() -> Explorer:
    """Show a dial for a fast and a slow pair, and the score over the offset."""
    return Explorer(
        chapter="rotary",
        name="rotary",
        title="the score of a turned query and a turned key",
        instruction="Drag the two positions, or use the arrow keys. Then let both move "
        "together. Numbers that your last move changed are marked.",
        controls=[
            slider("query", "query at", low=0, high=LAST, value=QUERY_AT),
            slider("key", "key at", low=0, high=LAST, value=KEY_AT),
            switch("both", "move both"),
        ],
        stage="\n".join((_draw_dials(), _write_sum(), _draw_curve())),
        readout=_write_readout(),
        data={
            "query": QUERY,
            "key": KEY,
            "last": LAST,
            "frequencies": rounded(find_frequencies(), 10),
        },
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
    shapes = [tag("circle", class_="faint", r=50)]
    arc = _draw_arc(query, key)
    shapes.append(tag("path", class_="turn", data_part=f"arc-{pair}", d=arc))
    shapes += [
        tag("line", class_=kind, data_part=f"{name}-{pair}", **_find_tip(tip))
        for kind, name, tip in (("old", "query", query), ("new", "key", key))
    ]
    drawing = tag("svg", "".join(shapes), viewBox="-54 -54 108 108", aria_hidden="true")
    name = f"{NAMES[pair]}, ω = {fixed(float(find_frequencies()[pair]), 3)}"
    added = f"adds {tag('b', fixed(part, 2), data_part=f'part-{pair}')}"
    return tag(
        "div",
        drawing + tag("span", name) + tag("span", added),
        class_="explorer-cell",
    )


def _find_tip(pair: list[float]) -> dict[str, str]:
    """Place the tip of a hand; the first feature points right, the second up."""
    return {"x2": coordinate(UNIT * pair[0]), "y2": coordinate(-UNIT * pair[1])}


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
    shapes = [
        tag(
            "path", class_="faint", d=f"M 20 75 H {WIDTH - 20} M 180 12 V {HEIGHT - 22}"
        ),
        tag("path", class_="turn", d=f"M {path}"),
        tag(
            "circle",
            data_part="dot",
            r=6,
            style="fill: var(--orange)",
            **_name_center(here),
        ),
    ]
    shapes += [
        tag(
            "text", str(tick).replace("-", "\N{MINUS SIGN}"), x=180 + STEP * tick, y=144
        )
        for tick in (-20, -10, 0, 10, 20)
    ]
    return tag(
        "svg",
        "".join(shapes),
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        class_="explorer-plot",
        role="img",
        aria_label="the score over the offset, key position minus query position",
    )


def place(offset: float, total: float) -> dict[str, str]:
    """Place a score on the curve."""
    return {
        "x": coordinate(WIDTH / 2 + STEP * offset),
        "y": coordinate(HEIGHT / 2 - TALL * total),
    }


def _name_center(point: dict[str, str]) -> dict[str, str]:
    """Name a point as circles do."""
    return {f"c{axis}": value for axis, value in point.items()}


def _find_score() -> float:
    """Return the score shown at first."""
    return float((turn(QUERY, QUERY_AT) * turn(KEY, KEY_AT)).sum())


def _write_sum() -> str:
    """Write offset and score, which the script marks when they change."""
    offset = tag("b", str(KEY_AT - QUERY_AT), data_part="offset")
    total = tag("b", fixed(_find_score(), 2), data_part="total")
    return tag("p", f"offset {offset}, score {total}", class_="explorer-cell")


def _write_readout() -> str:
    """Describe in words what is shown at first."""
    return (
        f"The query at {QUERY_AT} and the key at {KEY_AT} have the score "
        f"{fixed(_find_score(), 2)}. Any two positions with offset {KEY_AT - QUERY_AT} "
        "have it."
    )
