"""Explorer: a layer that one drags, and what a real model would say after it."""

from collections.abc import Mapping, Sequence
from html import escape

from chapters.big_picture.endings import MEASUREMENTS, PROMPTS, read_all
from chapters.shared.explorer.frame import Explorer, choice
from transformer.zoo import LanguageModel


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
        data=pack(rows),
        uses=("drag",),
        kept=_count_layers(rows) == _count_layers(MEASUREMENTS.read()),
    )


def pack(rows: Sequence[Mapping]) -> dict:
    """Return all guesses with each word written once; a row names it by its place."""
    every = (word for row in rows for words in row["words"] for word in words)
    words = [*dict.fromkeys(every)]
    places = {word: i for i, word in enumerate(words)}
    return {
        "texts": [row["text"] for row in rows],
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


def _count_layers(rows: Sequence[Mapping]) -> list[tuple[str, int]]:
    """Return each text, and after how many layers the model goes on with it."""
    return [(row["text"], len(row["words"])) for row in rows]
