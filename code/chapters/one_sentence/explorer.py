"""Explorer: every number of the machine, and what made it."""

from chapters.one_sentence.machine import FEATURES, FRENCH, PHRASES, WORDS, Machine
from chapters.shared.explorer.frame import Explorer, choice, slider
from chapters.shared.explorer.markup import rounded

SENTENCES = (*PHRASES, "the garden the red house")
FIRST = "the red house"
SQUARES = ("stood there", "added", "squared")
POWERS = ("number", "largest", "power of e")
PRODUCTS = ("row", "word", "product")
NORMED = "what stood there and what is added, divided by the root of the mean square"
SHARED = "its exponential, divided by the sum of all"
# Each step: where its column ends, whether it is a lower one, the two lines above it,
# how its numbers come about, the columns of its sum, and where they are taken from.
STEPS = {
    "word": (104, 0, "word,", "place", "what the word says, and the hand of its place",
        ("word", "hand", "sum"), ()),
    "norm": (146, 0, "", "norm", NORMED, SQUARES, ("word",)),
    "query": (188, 0, "", "query", "the row times a column of the matrix of wishes",
        ("row", "column", "product"), ("norm",)),
    "score": (92, 1, "", "score", "the query times the row of that word, divided by 3",
        ("query", "its row", "product"), ("query",)),
    "weight": (134, 1, "", "weight", SHARED, POWERS, ("score",)),
    "answer": (230, 0, "", "answer", "what each word hands over, times its weight",
        ("weight", "value", "product"), ("weight",)),
    "sum": (272, 0, "add,", "norm", NORMED, SQUARES, ("norm", "answer")),
    "share": (230, 1, "", "share", "the row times the word, divided by its ones",
        PRODUCTS, ("sum",)),
    "excess": (272, 1, "", "excess", "what the share has above 1.5",
        ("share", "threshold", "sum"), ("share",)),
    "units": (316, 0, "feed-", "forward", "each word, times the excess of its unit",
        ("excess", "word", "product"), ("excess",)),
    "last": (359, 0, "add,", "norm", NORMED, SQUARES, ("sum", "units")),
    "logit": (316, 1, "", "logit", "the row times the word", PRODUCTS, ("last",)),
    "probability": (359, 1, "proba-", "bility", SHARED, POWERS, ("logit",)),
}  # fmt: skip


def show() -> Explorer:
    """Show each step of one row, and the sum that made the number one presses."""
    machine = Machine()
    names = ("look", "gender", "ask", "tell")
    matrices = {name: rounded(getattr(machine, name), 6) for name in names}
    return Explorer(
        chapter="one_sentence",
        name="one_sentence",
        title="every number on the way of one word, and what made it",
        instruction="Press a number, or drag the frame: what made it lights up, and "
        "the whole sum stands beside it. From lit number to lit number you come back "
        "to the word.",
        controls=[
            choice("sentence", "sentence", {s: s for s in SENTENCES}, value=FIRST),
            slider("row", "row", low=0, high=7, value=6),
        ],
        data={
            "steps": STEPS,
            "features": FEATURES,
            "words": dict(zip(WORDS, rounded(machine.embedding, 0), strict=True)),
            "english": WORDS[:6],
            "french": FRENCH,
            "threshold": machine.threshold,
            **matrices,
        },
        uses=("drag",),
        controls_first=True,
    )
