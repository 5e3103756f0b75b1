"""Explorer: a word that one drags, and ribbons to where the translator looks."""

from collections.abc import Mapping, Sequence
from functools import cache

from chapters.shared.explorer.frame import Explorer, choice, handle
from chapters.shared.explorer.markup import tag
from chapters.shared.explorer.ribbon import ribbon
from chapters.training.translator_attention import MEASUREMENTS
from transformer.data import english

KINDS = {
    "cross": "cross-attention",
    "encoder": "encoder self-attention",
    "decoder": "decoder self-attention",
}
LAYERS = {"0": "1", "1": "2"}
HEADS = {**LAYERS, "2": "3", "3": "4"}
SIZE = 10  # words of a column; the longest sentence needs them all
FIRST = {"sentence": "0", "kind": "cross", "layer": "1", "head": "0", "row": 0}
WIDTH, HEIGHT, TOP, LINE = 378, 342, 36, 32  # of the drawing; its first word, and steps
LEFT, RIGHT, ROOM = 112, 248, 22  # ends of the ribbons, and how wide a whole one is
QUERY_AT, STRONG = 72, 30  # of the handle; percents of a line in a small picture
_STYLE = """\
.explorer label { max-width: 100%; }
.explorer select { min-width: 0; }
.looks { margin: 0 auto; max-width: 30rem; }
.explorer .looks text { font-size: 13px; }
.explorer .looks text.query { fill: var(--query); }
.explorer .looks text.key { fill: var(--key); font-weight: 600; }
.explorer .looks .others { opacity: 0.5; }
.explorer .looks .chosen { fill: var(--key); }
.each-head { display: grid; font-size: 0.8125rem; gap: 0.5rem; margin: 0.25rem auto;
  grid-template-columns: repeat(4, minmax(0, 1fr)); max-width: 30rem; width: 100%; }
.explorer .each-head button { border-color: var(--faint); padding: 0.4rem; }
.explorer .each-head [aria-pressed="true"] { border-color: var(--key);
  box-shadow: inset 0 0 0 1px var(--key); }
.each-head svg path { fill: none; opacity: 0.8; stroke: var(--key);
  stroke-width: 1.25; }
.explorer .each-head svg { margin: 0 auto; max-width: 4.5rem; }
@media (min-width: 900px) {
  .explorer:has(.looks) { column-gap: 2rem; display: grid; margin: 0 auto;
    grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); max-width: 52rem; }
  .explorer:has(.looks) > :is(p, output) { grid-column: 1 / -1; }
  .each-head { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .explorer .each-head svg { max-width: 3.25rem; }
}
"""


def show() -> Explorer:
    """Show two columns of words, and ribbons from one to where it looks."""
    picture = look(**FIRST)
    sentences = {str(i): english(row["number"]) for i, row in enumerate(find_rows())}
    return Explorer(
        chapter="training",
        name="translator_attention",
        title="where each head of the trained translator looks",
        instruction="Drag <em>quatre</em> down to the other <em>quatre</em>: the first "
        "looks at <em>eighty</em>, the second at <em>ninety</em>. Then press heads 1 "
        "and 3 of layer 2, which disagree about <em>cent</em>.",
        controls=[
            choice("sentence", "sentence", sentences, value=FIRST["sentence"]),
            choice("kind", "kind", KINDS, value=FIRST["kind"]),
            _write_heads(),
        ],
        stage=tag("style", _STYLE) + "\n" + _draw_words(picture),
        readout=picture["readout"],
        data={
            "first": {name: FIRST[name] for name in ("row", "layer", "head")},
            "rows": find_rows(),
        },
        uses=("drag", "ribbon"),
    )


@cache
def find_rows() -> list[dict]:
    """Return the stored sentences with their words as they are shown."""
    return [
        {side: [shorten(word) for word in row[side]] for side in ("source", "target")}
        | {"number": row["number"], "maps": row["maps"]}
        for row in MEASUREMENTS.read()
    ]


def shorten(piece: str) -> str:
    """Write a piece of a word as it is read: what continues a word has a hyphen."""
    return piece.removeprefix("##")


def look(sentence: str, kind: str, layer: str, head: str, row: int) -> dict:
    """Return what the drawing shows: its words, its percents, and a row in words.

    The rows of cross-attention are named by the words to be written, as in the
    figure of the chapter; those of self-attention by the words that are read.
    """
    told = find_rows()[int(sentence)]
    source, target = told["source"], told["target"]
    names = {
        "encoder": (source, source),
        "decoder": (target, target),
        "cross": ([*target[1:], "end"], source),
    }
    rows, columns = names[kind]
    weights = told["maps"][kind][int(layer)][int(head)]
    row = min(row, len(rows) - 1)
    picture = {"rows": rows, "columns": columns, "weights": weights, "row": row}
    written = [*target[1:], "end"][row] if kind == "decoder" else None
    return picture | {
        "readout": write_readout(kind, rows[row], columns, weights[row], written)
    }


def write_readout(
    kind: str,
    name: str,
    columns: Sequence[str],
    weights: Sequence[int],
    written: str | None,
) -> str:
    """Describe from where a row takes how much, the largest share first."""
    pairs = zip(weights, columns, strict=True)
    told = sorted(((w, c) for w, c in pairs if w > 0), key=lambda pair: -pair[0])
    shares = ", ".join(f"{weight} % from “{word}”" for weight, word in told)
    starts = {
        "cross": f"To write “{name}”",
        "encoder": f"At “{name}”",
        "decoder": f"At “{name}”, to write “{written}”",
    }
    return f"{starts[kind]}, this head takes {shares}."


def find_height(i: int) -> int:
    """Return how high a word stands in its column."""
    return TOP + LINE * i


def draw_ribbons(weights: Sequence[Sequence[int]], row: int) -> str:
    """Draw the ribbons of one word, side by side where they leave it."""
    edge, ribbons = find_height(row) - ROOM / 2, []
    for i, weight in enumerate(weights[row]):
        wide = ROOM / 100 * weight
        edge += wide
        if weight:
            start, end = (LEFT, edge - wide / 2), (RIGHT, find_height(i))
            ribbons.append(ribbon(start, end, wide))
    return "".join(ribbons)


def draw_small(weights: Sequence[Sequence[int]]) -> str:
    """Draw the strong ribbons of a head in small, as lines."""
    return "".join(
        f"M0 {2 + 4 * i}L36 {2 + 4 * j}"
        for i, row in enumerate(weights)
        for j, weight in enumerate(row)
        if weight >= STRONG
    )


def _draw_words(picture: Mapping) -> str:
    """Draw both columns of words, all ribbons, and the handle."""
    weights, row = picture["weights"], picture["row"]
    others = (draw_ribbons(weights, i) for i in range(len(weights)) if i != row)
    shapes = [
        tag("text", "queries", class_="note end", x=LEFT - 8, y=12),
        tag("text", "keys", class_="note start", x=RIGHT + 8, y=12),
        tag("path", class_="ribbon others", data_part="others", d="".join(others)),
        tag(
            "path",
            class_="ribbon chosen",
            data_part="chosen",
            d=draw_ribbons(weights, row),
        ),
        *(_write_line(picture, i) for i in range(SIZE)),
        handle(
            "word",
            picture["rows"][row],
            at=(QUERY_AT, find_height(row)),
            color="query",
            width=76,
        ),
    ]
    drawing = tag(
        "svg",
        "\n".join(shapes),
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        data_part="drawing",
        role="group",
        aria_label="words that look, and ribbons to the words that they look at",
    )
    return tag("div", drawing, class_="looks")


def _write_line(picture: Mapping, i: int) -> str:
    """Write the words of a line, and how much of the key is taken."""
    rows, columns = ([*picture[name], *[""] * SIZE] for name in ("rows", "columns"))
    weight = picture["weights"][picture["row"]][i] if columns[i] else 0
    y = find_height(i) + 4
    kind = "key start" if weight else "note start"
    name = "" if i == picture["row"] else rows[i]  # which stands on the handle
    parts = (
        ("query", name, "query end", LEFT - 8),
        ("key", columns[i], kind, RIGHT + 8),
        ("share", f"{weight} %" if weight else "", "end", WIDTH),
    )
    return "".join(
        tag("text", word, class_=look, data_part=f"{name}-{i}", x=x, y=y)
        for name, word, look, x in parts
    )


def _write_heads() -> str:
    """Write a button with a small picture for each head of each layer."""
    maps = find_rows()[int(FIRST["sentence"])]["maps"][FIRST["kind"]]
    buttons = []
    for layer, of_layer in LAYERS.items():
        for head, of_head in HEADS.items():
            name = f"{layer}-{head}"
            lines = draw_small(maps[int(layer)][int(head)])
            path = tag("path", data_part=f"small-{name}", d=lines)
            picture = tag("svg", path, viewBox="0 0 36 40", aria_hidden="true")
            words = f"layer {of_layer}, head {of_head}"
            button = {"type": "button", "data_part": f"head-{name}"}
            buttons.append(tag("button", picture + words, **button))
    return tag("div", "".join(buttons), class_="each-head")
