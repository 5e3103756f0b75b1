"""Explorer: the tree that a beam search on the trained translator grows."""

from collections.abc import Mapping, Sequence
from functools import cache
from math import ceil, exp

from chapters.decoding.beam_traces import (
    DROPPED,
    ENDED,
    GOES_ON,
    MEASUREMENTS,
    PENALTIES,
    SHOWN,
    WIDTHS,
)
from chapters.shared.explorer.frame import Explorer, choice, handle, slider
from chapters.shared.explorer.markup import coordinate, fixed, rounded, tag
from chapters.shared.explorer.ribbon import ribbon
from transformer.data import english, french
from transformer.decoding import length_divisor

FIRST = {"number": str(SHOWN[0]), "width": 4, "penalty": "0.6", "step": 5}
FOLLOWED = (4, 1)  # at first: the step and the place of a candidate, both from 0
GIVEN_UP = "given up"  # of a text that goes on, when the search is over
ENDS = 5  # rows of the table of texts that have ended
PLACES = 3  # decimals of the sums
WIDTH, HEIGHT, LEFT = 370, 460, 44  # of the drawing, and where the tree begins
TRUNK, ROOT, RISE, TALL = 68, 24, 62, 400  # of the tree: largest step, and all steps
BRANCH = 26  # width of a branch whose text is certain
STEPS_AT = 16  # steps from the left
# Widths: of a letter, of what a plate has beside its word, of what is free beside a
# plate, of an end, and of a candidate without a word.
LETTER, RIM, FREE, END, SPECK = 6.2, 10, 2, 18, 6
UNDER = 21  # how far below a candidate whose word is not written the plate stands
PATHS = ("gone", "live", "followed", "drops", "ends")
_STYLE = """\
.explorer label { max-width: 100%; }
.explorer select { min-width: 0; }
.beam { align-items: center; display: grid; gap: 1rem;
  grid-template-columns: 3fr 2fr; max-width: 50rem; }
.beam > p { grid-column: 1 / -1; margin: 0; text-align: center; }
.beam path { stroke-linecap: round; }
.beam path.live { fill: var(--query); opacity: 0.45; }
.beam path.followed { fill: var(--output); }
.beam .drops { stroke: var(--muted); stroke-width: 4; }
.beam .ends { stroke: var(--value); stroke-width: 10; }
.explorer .beam text { font-size: 11px; }
.beam text.live { font-weight: 600; }
.beam div p { font-size: 0.875rem; min-height: 1.5em; }
@media (max-width: 600px) { .beam { grid-template-columns: 1fr; } }
"""


def show() -> Explorer:
    """Show the tree of a search after some steps, and what has ended so far."""
    picture = look(**FIRST)
    texts = {str(number): english(number) for number in SHOWN}
    penalties = {str(penalty): str(penalty) for penalty in PENALTIES}
    search = find_searches()[f"{FIRST['number']} {FIRST['width']}"]
    return Explorer(
        chapter="decoding",
        name="decoding",
        title="a beam search on the trained translator, as a tree that grows",
        instruction="Drag the number of the step: the tree grows, and branches that "
        "the beam drops fade. Press a word to follow it. Width 1 is greedy decoding.",
        controls=[
            choice("number", "translate", texts, value=FIRST["number"]),
            choice("penalty", "length penalty", penalties, value=FIRST["penalty"]),
            slider("width", "width", low=1, high=max(WIDTHS), value=FIRST["width"]),
        ],
        stage=tag("style", _STYLE) + "\n" + _write_stage(search, picture),
        readout=f"{picture['readout']} You follow "
        f"{tell(search, FIRST['penalty'], FOLLOWED)}",
        controls_first=True,
        data={
            "first": {"step": FIRST["step"], "goal": FOLLOWED},
            "right": find_right(),
            "searches": find_searches(),
        },
        uses=("drag", "ribbon"),
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
    """Return what is told after a step.

    Args:
        number: Which number is translated.
        width: How many texts are followed.
        penalty: The length penalty.
        step: Steps that were made; no more than the search has.

    Returns:
        done: the best texts that have ended after their scores; steps: how many there
        are; readout: in words.
    """
    search = find_searches()[f"{number} {width}"]
    steps, *winner = search["ends"][penalty]
    step = min(step, steps)
    done = [
        (write_text(search, n, place), nats / length_divisor(n + 1, float(penalty)))
        for n, found in enumerate(search["steps"][:step])
        for place, (_, _, nats, fate) in enumerate(found)
        if fate == ENDED
    ]
    done = sorted(done, key=lambda pair: -pair[1])
    live = sum(fate == GOES_ON for *_, fate in search["steps"][step - 1])
    readout = f"Step {step} of {steps}: live {live}, ended so far {len(done)}."
    if step == steps:
        best = write_text(search, *winner)
        readout = f"Step {step} of {steps}: {write_winner(best, number)}"
    return {
        "step": step,
        "steps": steps,
        "done": [f"{fixed(score, 2)} {text}" for text, score in done[:ENDS]],
        "readout": readout,
    }


def write_winner(best: str, number: str) -> str:
    """Describe which text wins, and whether it is right."""
    right = find_right()[number]
    told = "right" if best == f"{right} [end]" else f"wrong, it should be “{right}”"
    return f"no live text can win any more. “{best}” wins, which is {told}."


def tell(search: Mapping, penalty: str, place: Sequence[int]) -> str:
    """Describe one candidate: its text, its sum, its score and its fate."""
    _, _, nats, fate = search["steps"][place[0]][place[1]]
    is_last = place[0] == search["ends"][penalty][0] - 1
    score = nats / length_divisor(place[0] + 1, float(penalty))
    return (
        f"“{write_text(search, *place)}”: log P {fixed(nats, 2)}, score "
        f"{fixed(score, 2)}, {GIVEN_UP if fate == GOES_ON and is_last else fate}."
    )


def write_text(search: Mapping, step: int, place: int) -> str:
    """Write the text of a candidate; pieces of one word are joined."""
    words: list[str] = []
    while step >= 0:
        parent, word, *_ = search["steps"][step][place]
        words.insert(0, "[end]" if word == "end" else word)
        step, place = step - 1, parent
    return " ".join(words).replace(" ##", "").removeprefix("##")


def find_rise(steps: int) -> float:
    """Return how high a step of the tree is, in a search of so many steps."""
    return min(RISE, TALL / steps)


def grow(search: Mapping, penalty: str, step: int) -> list[list[dict]]:
    """Return where each candidate stands, and whether it is still there.

    Those that go on have their word written, and those that are dropped if there is
    room. The plate that follows a candidate is as wide as its word; it stands on it, or
    below a candidate whose word is not written. A candidate is alive if it goes on or
    has ended, or if one that grew from it is alive.
    """
    steps = search["ends"][penalty][0]
    rows: list[list[dict]] = []
    for n, found in enumerate(search["steps"][:step]):
        right, row = LEFT, []
        for place, (parent, piece, nats, fate) in enumerate(found):
            word = piece.removeprefix("##")
            named = fate == GOES_ON or (fate == DROPPED and len(found) < ENDS)
            wide = ceil(LETTER * len(word)) + RIM
            room = max(wide + FREE, 0 if place else 48)
            room = END if fate == ENDED else room if named else SPECK
            right += room
            x, y = right - room / 2, ROOT + find_rise(steps) * (n + 1)
            under = [min(x, WIDTH - wide / 2), y + UNDER]
            at_rim = fate == GOES_ON and n == step - 1 and step < steps
            row.append(
                {
                    "parent": parent,
                    "word": word,
                    "nats": nats,
                    "fate": fate,
                    "named": named,
                    "x": x,
                    "y": y,
                    "alive": fate == ENDED or at_rim,
                    "wide": wide,
                    "at": [x, y] if named else under,
                }
            )
        rows.append(row)
    for n in range(step - 1, 0, -1):
        for node in rows[n]:
            if node["alive"]:
                rows[n - 1][node["parent"]]["alive"] = True
    return rows


def find_branch(nats: float) -> float:
    """Return how wide the branch of a text is: as wide as the text is probable."""
    return max(BRANCH * exp(nats), 1)


def draw(rows: Sequence[list[dict]], steps: int, followed: Sequence[int]) -> dict:
    """Return the tree as paths, drawn on its side, and as words.

    Args:
        rows: What `grow` returns.
        steps: How many steps the search has.
        followed: The step and the place of the candidate whose text is marked.
    """
    paths, rise = dict.fromkeys(PATHS, ""), find_rise(steps)
    root = {"x": TRUNK, "y": ROOT, "nats": 0, "word": "begin"}
    words = [_write(TRUNK, ROOT + 4, "live", root["word"])]
    for n in range(1, steps + 1):
        words.append(_write(STEPS_AT, ROOT + 4 + rise * n, "note", n))
    branches: list[list[str]] = []
    for n, row in enumerate(rows):
        used: dict[int, float] = {}
        branches.append([])
        for node in row:
            parent, x, y = (node[name] for name in ("parent", "x", "y"))
            above = rows[n - 1][parent] if n else root
            wide = find_branch(node["nats"])
            edge = used.get(parent, above["x"] - find_branch(above["nats"]) / 2)
            used[parent] = edge + wide
            branch = ribbon((above["y"] + 9, edge + wide / 2), (y - 9, x), wide)
            branches[n].append(branch)
            paths["live" if node["alive"] else "gone"] += branch
            if not node["named"]:
                dot = f"M{coordinate(y - 4)} {coordinate(x)}h0"
                paths["ends" if node["fate"] == ENDED else "drops"] += dot
                continue
            kind = "live" if node["alive"] else "note"
            words.append(_write(x, y + 4, kind, node["word"]))
    n, place = followed
    while n >= 0:
        paths["followed"] += branches[n][place]
        n, place = n - 1, rows[n][place]["parent"]
    return {"paths": paths, "words": "".join(words)}


def _write(x: float, y: float, kind: str, text: object) -> str:
    return tag("text", str(text), class_=kind, x=coordinate(x), y=coordinate(y))


def _write_stage(search: Mapping, picture: Mapping) -> str:
    """Write the tree with its two handles, and the texts that have ended."""
    rows = grow(search, FIRST["penalty"], FIRST["step"])
    node = rows[FOLLOWED[0]][FOLLOWED[1]]
    word, node["word"] = node["word"], ""  # which stands on the plate
    tree = draw(rows, picture["steps"], FOLLOWED)
    branches = "".join(
        tag("path", class_=f"ribbon {name}", data_part=f"branch-{name}", d=d)
        for name, d in tree["paths"].items()
    )
    low = ROOT + find_rise(picture["steps"]) * FIRST["step"]
    shapes = [
        tag("g", branches, transform="matrix(0 1 1 0 0 0)"),
        tag("g", tree["words"], class_="words", data_part="words"),
        handle("step", str(FIRST["step"]), at=(STEPS_AT, low), color="muted", width=28),
        _write_plate(word, node),
    ]
    drawing = tag(
        "svg",
        "\n".join(shapes),
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        data_part="tree",
        role="group",
        aria_label="the tree of a beam search, which grows downward step by step",
    )
    return tag(
        "div",
        "\n".join((_write_legend(), drawing, _write_ended(picture))),
        class_="beam",
    )


def _write_plate(word: str, node: Mapping) -> str:
    """Write the handle that follows a candidate; the script sets its width."""
    x, y = node["at"]
    plates = []
    for name, rim in (("room", 10), ("halo", 5), ("grip", 0)):
        wide, high = node["wide"] + 2 * rim, 22 + 2 * rim
        place = {"x": -wide / 2, "y": -high / 2, "width": wide}
        place = {key: coordinate(value) for key, value in place.items()}
        plate = {"class_": name, "data_part": name, "height": high, "rx": 11 + rim}
        plates.append(tag("rect", **plate, **place))
    return tag(
        "g",
        "".join(plates) + tag("text", word, y=4, data_part="followed-word"),
        class_="explorer-handle",
        data_part="followed",
        transform=f"translate({coordinate(x)} {coordinate(y)})",
        style="color: var(--output)",
    )


def _write_legend() -> str:
    """Write what colors and widths mean."""
    colors = {"live": "query", "ended": "value", "followed": "output"}
    live, ended, followed = (
        tag("b", word, style=f"color: var(--{color})") for word, color in colors.items()
    )
    words = f"{live}, {ended}, dropped, and {followed}; "
    return tag("p", words + "a branch is as wide as its text is probable")


def _write_ended(picture: Mapping) -> str:
    """Write the best texts that have ended; lines without one are empty."""
    lines = [*picture["done"], *[""] * ENDS][:ENDS]
    told = (tag("p", line, data_part=f"done-{i}") for i, line in enumerate(lines))
    head = tag("b", "Best that have ended, by score", style="color: var(--value)")
    return tag("div", head + "".join(told))
