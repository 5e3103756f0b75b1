"""Explorer: a layer that one drags, and what a real model would say after it."""

from collections.abc import Mapping, Sequence
from html import escape

from chapters.big_picture.endings import (
    COUNT,
    MEASUREMENTS,
    PLACES,
    PROMPTS,
    read_all,
)
from chapters.shared.explorer.frame import Explorer, choice, handle
from chapters.shared.explorer.markup import fixed, tag
from transformer.zoo import LanguageModel

WIDTH, TOP, RISE = 150, 36, 13  # of the ladder; its highest layer, and how far to next
RAIL, WORDS_AT, MARKS_AT, FOOT = 44, 72, 16, 12  # from the left, and below the first
MARKED = (1, 10, 20, 30)  # layers with their number beside them
_STYLE = """\
.explorer-stage:has(> .endings) { container-type: inline-size; }
.explorer:has(.endings) label { max-width: 100%; }
.explorer:has(.endings) select { min-width: 0; }
.endings { align-items: center; display: grid; gap: 0.5rem 1rem; margin: 0 auto;
  grid-template-columns: 150px minmax(0, 1fr); max-width: 26rem; }
.endings .texts { grid-column: 1 / -1; }
.explorer .endings p { border-inline-start: 4px solid transparent; margin: 0;
  overflow: hidden; padding: 0.2rem 0.5rem; white-space: nowrap; }
.explorer .endings .chosen { border-color: var(--output); }
.endings b { color: var(--output); }
[data-alive] .endings :is(p, svg) { cursor: pointer; }
@media (hover: hover) {
  [data-alive] .endings p:hover { background: var(--tint); }
}
.endings .rail { stroke: var(--faint); stroke-width: 6; }
.explorer .endings .guesses text { fill: var(--muted); text-anchor: start; }
.explorer .endings .guesses .answer { fill: var(--output); }
.explorer .endings .guesses .here { fill: var(--ink); font-weight: 700; }
.explorer .endings .guesses .here.answer { fill: var(--output); }
.endings .guesses text:not(:nth-child(3n), .here), .endings .here + text,
.endings .guesses text:has(+ .here) { visibility: hidden; }
.endings .room { fill: transparent; }
.explorer .endings table { border: 0; border-collapse: collapse; margin: 0;
  table-layout: fixed; width: 100%; }
.explorer .endings caption { caption-side: top; color: var(--muted);
  font-size: 0.8125rem; padding: 0; text-align: left; }
.explorer .endings :is(td, th) { background: none; border: 0; color: var(--ink);
  font-size: 0.875rem; font-weight: 400; line-height: 1.2; overflow: hidden;
  padding: 0.45rem 0.2rem; text-align: right; white-space: nowrap; }
.explorer .endings tbody th { text-align: left; width: 40%; }
.explorer .endings .answer :is(td, th) { color: var(--output); font-weight: 600; }
.endings td:last-child { width: 4.25em; }
.endings td rect { fill: var(--muted); }
.endings .answer rect { fill: var(--output); }
@container (max-width: 600px) {
  .explorer .endings p { font-size: 0.875rem; }
}
@container (max-width: 320px) {
  .endings { grid-template-columns: 1fr; max-width: 14rem; }
  .explorer .endings p { white-space: normal; }
}
@container (min-width: 640px) {
  .endings { max-width: none;
    grid-template-columns: 18.75rem 145px minmax(0, 1fr); }
  .endings .texts { grid-column: auto; }
  .explorer .endings p { font-size: 0.85rem; margin: 0.75rem 0; }
}
"""


def show(
    smollm: LanguageModel | None = None, prompts: Sequence[str] = PROMPTS
) -> Explorer:
    """Show what a language model would say after each of its layers.

    Args:
        smollm: The model and its tokenizer. Without them the stored answers to the
            texts of the book are shown.
        prompts: What it reads.
    """
    rows = read_all(smollm, prompts) if smollm else MEASUREMENTS.read()
    layers = len(rows[0]["words"])
    picture = look(rows, 0, layers)
    return Explorer(
        chapter="big_picture",
        name="big_picture",
        title="what SmolLM2-135M would say after each of its layers",
        instruction=f"Drag the <em>{layers}</em> down through the layers and up again, "
        "and press another text. Notice how late the word comes that wins: in none of "
        f"them before layer {min(find_answer(row)[1] for row in rows)}.",
        controls=[
            choice(
                "text",
                "text",
                {str(i): escape(row["text"]) for i, row in enumerate(rows)},
                value="0",
            )
        ],
        stage=_write_stage(rows, picture),
        readout=escape(picture["readout"], quote=False),
        data=pack(rows),
        uses=("drag",),
    )


def pack(rows: Sequence[Mapping]) -> dict:
    """Return all guesses with each word written once; a row names it by its place."""
    every = (word for row in rows for words in row["words"] for word in words)
    words = [*dict.fromkeys(every)]
    places = {word: i for i, word in enumerate(words)}
    return {
        "words": words,
        "rows": [
            [
                [[places[word] for word in guesses] for guesses in row["words"]],
                row["percents"],
            ]
            for row in rows
        ],
    }


def find_answer(row: Mapping) -> tuple[str, int]:
    """Return what comes first after the last layer, and since which layer it does."""
    firsts = [words[0] for words in row["words"]]
    since = len(firsts)
    while since > 1 and firsts[since - 2] == firsts[-1]:
        since -= 1
    return firsts[-1], since


def look(rows: Sequence[Mapping], text: int, layer: int) -> dict:
    """Return what the drawing shows: words and percents, and the sentence below.

    Args:
        rows: What `read_all` returns.
        text: The place of a text in it.
        layer: After which layer the model has to answer, from 1.
    """
    row = rows[text]
    answer, _ = find_answer(row)
    firsts = [words[0] for words in row["words"]]
    words, percents = row["words"][layer - 1], row["percents"][layer - 1]
    return {
        "ends": [each["words"][layer - 1][0] for each in rows],
        "ladder": [[word, mark(word == answer)] for word in firsts],
        "guesses": [
            [word, percent, mark(word == answer)]
            for word, percent in zip(words, percents, strict=True)
        ],
        "readout": write_readout(row, layer),
    }


def mark(is_answer: bool) -> str:
    """Return the class of what the model says in the end."""
    return "answer" if is_answer else ""


def write_readout(row: Mapping, layer: int) -> str:
    """Describe what comes first after a layer, and where the final answer is."""
    words, percents = row["words"][layer - 1], row["percents"][layer - 1]
    answer, since = find_answer(row)
    first = f"After layer {layer}, “{words[0]}” comes first with {say(percents[0])}"
    if layer == since > 1:
        return f"{first}. One layer below it does not."
    if layer >= since:
        return f"{first}. It leads from layer {since} on."
    place = (
        f"has place {words.index(answer) + 1}"
        if answer in words
        else f"is not among these {COUNT}"
    )
    return f"{first}. “{answer}”, which leads from layer {since} on, {place}."


def say(percent: float) -> str:
    """Write a percent."""
    return f"{fixed(percent, PLACES)}\N{NO-BREAK SPACE}%"


def find_height(layer: int, layers: int) -> int:
    """Return how far below the top a layer stands."""
    return TOP + RISE * (layers - layer)


def _write_stage(rows: Sequence[Mapping], picture: Mapping) -> str:
    """Write the texts with their ends, the ladder of layers, and the guesses."""
    parts = (
        _write_texts(rows, picture["ends"]),
        _write_ladder(picture["ladder"]),
        _write_guesses(picture["guesses"]),
    )
    return tag("style", _STYLE) + "\n" + tag("div", "\n".join(parts), class_="endings")


def _write_texts(rows: Sequence[Mapping], ends: Sequence[str]) -> str:
    """Write each text, and how it would go on."""
    lines = (
        tag(
            "p",
            f"{escape(row['text'], quote=False)} "
            + tag("b", escape(end, quote=False), data_part=f"end-{i}"),
            data_part=f"text-{i}",
            class_=None if i else "chosen",
        )
        for i, (row, end) in enumerate(zip(rows, ends, strict=True))
    )
    return tag("div", "\n".join(lines), class_="texts")


def _write_ladder(ladder: Sequence[Sequence[str]]) -> str:
    """Write the first guess after each layer, the last layer on top."""
    layers = len(ladder)
    bottom = find_height(1, layers)
    guesses = (
        tag(
            "text",
            escape(word, quote=False),
            x=WORDS_AT,
            y=find_height(i, layers) + 4,
            class_=f"{kind}{' here' if i == layers else ''}".strip() or None,
        )
        for i, (word, kind) in enumerate(ladder, 1)
    )
    marks = (
        tag(
            "text",
            str(i),
            class_="note end",
            x=MARKS_AT,
            y=find_height(i, layers) + 4,
        )
        for i in MARKED
        if i <= layers
    )
    shapes = [
        tag("text", "layer", class_="note", x=RAIL, y=12),
        tag("text", "first guess", class_="note start", x=WORDS_AT, y=12),
        tag("rect", class_="room", x=0, y=0, width=WIDTH, height=bottom + FOOT),
        tag("path", class_="rail", d=f"M{RAIL} {TOP}V{bottom}"),
        *marks,
        tag("g", "\n".join(guesses), class_="guesses", data_part="ladder"),
        handle("layer", str(layers), at=(RAIL, TOP), color="muted", width=36),
    ]
    return tag(
        "svg",
        "\n".join(shapes),
        viewBox=f"0 0 {WIDTH} {bottom + FOOT}",
        data_part="drawing",
        role="group",
        aria_label="the layers, with the likeliest word after each",
    )


def _write_guesses(guesses: Sequence[Sequence]) -> str:
    """Write the likeliest words after a layer, with a bar for each."""
    rows = []
    for i, (word, percent, kind) in enumerate(guesses):
        shape = tag(
            "rect", class_="glide", data_part=f"bar-{i}", width=percent, height=10
        )
        size = {"viewBox": "0 0 100 10", "preserveAspectRatio": "none"}
        bar = tag("svg", shape, aria_hidden="true", style="height: 10px", **size)
        cells = (
            tag("th", escape(word, quote=False), scope="row", data_part=f"word-{i}"),
            tag("td", bar),
            tag("td", say(percent), data_part=f"share-{i}"),
        )
        rows.append(
            tag("tr", "".join(cells), data_part=f"row-{i}", class_=kind or None)
        )
    body = tag("tbody", "\n".join(rows))
    head = tag("caption", f"{COUNT} likeliest next words")
    return tag("table", head + body)
