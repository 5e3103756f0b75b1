"""Explorer: all heads of a real model, and where each of them looks in five texts."""

from chapters.inside.all_heads import MEASUREMENTS
from chapters.shared.explorer.frame import Explorer, choice, slider

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


def show() -> Explorer:
    """Show a map of 270 heads, and the words between which one of them looks."""
    texts = {row["text"]: [row["words"], row["weights"]] for row in MEASUREMENTS.read()}
    last = len(texts["boats"][0]) - 1
    return Explorer(
        chapter="inside",
        name="inside",
        title="the 270 heads of SmolLM2-135M in five short texts",
        instruction="Press the strongest squares: these heads look one word back, in "
        "every text. Then take <em>random words, twice</em>, and the weight on "
        "<em>what followed an earlier copy</em>: other heads are strong now.",
        controls=[
            choice("text", "text", TEXTS, value="boats"),
            choice("kind", "weight on", KINDS, value="before"),
            slider("row", "word", low=0, high=last, value=8),
        ],
        data={"kinds": KINDS, "texts": texts},
        uses=("drag",),
    )
