"""Explorer: logits of a real model on their way to a word, with a cut to drag."""

from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from math import log

from jaxtyping import Float
from torch import Tensor

from chapters.decoding.next_words import LISTED, MEASUREMENTS, TEXTS, unpack
from chapters.shared.explorer.frame import Explorer, choice, handle
from chapters.shared.explorer.markup import coordinate, fixed, tag
from transformer.decoding import (
    apply_temperature,
    keep_min_p,
    keep_top_k,
    keep_top_p,
)

RULES = {"top-k": keep_top_k, "top-p": keep_top_p, "min-p": keep_min_p}
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
FIRST = {"text": "sure", "rule": "top-k", "temperature": 10, "seed": 1}
CHOSEN = {"top-k": 5, "top-p": 0.9, "min-p": 0.1}  # of each rule at first
HOTTEST = 20  # tenths; the coldest is one
DRAWS = 100
WIDTH, HEIGHT = 360, 484
TOP, ROW, TAIL = 62, 17, 40  # of the first row; height of one, and of all the others
TRACK, TENTH, TRACK_AT = 110, 11, 20  # of the temperature: its left end, a step
BARS, LONGEST = 193, 52  # their left end, and a bar for all
GUTTER, PLATE = 334, 48  # where the cut is dragged, and its plate
COLUMNS = {  # where each ends, or begins
    "rank": (14, "end"),
    "word": (20, "start"),
    "logit": (108, "end"),
    "scaled": (147, "end"),
    "share": (186, "end"),
    "after": (278, "end"),
    "drawn": (306, "end"),
}
_HEADS = (
    (108, "end", "logit"),
    (147, "end", "÷ T"),
    (186, "end", "share"),
    (BARS, "start", "after cut"),
    (306, "end", "drawn"),
)
_STYLE = """\
.explorer-stage .sampling { margin: 0 auto; max-width: 30rem; }
.explorer:has(.sampling) label { max-width: 100%; }
.explorer:has(.sampling) select { min-width: 0; }
.explorer .sampling .gone { fill: var(--muted); }
.sampling :is(.word, .logit, .scaled, .share) .gone { text-decoration: line-through; }
.sampling .track { stroke: var(--faint); stroke-width: 3; }
.sampling .cut { stroke: var(--muted); stroke-width: 2; }
.sampling .before { fill: var(--output); opacity: 0.25; }
.sampling .bars { fill: var(--output); }
.sampling .after text:not(.gone) { font-weight: 600; }
.sampling :is(.word, .share) text:last-child:not(.gone) {
  paint-order: stroke; stroke: var(--paper); stroke-width: 3; }
.explorer:has(.sampling) .explorer-readout { min-height: 4.5em; }
@media (max-width: 600px) {
  .explorer:has(.sampling) .explorer-readout { min-height: 6em; }
}
@media (min-width: 601px) { .explorer .sampling text { font-size: 11px; } }
"""


def show() -> Explorer:
    """Show the likeliest words after a beginning, from their logits to a draw."""
    picture = look(**FIRST, setting=CHOSEN[FIRST["rule"]])
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
            choice("text", "after", beginnings, value=FIRST["text"]),
            choice("rule", "cut", {rule: rule for rule in RULES}, value="top-k"),
            tag("button", "Draw again", type="button", data_part="draw"),
        ],
        stage=f"{tag('style', _STYLE)}\n{_write_stage(picture)}",
        readout=picture["readout"],
        controls_first=True,
        data={
            "first": FIRST,
            "chosen": {rule: SETTINGS[rule].index(CHOSEN[rule]) for rule in RULES},
            "settings": SETTINGS,
            "texts": {row["text"]: row for row in MEASUREMENTS.read()},
        },
        uses=("drag",),
    )


@cache
def find_logits(text: str) -> Float[Tensor, " vocab"]:
    """Return the stored logits after a beginning, the largest first."""
    [row] = (row for row in MEASUREMENTS.read() if row["text"] == text)
    return unpack(row)


def find_words(text: str) -> list[str]:
    """Return the likeliest words after a beginning."""
    [row] = (row for row in MEASUREMENTS.read() if row["text"] == text)
    return row["words"]


def look(
    text: str, rule: str, temperature: int, seed: int, *, setting: float
) -> dict[str, object]:
    """Return what the drawing shows, by the functions of the package.

    Args:
        text: One of `TEXTS`.
        rule: One of `RULES`.
        temperature: In tenths.
        seed: Of the draws.
        setting: The number of the rule.

    Returns:
        kept: how many words stay; line: how far down the cut is; sum: what those had
        together; columns: the texts of each; before, bars: lengths of the bars;
        readout: in words.
    """
    logits = find_logits(text)
    scaled = apply_temperature(logits[None], temperature / 10)
    left = RULES[rule](scaled, setting)
    shares, after = (x.softmax(dim=-1)[0] for x in (scaled, left))
    kept = int(left.isfinite().sum())
    had, drawn = float(shares[:kept].sum()), count_draws(after, seed)
    before, then = (in_rows(x) for x in (shares, after))
    columns = {
        "word": [*find_words(text), name_others(kept, len(logits))],
        "logit": [*(fixed(x, 1) for x in logits[:LISTED].tolist()), ""],
        "scaled": [*(fixed(x, 1) for x in scaled[0, :LISTED].tolist()), ""],
        "share": [fixed(x, 3) for x in before],
        "after": [fixed(x, 3) if i < kept else "0" for i, x in enumerate(then)],
        "drawn": [str(count) for count in drawn],
    }
    told = (
        f"At T = {fixed(temperature / 10, 1)}, {rule} {write(rule, setting)} keeps "
        f"{kept:,} {'word' if kept == 1 else 'words'}, which had "
        f"{fixed(had, 2)} together. {find_words(text)[0]} goes from "
        f"{fixed(before[0], 2)} to {fixed(then[0], 2)}. Of {DRAWS} draws (seed "
        f"{seed}), {drawn[0]} took it and {drawn[-1]} took one of the others at the "
        "bottom."
    )
    return {
        "kept": kept,
        "line": find_line(kept, len(logits)),
        "sum": f"sum {fixed(had, 2)}",
        "columns": columns,
        "before": [LONGEST * share for share in before],
        "bars": [LONGEST * share for share in then],
        "readout": told,
    }


def in_rows(shares: Float[Tensor, " vocab"]) -> list[float]:
    """Return the listed shares, and the sum of all others."""
    return [*shares[:LISTED].tolist(), float(shares[LISTED:].sum())]


def name_others(kept: int, size: int) -> str:
    """Write how many others there are, and how many of them stay."""
    left, others = max(kept - LISTED, 0), size - LISTED
    return (
        f"{left:,} of {others:,} others" if 0 < left < others else f"{others:,} others"
    )


def write(rule: str, setting: float) -> str:
    """Write the number of a rule."""
    if rule == "top-k":
        return f"{setting:,}"
    return fixed(setting, 2) if rule == "top-p" else f"{setting:g}"


def find_line(kept: int, size: int) -> float:
    """Return how far down the line below the words that stay is.

    Among those that are not listed it goes by the logarithm of their number.
    """
    low = TOP + ROW * LISTED
    if kept <= LISTED:
        return TOP + ROW * kept
    return low + TAIL * log(kept - LISTED + 1) / log(size - LISTED + 1)


def draw_line(y: float) -> str:
    """Draw the line of the cut."""
    return f"M0 {coordinate(y)}H{GUTTER}"


def throw(seed: int) -> list[float]:
    """Return random numbers between 0 and 1, the same for a seed everywhere.

    The generator is mulberry32 by Tommy Ettinger, which the script has too.
    """
    state, thrown = seed, []
    for _ in range(DRAWS):
        state = (state + 1_831_565_813) % 2**32
        t = (state ^ (state >> 15)) * (1 | state) % 2**32
        t ^= (t + (t ^ (t >> 7)) * (61 | t)) % 2**32
        thrown.append((t ^ (t >> 14)) / 2**32)
    return thrown


def count_draws(shares: Float[Tensor, " vocab"], seed: int) -> list[int]:
    """Return how often each listed word is drawn, and any of the others.

    Shares lie side by side on a line of length 1, and each number hits one of them.
    """
    ends = [*accumulate(shares[:LISTED].tolist())]
    hits = [bisect_right(ends, dart) for dart in throw(seed)]
    return [hits.count(place) for place in range(LISTED + 1)]


def find_row(place: int) -> float:
    """Return where the middle of a row is."""
    return TOP + ROW * place + (TAIL if place == LISTED else ROW) / 2


def _write_stage(picture: dict) -> str:
    """Write the temperature, the columns, the bars, and the cut."""
    shapes = [
        tag("text", "temperature T", class_="note start", x=0, y=TRACK_AT + 4),
        tag(
            "path",
            class_="track",
            d=f"M{TRACK} {TRACK_AT}H{TRACK + TENTH * HOTTEST}",
        ),
        *(
            tag("text", words, class_=f"note {side}", x=x, y=TOP - 9)
            for x, side, words in _HEADS
        ),
        tag(
            "text", FIRST["rule"], class_="note", data_part="head", x=GUTTER, y=TOP - 9
        ),
        tag("path", class_="cut", data_part="line", d=draw_line(picture["line"])),
        _write_column("rank", [*range(1, LISTED + 1), ""], LISTED),
        *(
            _write_column(name, texts, picture["kept"])
            for name, texts in picture["columns"].items()
        ),
        *(_write_bars(name, picture[name]) for name in ("before", "bars")),
        *_write_cut(picture),
        handle(
            "temperature",
            fixed(FIRST["temperature"] / 10, 1),
            at=(TRACK + TENTH * FIRST["temperature"], TRACK_AT),
            color="muted",
        ),
    ]
    return tag(
        "svg",
        "\n".join(shapes),
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        class_="sampling",
        role="group",
        aria_label="the likeliest next words with their logits and probabilities",
    )


def _write_column(name: str, texts: Sequence, kept: int) -> str:
    """Write a column from the top down; what is cut is marked."""
    x, side = COLUMNS[name]
    kind = "note end" if name == "rank" else side
    rows = (
        tag(
            "text",
            str(words),
            y=coordinate(find_row(place) + 4),
            class_=f"gone {kind}" if place >= kept and name != "rank" else kind,
        )
        for place, words in enumerate(texts)
    )
    return tag(
        "g",
        "".join(rows),
        class_=name,
        data_part=name,
        transform=f"translate({x} 0)",
    )


def _write_bars(name: str, lengths: Sequence[float]) -> str:
    """Write a bar for each row."""
    bars = (
        tag(
            "rect",
            class_="glide",
            y=coordinate(find_row(place) - 5),
            width=coordinate(length),
            height=10,
        )
        for place, length in enumerate(lengths)
    )
    place = f"translate({BARS} 0)"
    return tag("g", "".join(bars), class_=name, data_part=name, transform=place)


def _write_cut(picture: dict) -> list[str]:
    """Write what a reader drags at the end of the line, and the sum below it."""
    rule, y = FIRST["rule"], picture["line"]
    number = write(rule, CHOSEN[rule])
    name, had = picture["sum"].split()  # one below the other, beside the columns
    return [
        handle("cut", number, at=(GUTTER, y), color="muted", width=PLATE),
        *(
            tag(
                "text",
                words,
                class_="note",
                data_part=part,
                x=GUTTER,
                y=coordinate(y + below),
            )
            for part, words, below in (("sum", name, 26), ("had", had, 39))
        ),
    ]
