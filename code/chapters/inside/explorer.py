"""Explorer: all heads of a real model, and where each of them looks in five texts."""

from collections.abc import Sequence
from functools import cache

from chapters.inside.all_heads import HEADS, LAYERS, MEASUREMENTS
from chapters.inside.packed import PARTS, Head, unpack
from chapters.shared.explorer.frame import Explorer, choice, draw_pointer, slider
from chapters.shared.explorer.markup import fixed, tag

TEXTS = {
    "boats": "two boats",
    "names": "Anna and Tom",
    "code": "code",
    "twice": "random words, twice",
    "mixed": "random words, then shuffled",
}
KINDS = {
    "first": "the first word",
    "before": "the word before",
    "after": "what followed an earlier copy",
    "itself": "the word itself",
}
FIRST = {"text": "boats", "kind": "before", "head": 16 * HEADS, "row": 8}
MOST = 22  # words of the longest text
LEVELS = 10  # shades of the map
MAP_AT, CELL = (24, 30), (13, 12)
TOP, HEIGHT, HIGHEST = 30, 360, 26  # of all words, and the highest row
FROM, TO = 236, 300  # ends of the ribbons
TOLD = 4  # words that are told, at most
_STYLE = """\
.explorer-stage .heads { margin: 0 auto; max-width: 28rem; }
.heads .shades { fill: none; stroke: var(--key); stroke-width: 0.9; }
.heads .ribbons { fill: var(--key); }
.heads .others { fill: var(--muted); opacity: 0.3; }
.heads .room, .heads .pick { fill: transparent; }
.explorer .heads .mark { fill: none; stroke: var(--ink); stroke-width: 2; }
.explorer .heads .halo { fill: none; opacity: 1; stroke: var(--query);
  stroke-width: 0; }
.explorer .heads .explorer-handle:focus-visible .halo { fill: none; stroke-width: 3; }
.explorer .heads .queries text { fill: var(--query); text-anchor: end; }
.explorer .heads .keys text { fill: var(--key); text-anchor: start; }
.explorer .heads .chosen { font-weight: 700; }
[data-alive] .heads .pick { cursor: pointer; }
@media (min-width: 601px) {
  .explorer .heads text { font-size: 11px; }
}
@media print { .explorer-stage .heads { max-width: 22rem; } }
"""


def show() -> Explorer:
    """Show a map of 270 heads, and the words between which one of them looks."""
    picture, words = look(**FIRST), find_words(FIRST["text"])
    return Explorer(
        chapter="inside",
        name="inside",
        title="the 270 heads of SmolLM2-135M in five short texts",
        instruction="Press the strongest squares: these heads look one word back, in "
        "every text. Then take <em>random words, twice</em>, and the weight on "
        "<em>what followed an earlier copy</em>: other heads are strong now.",
        controls=[
            choice("text", "text", TEXTS, value=FIRST["text"]),
            choice("kind", "weight on", KINDS, value=FIRST["kind"]),
            slider(
                "row",
                "word",
                low=0,
                high=len(words) - 1,
                value=FIRST["row"],
                shown=words[FIRST["row"]],
            ),
        ],
        stage=_write_stage(picture, words),
        readout=picture["readout"],
        data={
            "first": FIRST["head"],
            "kinds": KINDS,
            "texts": {
                row["text"]: [row["words"], row["weights"]]
                for row in MEASUREMENTS.read()
            },
        },
        uses=("drag",),
    )


@cache
def _find_rows() -> dict[str, dict]:
    return {row["text"]: row for row in MEASUREMENTS.read()}


def find_words(text: str) -> list[str]:
    """Return the words of a text, one for each token."""
    return _find_rows()[text]["words"]


@cache
def find_heads(text: str) -> list[Head]:
    """Return where all heads look in a text, one layer after the other."""
    packed, words = _find_rows()[text]["weights"], find_words(text)
    return unpack(packed, heads=LAYERS * HEADS, words=len(words))


def find_places(kind: str, words: Sequence[str]) -> list[tuple[int, int]]:
    """Return from which words to which a kind of weight goes.

    The first two words do not count: there the word before, the first word and the word
    itself cannot be told apart.
    """
    places = []
    for i in range(2, len(words)):
        copies = [j for j in range(i - 1) if words[j] == words[i]]
        to = {"first": 0, "before": i - 1, "itself": i}.get(kind)
        if kind == "after" and copies:
            to = copies[-1] + 1
        if to is not None:
            places.append((i, to))
    return places


def add_up(head: Head, places: Sequence[tuple[int, int]]) -> int:
    """Add up the weights of a head at some places, in parts."""
    return sum(head[i][j] for i, j in places)


def look(text: str, kind: str, head: int, row: int) -> dict:
    """Return what the drawing shows: paths, and the sentence below.

    Args:
        text: One of `TEXTS`.
        kind: One of `KINDS`.
        head: Which head is looked at, counted from 0 through all layers.
        row: From which word.
    """
    words, heads = find_words(text), find_heads(text)
    row = min(row, len(words) - 1)
    places, rows = find_places(kind, words), heads[head]
    ribbons = [draw_ribbons(parts, i, len(words)) for i, parts in enumerate(rows)]
    return {
        "row": row,
        "shades": draw_map([add_up(each, places) for each in heads], len(places)),
        "ribbons": ribbons[row],
        "others": "".join(ribbons[:row] + ribbons[row + 1 :]),
        "readout": f"Head {name_head(head)} at “{words[row]}”: "
        f"{tell_row(rows[row], words)}. In this text it gives "
        f"{say_share(add_up(rows, places), len(places))} to {KINDS[kind]}.",
    }


def name_head(head: int) -> str:
    """Write a head as its layer and its number there, both from 1."""
    return f"{head // HEADS + 1}.{head % HEADS + 1}"


def say_share(parts: int, rows: int) -> str:
    """Write the mean of so many weights in percent."""
    return f"{fixed(100 * parts / (PARTS * rows), 0)} %"


def tell_row(row: Sequence[int], words: Sequence[str]) -> str:
    """Tell the largest weights of a row, the largest first."""
    pairs = zip(row, words[: len(row)], strict=True)
    told = sorted((pair for pair in pairs if pair[0]), key=lambda pair: -pair[0])
    return ", ".join(
        f"“{word}” {100 * parts // PARTS} %" for parts, word in told[:TOLD]
    )


def draw_map(sums: Sequence[int], rows: int) -> list[str]:
    """Draw a line for each head, in a path for each shade; the scale is below."""
    shades = [f"M{level - 1} {LAYERS + 2}h.9" for level in range(LEVELS)]
    for head, parts in enumerate(sums):
        level = min(LEVELS * parts // (PARTS * rows), LEVELS - 1)
        layer, number = divmod(head, HEADS)
        shades[level] += f"M{number} {LAYERS - 1 - layer}h.9"
    return shades


def find_y(place: float, words: int) -> float:
    """Return how far below the top a word stands."""
    return TOP + min(HEIGHT / words, HIGHEST) * (place + 0.5)


def draw_ribbons(row: Sequence[int], i: int, words: int) -> str:
    """Draw a ribbon from a word to each that it looks at, as wide as the weight."""
    rise, middle = min(HEIGHT / words, HIGHEST), (FROM + TO) / 2
    left, path = find_y(i, words) - 0.4 * rise, ""
    for j, parts in enumerate(row):
        if parts:
            wide = 0.8 * rise * parts / PARTS
            right = find_y(j, words) - wide / 2
            a, b, c, d = (fixed(y, 1) for y in (left, right, right + wide, left + wide))
            path += (
                f"M{FROM} {a}C{middle:g} {a} {middle:g} {b} {TO} {b}"
                f"V{c}C{middle:g} {c} {middle:g} {d} {FROM} {d}Z"
            )
            left += wide
    return path


def _write_stage(picture: dict, words: Sequence[str]) -> str:
    """Write the map of heads, the two lists of words, and the ribbons between them."""
    shapes = [
        _write_map(picture["shades"]),
        tag("path", class_="others", data_part="others", d=picture["others"]),
        tag("path", class_="ribbons", data_part="ribbons", d=picture["ribbons"]),
        _write_words("queries", FROM - 5, words),
        _write_words("keys", TO + 5, words),
        tag("rect", class_="pick", x=170, y=TOP, width=190, height=HEIGHT),
        _write_handle(FIRST["head"]),
    ]
    drawing = tag(
        "svg",
        "\n".join(shapes),
        viewBox="0 0 360 430",
        class_="heads",
        role="group",
        aria_label="a map of heads, and the words between which one of them looks",
    )
    return f"{tag('style', _STYLE)}\n{drawing}"


def _write_map(shades: Sequence[str]) -> str:
    """Write the map with its layers from the bottom up, and its scale."""
    (x, y), (wide, high) = MAP_AT, CELL
    paths = (
        tag("path", data_part=f"shade-{i}", opacity=(i + 0.5) / LEVELS, d=path)
        for i, path in enumerate(shades)
    )
    texts = [
        ("note start", 0, 16, "layer"),
        *(
            ("note end", x - 4, y + high * (LAYERS - layer) + 10, layer)
            for layer in (1, 10, 20, 30)
        ),
        *(
            ("note", x + wide * (number - 0.55), y + high * (LAYERS + 1), number)
            for number in (1, HEADS)
        ),
        ("note", x + 4 * wide, y + high * (LAYERS + 1), "head"),
        ("note end", x - 17, y + high * (LAYERS + 2.9), "0"),
        ("note start", x + 119, y + high * (LAYERS + 2.9), "100 %"),
        ("note end", FROM - 5, 16, "a word"),
        ("note start", TO + 5, 16, "looks at"),
    ]
    place = f"translate({x} {y + high / 2:g}) scale({wide} {high})"
    return "\n".join(
        [
            tag("g", "".join(paths), class_="shades", transform=place),
            tag("rect", class_="pick", x=x, y=y, width=117, height=LAYERS * high),
            *(
                tag("text", str(words), class_=kind, x=f"{at:g}", y=f"{under:g}")
                for kind, at, under, words in texts
            ),
        ]
    )


def _write_words(name: str, x: int, words: Sequence[str]) -> str:
    """Write a list of words from the top down, with room for the longest text."""
    texts = (
        tag(
            "text",
            words[i] if i < len(words) else "",
            y=fixed(find_y(i, len(words)) + 4, 1),
            class_="chosen" if name == "queries" and i == FIRST["row"] else None,
        )
        for i in range(MOST)
    )
    place = f"translate({x} 0)"
    return tag("g", "".join(texts), class_=name, data_part=name, transform=place)


def find_middle(head: int) -> tuple[float, float]:
    """Return where on the map the middle of a head is."""
    layer, number = divmod(head, HEADS)
    return (
        MAP_AT[0] + CELL[0] * (number + 0.45),
        MAP_AT[1] + CELL[1] * (LAYERS - layer - 0.5),
    )


def _write_handle(head: int) -> str:
    """Write the frame around a head that a reader drags over the map."""
    plates = (
        tag(
            "rect",
            class_=kind,
            x=f"{-wide / 2:g}",
            y=f"{-high / 2:g}",
            width=wide,
            height=high,
            rx=2,
        )
        for kind, wide, high in (("room", 44, 44), ("halo", 22, 21), ("mark", 15, 14))
    )
    x, y = find_middle(head)
    return tag(
        "g",
        "".join(plates) + draw_pointer(3, 0.5),
        class_="explorer-handle",
        data_part="head",
        transform=f"translate({fixed(x, 2)} {fixed(y, 2)})",
        style="color: var(--ink)",
    )
