"""What the page says of the translator before any of its numbers are fetched.

`python -m chapters.live.told` writes `translator_told.js`, with a finished translation,
with what to notice about each twin, about the heads and about mistakes, and the drawing
of that translation for where no scripts run. They rest on the weights, on `twins.json`,
`heads.json` and `mistakes.json`.
"""

from collections.abc import Mapping
from statistics import mean

import torch

from chapters.laboratory.translator import attention_weights, numbers
from chapters.live import heads, mistakes, pack, still, twins
from chapters.shared.explorer.markup import rounded
from transformer.data import BOS_ID, EOS_ID, Pair
from transformer.data.numerals import LIMIT

FILE = pack.WEIGHTS.with_name("translator_told.js")
OPENING = "globalThis.bookTold = "
TEXT = "eighty thousand and eighty"
LAST = "decoder.layers.1.cross_attention"
PLACE = 3  # of the word that is chosen: the second "quatre"
FIRST, SECOND = 0, 3  # places of the two words "eighty"
SEEN = (
    "Its French for 80 is “four twenties”. The lines show where the second “{word}” "
    "looked: {second:.0%} of the attention of the last layer went to the second "
    "“{source}”, {first:.0%} to the first."
)
MARKED = (
    "Press a head to see its map and to switch it off. Try the one with a dot: there, "
    "in “{text}”, the second “{word}” looks back at “{looked}”, with {look:.0%}. "
    "Without it comes “{wrote}”."
)
NEEDED = (
    "Now try others. The dot stands in a group of four: without one of them "
    "{least:.0%} to {most:.0%} of 1,000 numbers come out right, without any other of "
    "the {number} at least {spared:.0%}."
)
MISTAKES = (
    "Of all {reach:,} numbers it gets {wrong} wrong. In {unsure} of these it gave its "
    "first wrong word less than {sure:.0%}."
)
SURE = 0.9
SHOWN = (101_903, 1_013, 127_040, 602_415, 28_050)  # mistakes of several kinds
DIGITS = 4
RIVALS = 5  # words that are told with their chance


@torch.no_grad()
def at_rest() -> dict:
    """Return the finished translation that stands on the page before it is touched.

    Returns:
        "text" and "translation"; "source", its pieces with the end; "words", for each
        word that was written its "id", its "piece", its "chance", the "likeliest" words
        with theirs, and its "looks", the mean of the heads of the last layer; "place",
        the word that is chosen; "seen", what is to be seen of it.
    """
    packed, tokenizer = pack.read_weights(), numbers().tokenizer
    model = pack.load(packed)
    [translation] = twins.translations(model, [Pair(TEXT, "")])
    source, target = (tokenizer.encode(text) for text in (TEXT, translation))
    looks = attention_weights(model, tokenizer, Pair(TEXT, translation))[LAST].mean(0)
    logits = model(torch.tensor([[*source, EOS_ID]]), torch.tensor([[BOS_ID, *target]]))
    chances, pieces = logits[0].softmax(dim=-1), packed["vocabulary"]
    pieces[EOS_ID] = pack.END
    words = [
        {
            "id": id,
            "piece": pieces[id],
            "chance": round(row[id].item(), DIGITS),
            "likeliest": [
                [pieces[other], round(row[other].item(), DIGITS)]
                for other in row.topk(RIVALS).indices.tolist()
            ],
            "looks": rounded(looked, DIGITS),
        }
        for id, row, looked in zip([*target, EOS_ID], chances, looks, strict=True)
    ]
    return {
        "text": TEXT,
        "translation": translation,
        "source": [*tokenizer.pieces(TEXT), pack.END],
        "words": words,
        "place": PLACE,
        "seen": see(words[PLACE]),
    }


def see(word: Mapping) -> str:
    """Return the sentence on what the lines of the chosen word show."""
    looks, source = word["looks"], numbers().tokenizer.pieces(TEXT)[SECOND]
    first, second = looks[FIRST], looks[SECOND]
    return spaced(
        SEEN.format(word=word["piece"], source=source, first=first, second=second)
    )


@torch.no_grad()
def of_heads() -> dict:
    """Return what the page says of the heads.

    Returns:
        "head", the one that is marked; "told", what to try with it; "notice", what
        `heads.json` says of all.
    """
    model, tokenizer = pack.load(pack.read_weights()), numbers().tokenizer
    [text] = twins.translations(model, [Pair(TEXT, "")])
    with heads.switched_off(model, heads.TRIED):
        [wrote] = twins.translations(model, [Pair(TEXT, "")])
    rows = attention_weights(model, tokenizer, Pair(TEXT, text))[heads.NEEDED]
    pieces = tokenizer.pieces(text)
    row = rows[int(heads.TRIED[-1]), PLACE + 1]  # the first row is that of the begin
    looked = row.argmax().item()
    told = MARKED.format(
        word=pieces[PLACE],
        looked=pieces[looked - 1],
        look=row[looked],
        text=TEXT,
        wrote=wrote,
    )
    right = {row["head"]: row["right"] for row in heads.MEASUREMENTS.read()}
    needed = [share for h, share in right.items() if h.startswith(heads.NEEDED)]
    others = [share for h, share in right.items() if not h.startswith(heads.NEEDED)]
    notice = NEEDED.format(
        number=len(right), spared=min(others), least=min(needed), most=max(needed)
    )
    return {"head": heads.TRIED, "told": spaced(told), "notice": spaced(notice)}


def of_mistakes() -> dict:
    """Return what the page says of the numbers that come out wrong.

    Returns:
        "told", how many there are; "shown", some of them, each with the place of its
        first wrong word and the word that would be right there.
    """
    rows = {row["number"]: row for row in mistakes.MEASUREMENTS.read()}
    unsure = sum(row["chance"] < SURE for row in rows.values())
    told = MISTAKES.format(reach=LIMIT, wrong=len(rows), unsure=unsure, sure=SURE)
    shown = [[f"{n:,}", rows[n]["place"], rows[n]["right"]] for n in SHOWN]
    return {"told": spaced(told), "shown": shown}


def spaced(text: str) -> str:
    """Keep each sign of percent at its number."""
    return text.replace("%", "\N{NO-BREAK SPACE}%")


def early(name: str) -> float:
    """Return the share right of five twins after the shorter budget of their study."""
    return mean(twins.ABLATIONS.results(twins.STUDIED[name], twins.EARLY, "exact"))


def tell(name: str, found: Mapping, whole: Mapping) -> dict:
    """Return what the page says of a twin, and the numbers to try.

    Args:
        name: One of `twins.TWINS`.
        found: What was measured of it.
        whole: The same of the whole machine.
    """
    twin, compared = twins.TWINS[name], {f"whole_{what}": whole[what] for what in whole}
    if name in twins.STUDIED:
        compared |= {"early": early(name), "whole_early": early(twins.WHOLE)}
    told = spaced(twin.told.format(**found, **compared))
    return {"before": twin.before, "told": told, "examples": list(twin.examples)}


def tell_all() -> dict:
    """Return what the page says of each twin, by its name."""
    found = {row["twin"]: row for row in twins.MEASUREMENTS.read()}
    return {name: tell(name, found[name], found[twins.WHOLE]) for name in twins.TWINS}


def read() -> dict:
    """Return what the file of the page says."""
    return pack.read_script(FILE, OPENING)


def main() -> None:
    """Write the file of the page, and the drawing."""
    rest = at_rest()
    held = {
        "rest": rest,
        "twins": tell_all(),
        "marked": of_heads(),
        "mistakes": of_mistakes(),
    }
    pack.write_script(FILE, OPENING, held)
    still.FILE.write_text(still.draw(rest), "utf-8")


if __name__ == "__main__":
    main()
