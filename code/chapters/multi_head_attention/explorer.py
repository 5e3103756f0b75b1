"""Explorer: one vector that two heads read along lines of their own."""

from collections.abc import Mapping, Sequence
from math import cos, radians, sin
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from chapters.shared.explorer.frame import Explorer, choice, handle, switch
from chapters.shared.explorer.markup import coordinate, fixed, tag
from chapters.shared.explorer.steps import STYLE, write_step
from transformer.layers import scaled_dot_product_attention

ROLES = ("query", "key", "value")
QUESTIONS = ("what was lost?", "who lost it?")
# Where the lines of head 1 and head 2 point, in degrees: the columns of each matrix.
ANGLES = {"query": (105, 75), "key": (-30, 210), "value": (60, 120)}
# Without matrices each head is handed one feature for everything.
CUT_ANGLES = dict.fromkeys(ROLES, (0, 90))
W_O = ((1, 1), (1, -1))
THINGS, PERSONS = ("pens", "pen"), ("she", "they")
NUMBERS = {"pens": "many", "pen": "one", "she": "one", "they": "many"}
KEY = 1.6  # of a thing in head 1, and of a person in head 2
LOST = (0.3, 1.8)  # at first
WIDTH, HEIGHT, MIDDLE, UNIT, END = 352, 286, (176, 156), 52, 2.55
PLATE, LEAST = 56, 0.2  # width of the handle, and of an answer that says something
# Where names of lines stand: beyond their ends, or beside an axis for all three.
CUT_NAMES = (
    [[321, 141, "start"], [321, 159, "start"], [321, 177, "start"]],
    [[128, 17, ""], [176, 17, ""], [222, 17, ""]],
)
_STYLE = """\
.heads { display: grid; gap: 0.5rem 1rem; grid-template-columns: 1fr 1fr;
  margin: 0 auto; max-width: 46rem; }
.heads > .all { grid-column: 1 / -1; }
.heads .line { fill: none; opacity: 0.55; stroke: currentcolor; stroke-width: 1.75; }
.heads .foot { fill: none; stroke: currentcolor; stroke-dasharray: 2 3; }
.heads .reach { stroke: currentcolor; stroke-width: 4; }
.heads circle { fill: currentcolor; }
.heads .tip { stroke: var(--paper); stroke-width: 1.5; }
.explorer .heads > div:nth-child(3) [data-part] > .pointer { display: none; }
.heads .output { color: var(--output); }
.explorer .heads svg text:is(.query, .key, .value) { fill: currentcolor;
  font-style: italic; }
.explorer .heads svg .word { font-weight: 600; paint-order: stroke;
  stroke: var(--paper); stroke-width: 3; }
.explorer .heads table { border: 0; border-collapse: collapse; margin: 0 auto;
  font-variant-numeric: tabular-nums; }
.explorer .heads .rows { width: 100%; }
.explorer .heads :is(td, th) { background: none; border: 0; color: inherit;
  font-size: 0.8125rem; font-weight: 400; line-height: 1.2; padding: 0.25rem 0.3rem;
  text-align: right; white-space: nowrap; }
.explorer .heads .query { color: var(--query); }
.explorer .heads .key { color: var(--key); }
.explorer .heads .value { color: var(--value); }
.explorer .heads :is(thead th, .score) { color: var(--muted); }
.explorer .heads th:first-child { text-align: left; }
.heads .rows :nth-child(4) { min-width: 2.5rem; width: 50%; }
.heads td rect { fill: var(--key); }
.heads td .track { opacity: 0.15; }
.explorer .heads .cut td + td { border-left: 2px dashed var(--muted); }
.explorer .heads .cut :is(td, th) { font-size: 0.875rem; padding: 0.2rem 0.6rem; }
.heads .mixed { font-size: 0.9375rem; margin: 0; text-align: center; }
.heads b { color: var(--output); }
@media (min-width: 601px) { .explorer .heads svg text { font-size: 13px; } }
@media (max-width: 600px) {
  .heads { gap: 0.25rem; grid-template-columns: 1fr; }
  .heads > div { margin: 0 auto; max-width: 22rem; width: 100%; }
  .heads > div:not(.all) > svg { margin: -0.25rem auto; max-width: 14.5rem; }
  .heads .room { transform: scale(1.6); }
  .explorer .heads svg text { font-size: 16.5px; }
  .explorer .heads .rows :is(td, th) { padding-block: 0.1rem; }
}
"""


def show() -> Explorer:
    """Show a vector, how two heads read it, and what they bring back."""
    phrases = {
        f"{thing} {person}": f"the {thing} that {person} lost"
        for thing in THINGS
        for person in PERSONS
    }
    first = read(LOST, (THINGS[0], PERSONS[0]))
    return Explorer(
        chapter="multi_head_attention",
        name="multi_head_attention",
        title="one vector that two heads read along lines of their own",
        instruction="Drag <em>lost</em>, in either head: both read the whole vector, "
        "each along lines of its own. Then cut the vector itself, a feature for each "
        "head: at most four of the eight answers are right.",
        controls=[
            choice("phrase", "phrase", phrases, value=f"{THINGS[0]} {PERSONS[0]}"),
            switch("cut", "cut the vector, not its projections"),
        ],
        stage=_write_stage(first),
        readout=write_readout(first, count_right(LOST)),
        data={
            "lost": LOST,
            "places": {word: place_word(word) for word in (*THINGS, *PERSONS)},
            "numbers": NUMBERS,
            "phrases": [phrase.split() for phrase in phrases],
            "lines": [find_lines(cut=cut) for cut in (False, True)],
            "names": [find_names(), CUT_NAMES],
        },
        uses=("drag",),
        controls_first=True,
    )


def place_word(word: str) -> list[float]:
    """Return the vector of a word: its key, and across it +1 for many, -1 for one."""
    head = int(word in PERSONS)
    number = 1 if NUMBERS[word] == "many" else -1
    key, value = (point(ANGLES[role][head]) for role in ("key", "value"))
    return [round(KEY * k + number * v, 3) for k, v in zip(key, value, strict=True)]


def point(degrees: float) -> list[float]:
    """Return the vector of length one that points somewhere."""
    return [round(side(radians(degrees)), 4) + 0.0 for side in (cos, sin)]


def find_lines(*, cut: bool) -> list[list[list[float]]]:
    """Return the lines of each head: (head, role, feature)."""
    angles = CUT_ANGLES if cut else ANGLES
    return [[point(angles[role][head]) for role in ROLES] for head in (0, 1)]


def find_matrices(*, cut: bool = False) -> Float[Tensor, "roles features heads"]:
    """Return the matrices of query, key and value, a column for each head."""
    lines = torch.tensor(find_lines(cut=cut), dtype=torch.float64)
    return lines.permute(1, 2, 0)


def read(
    lost: Sequence[float], words: Sequence[str], *, cut: bool = False
) -> dict[str, Any]:
    """Compute with the package what both heads make of three vectors.

    Args:
        lost: The vector of the word that asks.
        words: The two other words.
        cut: Whether each head gets one feature instead of projections.
    """
    x = torch.tensor([*map(place_word, words), [*lost]], dtype=torch.float64)
    parts = (x @ find_matrices(cut=cut)).unsqueeze(-1).transpose(1, 2)
    query, key, value = parts  # (heads, words, 1)
    found = scaled_dot_product_attention(query, key, value, need_weights=True)
    scores = (query @ key.mT)[:, -1]  # divided by 1, the root of the size of a head
    outputs = found.values[:, -1, 0]
    heads = [
        {
            "query": float(query[head, -1, 0]),
            "keys": key[head, :, 0].tolist(),
            "values": value[head, :, 0].tolist(),
            "scores": scores[head].tolist(),
            "weights": found.weights[head, -1].tolist(),
            "output": float(outputs[head]),
        }
        for head in (0, 1)
    ]
    mixed = outputs @ torch.tensor(W_O, dtype=torch.float64)
    return {
        "words": [*words, "lost"],
        "places": x.tolist(),
        "heads": heads,
        "mixed": mixed.tolist(),
        "cut": cut,
    }


def answer(number: float) -> str:
    """Return what a number says: many, one, or neither."""
    return "neither" if abs(number) < LEAST else "many" if number > 0 else "one"


def count_right(lost: Sequence[float], *, cut: bool = False) -> int:
    """Count the right answers of both heads to all four phrases."""
    phrases = [(thing, person) for thing in THINGS for person in PERSONS]
    return sum(
        answer(head["output"]) == NUMBERS[word]
        for words in phrases
        for word, head in zip(words, read(lost, words, cut=cut)["heads"], strict=True)
    )


def write_readout(found: Mapping[str, Any], right: int) -> str:
    """Describe where both heads look, what they say, and how often that is right."""
    told = []
    for head in found["heads"]:
        most = max(head["weights"])
        word = found["words"][head["weights"].index(most)]
        told.append(
            f"at {word} with {fixed(100 * most, 0)} % and says {answer(head['output'])}"
        )
    first, second = told
    return (
        f"Head 1 looks {first}, head 2 {second}. In the four phrases {right} of 8 "
        "answers are right."
    )


def find_names() -> list[list[list]]:
    """Place the names of the lines beyond their ends."""
    places = []
    for head in (0, 1):
        sides = [point(ANGLES[role][head]) for role in ROLES]
        anchors = ("start" if x > 0.6 else "end" if x < -0.6 else "" for x, _ in sides)
        ends = (
            [round(MIDDLE[0] + 150 * x), round(MIDDLE[1] - 146 * y + 4)]
            for x, y in sides
        )
        places.append([[*end, side] for end, side in zip(ends, anchors, strict=True)])
    return places


def place(vector: Sequence[float]) -> list[float]:
    """Place a vector in the drawing; the second feature points up."""
    return [MIDDLE[0] + UNIT * vector[0], MIDDLE[1] - UNIT * vector[1]]


def draw_line(*points: Sequence[float]) -> str:
    """Draw a line between vectors."""
    ends = (" ".join(map(coordinate, place(end))) for end in points)
    return f"M{' L'.join(ends)}"


def draw_axis(line: Sequence[float]) -> str:
    """Draw a line through the middle, with an arrow where it grows."""
    x, y = line
    tip, back = [END * x, END * y], END - 0.14
    left, right = ([back * x - side * y, back * y + side * x] for side in (0.09, -0.09))
    return draw_line([-END * x, -END * y], tip) + draw_line(left, tip, right)


def _stretch(line: Sequence[float], by: float) -> list[float]:
    return [by * side for side in line]


def _name_ends(names: Sequence[str], vector: Sequence[float]) -> dict[str, str]:
    return dict(zip(names, map(coordinate, place(vector)), strict=True))


def _write_stage(found: Mapping[str, Any]) -> str:
    """Write what the projections make of the vector, both heads, and their sum."""
    cut = "all of lost, times each matrix, then a part for each head"
    parts = [
        tag("div", write_step("project", cut) + _write_cut(found), class_="all"),
        *(tag("div", _write_head(found, head)) for head in (0, 1)),
        tag("div", _write_mixed(found), class_="all"),
    ]
    stage = tag("div", "\n".join(parts), class_="heads")
    return tag("style", STYLE + _STYLE) + "\n" + stage


def _write_cut(found: Mapping[str, Any]) -> str:
    """Write query, key and value of the word that asks, cut into two heads."""
    numbers = [
        (head["query"], head["keys"][-1], head["values"][-1]) for head in found["heads"]
    ]
    rows = [
        tag(
            "tr",
            tag("th", f"{role} of lost", scope="row")
            + "".join(
                tag("td", fixed(numbers[head][i], 2), data_part=f"{role}-{head}")
                for head in (0, 1)
            ),
            class_=role,
        )
        for i, role in enumerate(ROLES)
    ]
    heads = "".join(tag("th", word) for word in ("head 1", "head 2"))
    top = tag("thead", tag("tr", tag("td") + heads))
    body = tag("tbody", "\n".join(rows))
    label = "query, key and value of lost, for each head"
    return tag("table", top + body, class_="cut", aria_label=label)


def _write_head(found: Mapping[str, Any], head: int) -> str:
    """Write how one head reads the three vectors, and its weights."""
    return "\n".join(
        (
            write_step(f"head {head + 1}", QUESTIONS[head]),
            _draw_head(found, head),
            _write_rows(found, head),
        )
    )


def _draw_head(found: Mapping[str, Any], head: int) -> str:
    """Draw the three vectors, the lines of a head, and what falls on them."""
    x, y = MIDDLE
    at = place(found["places"][-1])
    shapes = [
        tag("path", class_="faint", d=f"M{x - 120} {y}H{x + 120}M{x} 40V272"),
        *_draw_lines(head),
        *_draw_feet(found, head),
        *_draw_words(found, head),
        handle(f"lost-{head}", "lost", at=(at[0], at[1]), color="muted", width=PLATE),
    ]
    return tag(
        "svg",
        "\n".join(shapes),
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        role="group",
        aria_label=f"three words, and the lines along which head {head + 1} reads them",
    )


def _draw_lines(head: int) -> list[str]:
    """Draw the lines of a head, with their names."""
    shapes = []
    rows = zip(ROLES, find_lines(cut=False)[head], find_names()[head], strict=True)
    for role, line, (left, top, side) in rows:
        axis = {"data_part": f"line-{role}-{head}", "d": draw_axis(line)}
        where = {"data_part": f"name-{role}-{head}", "x": left, "y": top}
        shapes += [
            tag("path", class_=f"{role} line glide", **axis),
            tag("text", role, class_=f"{role} {side}".strip(), **where),
        ]
    return shapes


def _draw_feet(found: Mapping[str, Any], head: int) -> list[str]:
    """Draw where vectors meet the lines of a head at a right angle, and its output.

    A value is seen as far as its word has weight.
    """
    part, places = found["heads"][head], found["places"]
    query, key, value = find_lines(cut=False)[head]
    shapes = []
    for j, vector in enumerate(places):
        ends = (_stretch(key, part["keys"][j]), _stretch(value, part["values"][j]))
        for role, end in zip(("key", "value"), ends, strict=True):
            seen = {"opacity": coordinate(part["weights"][j])}
            glow = seen if role == "value" else {}
            foot = {"data_part": f"foot-{role}-{head}-{j}"} | glow
            dot = {"data_part": f"dot-{role}-{head}-{j}", "r": 4} | glow
            shapes += [
                tag("path", class_=f"{role} foot", d=draw_line(vector, end), **foot),
                tag("circle", class_=role, **dot, **_name_ends(("cx", "cy"), end)),
            ]
    end = _stretch(query, part["query"])
    foot = {"data_part": f"foot-query-{head}", "d": draw_line(places[-1], end)}
    reach = {"data_part": f"reach-{head}", "d": draw_line((0.0, 0.0), end)}
    mean = _name_ends(("cx", "cy"), _stretch(value, part["output"]))
    return [
        *shapes,
        tag("path", class_="query foot", **foot),
        tag("path", class_="query reach", **reach),
        tag("circle", class_="output tip", data_part=f"tip-{head}", r=7, **mean),
    ]


def _draw_words(found: Mapping[str, Any], head: int) -> list[str]:
    """Draw the two words that do not ask."""
    shapes = []
    for j, (word, vector) in enumerate(
        zip(found["words"][:-1], found["places"], strict=False)
    ):
        left, top = place(vector)
        side, by = ("start", 9) if left > MIDDLE[0] else ("end", -9)
        name = {"class_": f"word {side}", "data_part": f"word-{head}-{j}"}
        dot = {"data_part": f"dot-{head}-{j}", "r": 4}
        shapes += [
            tag("circle", **dot, **_name_ends(("cx", "cy"), vector)),
            tag("text", word, **name, x=coordinate(left + by), y=coordinate(top + 4)),
        ]
    return shapes


def _write_rows(found: Mapping[str, Any], head: int) -> str:
    """Write key, score, weight and value of each word in a head."""
    part, rows = found["heads"][head], []
    for j, word in enumerate(found["words"]):
        weight = part["weights"][j]
        shape = tag("rect", class_="track", width=100, height=10)
        bar = {"data_part": f"bar-{head}-{j}", "width": coordinate(100 * weight)}
        shape += tag("rect", class_="glide", height=10, **bar)
        size = {"viewBox": "0 0 100 10", "preserveAspectRatio": "none"}
        numbers = [
            ("key", fixed(part["keys"][j], 2)),
            ("score", fixed(part["scores"][j], 2)),
            ("", tag("svg", shape, aria_hidden="true", style="height: 10px", **size)),
            ("weight", fixed(weight, 2)),
            ("value", fixed(part["values"][j], 2)),
        ]
        cells = [
            tag("td", text, class_=kind, data_part=f"{kind}-{head}-{j}")
            if kind
            else tag("td", text)
            for kind, text in numbers
        ]
        name = tag("th", word, scope="row", data_part=f"row-{head}-{j}")
        rows.append(tag("tr", name + "".join(cells)))
    titles = ("key", "score", "", "weight", "value")
    heads = "".join(tag("th" if title else "td", title) for title in titles)
    top = tag("thead", tag("tr", tag("td") + heads))
    body = tag("tbody", "\n".join(rows))
    label = f"key, score, weight and value of each word in head {head + 1}"
    return tag("table", top + body, class_="rows", aria_label=label)


def _write_mixed(found: Mapping[str, Any]) -> str:
    """Write both outputs side by side, and what the output projection makes of them."""
    first, second = (
        tag("b", fixed(head["output"], 2), data_part=f"output-{i}")
        for i, head in enumerate(found["heads"])
    )
    mixed = tag("b", write_vector(found["mixed"]), data_part="mixed")
    sums = f"({first} | {second}) Wᴼ = {mixed}"
    rows = " and ".join(f"({', '.join(fixed(x, 0) for x in row)})" for row in W_O)
    words = f"side by side, then times Wᴼ, whose rows are {rows}"
    return tag("p", sums, class_="mixed") + write_step("mix", words)


def write_vector(vector: Sequence[float]) -> str:
    """Write a vector with two places."""
    return f"({', '.join(fixed(side, 2) for side in vector)})"
