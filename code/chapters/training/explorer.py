"""Explorer: where each head of the trained translator looks."""

from collections.abc import Mapping, Sequence
from functools import cache

from chapters.shared.explorer.frame import Explorer, choice, slider
from chapters.shared.explorer.markup import tag
from chapters.training.translator_attention import MEASUREMENTS
from transformer.data import english

KINDS = {
    "cross": "cross-attention",
    "encoder": "encoder self-attention",
    "decoder": "decoder self-attention",
}
LAYERS = {"0": "1", "1": "2"}
HEADS = {**LAYERS, "2": "3", "3": "4"}
SIZE = 10  # rows and columns of the grid; the longest sentence needs them all
FIRST = {"sentence": "0", "kind": "cross", "layer": "1", "head": "0", "row": 5}
_STYLE = """\
.explorer label { max-width: 100%; }
.explorer select { min-width: 0; }
.explorer .map { border: 0; border-collapse: collapse; font-size: 0.75rem;
  margin: 0 auto; width: auto; }
.explorer .map :is(td, th) { background: none; border: 1px solid var(--paper);
  color: var(--ink); padding: 0; text-align: center; vertical-align: middle; }
.explorer .map td { height: 1.75rem; min-width: 1.7rem; print-color-adjust: exact;
  background: color-mix(in srgb, var(--query) calc(var(--w) * 0.45%), var(--paper)); }
.explorer .map th { font-weight: 400; padding: 0 0.3rem; }
.explorer .map th[scope="row"] { text-align: right; white-space: nowrap; }
.explorer .map th[scope="col"] { height: 5.5rem; text-align: left;
  transform: rotate(180deg); writing-mode: vertical-rl; }
.explorer .map .chosen :is(td, th) { border-block: 2px solid var(--ink); }
.explorer .map .chosen th { font-weight: 700; }
.explorer .map-room { min-height: 27.5rem; }
"""


def show() -> Explorer:
    """Show one map of weights as a grid of percents, and one row of it in words."""
    picture = look(**FIRST)
    sentences = {str(i): english(row["number"]) for i, row in enumerate(find_rows())}
    last = len(picture["rows"]) - 1
    return Explorer(
        chapter="training",
        name="translator_attention",
        title="where each head of the trained translator looks",
        instruction="Point at a row to read its weights, and compare heads 1 and 3 of "
        "layer 2 at <em>cent</em>.",
        controls=[
            choice("sentence", "sentence", sentences, value=FIRST["sentence"]),
            choice("kind", "kind", KINDS, value=FIRST["kind"]),
            choice("layer", "layer", LAYERS, value=FIRST["layer"]),
            choice("head", "head", HEADS, value=FIRST["head"]),
            slider(
                "row",
                "row",
                low=0,
                high=last,
                value=FIRST["row"],
                shown=picture["rows"][FIRST["row"]],
            ),
        ],
        stage=tag("style", _STYLE) + "\n" + _write_grid(picture),
        readout=picture["readout"],
        data={"rows": find_rows()},
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
    """Return what the grid shows: its words, its percents, and a row in words.

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


def _write_grid(picture: Mapping) -> str:
    """Write the grid; rows and columns that a sentence does not need are hidden."""
    columns = [*picture["columns"], *[""] * SIZE][:SIZE]
    head = "".join(
        tag("th", word, scope="col", data_part=f"column-{i}", **_hide(word))
        for i, word in enumerate(columns)
    )
    lines = [_write_line(picture, i) for i in range(SIZE)]
    corner = tag("td", style="--w: 0")
    table = tag("thead", tag("tr", corner + head)) + tag("tbody", "\n".join(lines))
    caption = "weights in percent; rows are queries, columns are keys"
    return tag(
        "div",
        tag("p", caption, style="text-align: center")
        + tag("table", table, class_="map", aria_label=caption),
        class_="map-room",
    )


def _write_line(picture: Mapping, i: int) -> str:
    """Write one row of the grid."""
    is_there = i < len(picture["rows"])
    weights = picture["weights"][i] if is_there else []
    numbers = [*weights, *[None] * SIZE][:SIZE]
    cells = "".join(
        tag(
            "td",
            "" if number is None else str(number),
            style=f"--w: {number or 0}",
            data_part=f"cell-{i}-{j}",
            hidden="" if j >= len(picture["columns"]) else None,
        )
        for j, number in enumerate(numbers)
    )
    name = picture["rows"][i] if is_there else ""
    return tag(
        "tr",
        tag("th", name, scope="row", data_part=f"name-{i}") + cells,
        class_="chosen" if i == picture["row"] else None,
        data_part=f"line-{i}",
        **_hide(name),
    )


def _hide(word: str) -> dict[str, str]:
    """Hide what has no word."""
    return {} if word else {"hidden": ""}
