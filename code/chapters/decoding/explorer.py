"""Explorer: the tree that a beam search on the trained translator grows."""

from functools import cache

from chapters.decoding.beam_traces import MEASUREMENTS, PENALTIES, SHOWN, WIDTHS
from chapters.shared.explorer.frame import Explorer, choice, slider
from chapters.shared.explorer.markup import rounded
from transformer.data import english, french

PLACES = 3  # decimals of the sums


def show() -> Explorer:
    """Show the tree of a search after some steps, and what has ended so far."""
    texts = {str(number): english(number) for number in SHOWN}
    penalties = {str(penalty): str(penalty) for penalty in PENALTIES}
    return Explorer(
        chapter="decoding",
        name="decoding",
        title="a beam search on the trained translator, as a tree that grows",
        instruction="Drag the number of the step: the tree grows, and branches that "
        "the beam drops fade. Press a word to follow it. Width 1 is greedy decoding.",
        controls=[
            choice("number", "translate", texts, value=str(SHOWN[0])),
            choice("penalty", "length penalty", penalties, value="0.6"),
            slider("width", "width", low=1, high=max(WIDTHS), value=4),
        ],
        controls_first=True,
        data={
            "right": {str(number): french(number) for number in SHOWN},
            "searches": find_searches(),
        },
        uses=("drag", "ribbon"),
    )


def winner(number: int, width: int, penalty: float) -> str:
    """Return the text that a stored search finds best."""
    search = find_searches()[f"{number} {width}"]
    _, step, place = search["ends"][str(penalty)]
    words: list[str] = []
    while step >= 0:
        parent, word, *_ = search["steps"][step][place]
        words.insert(0, word)
        step, place = step - 1, parent
    return " ".join(words[:-1]).replace(" ##", "")  # without the end


@cache
def find_searches() -> dict[str, dict]:
    """Return the stored searches by "number width"."""
    return {
        f"{row['number']} {row['width']}": {
            "ends": row["ends"],
            "steps": [
                [
                    [parent, word, rounded(nats, PLACES), fate]
                    for parent, word, nats, fate in step
                ]
                for step in row["steps"]
            ],
        }
        for row in MEASUREMENTS.read()
    }
