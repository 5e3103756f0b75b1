"""Explorer: a beam search on the trained translator, step by step."""

from collections.abc import Mapping, Sequence
from functools import cache

from chapters.decoding.beam_traces import (
    ENDED,
    GOES_ON,
    MEASUREMENTS,
    PENALTIES,
    SHOWN,
    WIDTHS,
)
from chapters.shared.explorer.frame import Explorer, choice, slider
from chapters.shared.explorer.markup import fixed, rounded, tag
from transformer.data import english, french
from transformer.decoding import length_divisor

FIRST = {"number": str(SHOWN[0]), "width": 4, "penalty": "0.6", "step": 5}
GIVEN_UP = "given up"  # of a text that goes on, when the search is over
ROWS, ENDS = 2 * max(WIDTHS), 5  # rows of the two tables
PLACES = 3  # decimals of the sums
_STYLE = """\
.explorer label { max-width: 100%; }
.explorer select { min-width: 0; }
.explorer .beam { border: 0; border-collapse: collapse; margin: 0 0 0.75rem;
  width: 100%; }
.explorer .beam :is(td, th) { background: none; border: 0; color: var(--ink);
  border-bottom: 1px solid var(--faint); font-weight: inherit; line-height: 1.3;
  padding: 0.2rem 0.3rem; text-align: left; }
.explorer .beam caption { color: var(--ink); font-weight: 700; text-align: left; }
.explorer .beam :is(td, th):nth-child(2), .explorer .beam :is(td, th):nth-child(3) {
  font-variant-numeric: tabular-nums; text-align: right; }
.explorer .beam td:nth-child(n + 2) { white-space: nowrap; }
.explorer .beam th { color: var(--muted); }
.explorer .beam .live { font-weight: 700; }
.explorer .beam .ended > td { color: var(--query); font-weight: 700; }
.explorer .beam-room { min-height: 33rem; }
@media (min-width: 601px) {
  .explorer .beam-room { font-size: 0.875rem; min-height: 31rem; }
}
"""


def show() -> Explorer:
    """Show one step of a search: what it considers, and what has ended so far."""
    picture = look(**FIRST)
    texts = {str(number): english(number) for number in SHOWN}
    penalties = {str(penalty): str(penalty) for penalty in PENALTIES}
    told = f"{FIRST['step']} of {picture['steps']}"
    place = {"value": FIRST["step"], "shown": told}
    return Explorer(
        chapter="decoding",
        name="decoding",
        title="a beam search on the trained translator, step by step",
        instruction="Go back and forward through the search, then set the width to 1: "
        "that is greedy decoding.",
        controls=[
            choice("number", "translate", texts, value=FIRST["number"]),
            slider("width", "width", low=1, high=max(WIDTHS), value=FIRST["width"]),
            choice("penalty", "length penalty", penalties, value=FIRST["penalty"]),
            slider("step", "step", low=1, high=picture["steps"], **place),
            tag("button", "back", type="button", data_part="back"),
            tag("button", "forward", type="button", data_part="forward"),
        ],
        stage=tag("style", _STYLE) + "\n" + _write_tables(picture),
        readout=picture["readout"],
        controls_first=True,
        data={"right": find_right(), "searches": find_searches()},
    )


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


def find_right() -> dict[str, str]:
    """Return the right translation of each number."""
    return {str(number): french(number) for number in SHOWN}


def look(number: str, width: int, penalty: str, step: int) -> dict:
    """Return what the tables show after a step.

    Args:
        number: Which number is translated.
        width: How many texts are followed.
        penalty: The length penalty.
        step: Steps that were made; no more than the search has.

    Returns:
        rows: text, sum, score and fate of each candidate; done: text and score of the
        best texts that have ended; steps: how many there are; readout: in words.
    """
    search = find_searches()[f"{number} {width}"]
    steps, *winner = search["ends"][penalty]
    step = min(step, steps)
    candidates = [
        [
            write_text(search, n, place),
            nats,
            nats / length_divisor(n + 1, float(penalty)),
            GIVEN_UP if fate == GOES_ON and n == steps - 1 else fate,
        ]
        for n, found in enumerate(search["steps"][:step])
        for place, (_, _, nats, fate) in enumerate(found)
    ]
    rows = candidates[-len(search["steps"][step - 1]) :]
    done = [(text, score) for text, _, score, fate in candidates if fate == ENDED]
    done = sorted(done, key=lambda pair: -pair[1])
    best = write_text(search, *winner)
    picture = {
        "step": step,
        "steps": steps,
        "rows": [[t, fixed(n, 2), fixed(s, 2), fate] for t, n, s, fate in rows],
        "done": [[text, fixed(score, 2)] for text, score in done[:ENDS]],
    }
    return picture | {"readout": write_readout(picture, len(done), best, number)}


def write_text(search: Mapping, step: int, place: int) -> str:
    """Write the text of a candidate; pieces of one word are joined."""
    words: list[str] = []
    while step >= 0:
        parent, word, *_ = search["steps"][step][place]
        words.insert(0, "[end]" if word == "end" else word)
        step, place = step - 1, parent
    return " ".join(words).replace(" ##", "").removeprefix("##")


def write_readout(picture: Mapping, ended: int, best: str, number: str) -> str:
    """Describe how many texts live and have ended, or at the end which one wins."""
    step, steps = picture["step"], picture["steps"]
    start = f"Step {step} of {steps}: "
    if step < steps:
        live = sum(row[3] == GOES_ON for row in picture["rows"])
        return f"{start}live {live}, ended so far {ended}."
    right = find_right()[number]
    told = "right" if best == f"{right} [end]" else f"wrong, it should be “{right}”"
    return f"{start}no live text can win any more. “{best}” wins, which is {told}."


def _write_tables(picture: Mapping) -> str:
    """Write what the step considers, and the texts that have ended."""
    heads = ["text", "log P", "score", "fate"]
    considered = _write_table("Best continuations", heads, picture["rows"], "row", ROWS)
    ended = _write_table("Best that have ended", heads[::2], picture["done"], "done", 5)
    return tag("div", considered + ended, class_="beam-room")


def _write_table(
    caption: str, heads: Sequence[str], rows: Sequence, name: str, room: int
) -> str:
    """Write a table in which rows that are not needed are hidden."""
    top = tag("tr", "".join(tag("th", head, scope="col") for head in heads))
    lines = []
    for i in range(room):
        line = rows[i] if i < len(rows) else [""] * len(heads)
        cells = (
            tag("td", cell, data_part=f"{name}-{i}-{j}") for j, cell in enumerate(line)
        )
        hidden = "" if i >= len(rows) else None
        marks = {"class_": find_class(line[-1]), "hidden": hidden}
        lines.append(tag("tr", "".join(cells), data_part=f"{name}-{i}", **marks))
    body = tag("thead", top) + tag("tbody", "\n".join(lines))
    return tag("table", tag("caption", caption) + body, class_="beam")


def find_class(fate: str) -> str | None:
    """Return how a row looks."""
    return {GOES_ON: "live", ENDED: "ended"}.get(fate)
