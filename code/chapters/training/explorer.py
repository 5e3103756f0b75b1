"""Explorer: a word that one drags, and ribbons to where the translator looks."""

from functools import cache
from itertools import product

from chapters.shared.explorer.frame import Explorer, choice
from chapters.shared.explorer.markup import tag
from chapters.training.translator_attention import MEASUREMENTS
from transformer.data import english

KINDS = {
    "cross": "cross-attention",
    "encoder": "encoder self-attention",
    "decoder": "decoder self-attention",
}


def show() -> Explorer:
    """Show two columns of words, and ribbons from one to where it looks."""
    sentences = {str(i): english(row["number"]) for i, row in enumerate(find_rows())}
    return Explorer(
        chapter="training",
        name="translator_attention",
        title="where each head of the trained translator looks",
        instruction="Drag <em>quatre</em> down to the other <em>quatre</em>: the first "
        "looks at <em>eighty</em>, the second at <em>ninety</em>. Then press heads 1 "
        "and 3 of layer 2, which disagree about <em>cent</em>.",
        controls=[
            choice("sentence", "sentence", sentences, value="0"),
            choice("kind", "kind", KINDS, value="cross"),
            _write_heads(),
        ],
        data={"rows": find_rows()},
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


def _write_heads() -> str:
    """Write a button with room for a small picture for each head of each layer."""
    buttons = []
    for layer, head in product(range(2), range(4)):
        path = tag("path", data_part=f"small-{layer}-{head}")
        picture = tag("svg", path, viewBox="0 0 36 40", aria_hidden="true")
        words = f"layer {layer + 1}, head {head + 1}"
        button = {"type": "button", "data_part": f"head-{layer}-{head}"}
        buttons.append(tag("button", picture + words, **button))
    return tag("div", "\n".join(buttons), class_="each-head")
