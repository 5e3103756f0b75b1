"""Explorer: logits of a real model on their way to a word, with a cut to drag."""

from chapters.decoding.next_words import LISTED, MEASUREMENTS, TEXTS
from chapters.shared.explorer.frame import Explorer, choice
from chapters.shared.explorer.markup import tag

# What a reader can set, from the narrowest cut to none.
_MANY = (30, 40, 50, 70, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 49_152)
SETTINGS = {
    "top-k": (*range(1, LISTED + 1), *_MANY),
    "top-p": tuple(n / 100 for n in range(1, 101)),
    "min-p": (
        *(n / 100 for n in range(100, 10, -5)),
        *(n / 100 for n in range(10, 0, -1)),
        *(n / 1000 for n in range(9, 0, -1)),
    ),
}
CHOSEN = {"top-k": 5, "top-p": 0.9, "min-p": 0.1}  # of each rule at first


def show() -> Explorer:
    """Show the likeliest words after a beginning, from their logits to a draw."""
    beginnings = {name: f"{text} …" for name, text in TEXTS.items()}
    return Explorer(
        chapter="decoding/sampling",
        name="sampling",
        title="from the logits of a real model to a drawn word",
        instruction="Change the beginning: after five words, the cut lets <em>London"
        "</em> in where <em>Paris</em> is nearly sure, and keeps <em>of</em> out where "
        "many words fit. Drag it. Then cut by top-p and drag the temperature to 1.5: "
        "the line sinks into the thousands.",
        controls=[
            choice("text", "after", beginnings, value="sure"),
            choice("rule", "cut", {rule: rule for rule in SETTINGS}, value="top-k"),
            tag("button", "Draw again", type="button", data_part="draw"),
        ],
        controls_first=True,
        data={
            "chosen": {rule: SETTINGS[rule].index(CHOSEN[rule]) for rule in CHOSEN},
            "settings": SETTINGS,
            "texts": {row["text"]: row for row in MEASUREMENTS.read()},
        },
        uses=("drag",),
    )
